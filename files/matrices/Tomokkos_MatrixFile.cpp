// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <impl/Tomokkos_CompressedFile.hpp>
#include <optional>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

/// Extension in lower case, without the one of a compressed file: ".mtx" for A.MTX.gz.
std::string inner_extension(const std::filesystem::path& path) {
  const bool is_gzip = Impl::packing_of(path) == Impl::Packing::gzip;
  std::string extension = (is_gzip ? path.stem() : path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

bool is_matrix_market(const std::string& extension) {
  return extension == ".mtx" || extension == ".mm";
}

/// Format of an uncompressed file; empty if unknown.
std::optional<MatrixFileFormat> plain_format(const std::filesystem::path& path) {
  if (Impl::packing_of(path) != Impl::Packing::plain) return std::nullopt;
  const std::string extension = inner_extension(path);
  if (is_matrix_market(extension)) return MatrixFileFormat::matrix_market;
  if (extension == ".npz") return MatrixFileFormat::npz;
  if (extension == ".csr4") return MatrixFileFormat::csr4;
  return std::nullopt;
}

std::optional<MatrixFileFormat> format_of(const std::filesystem::path& path) {
  switch (Impl::packing_of(path)) {
    case Impl::Packing::tar_gzip:
      return MatrixFileFormat::matrix_market;
    case Impl::Packing::gzip:
      if (is_matrix_market(inner_extension(path))) return MatrixFileFormat::matrix_market;
      return std::nullopt;
    case Impl::Packing::plain:
      break;
  }
  return plain_format(path);
}

std::string unknown_extension(const std::filesystem::path& path, const char* kind,
                              const char* allowed) {
  return path.string() + ": the extension '" + path.extension().string() +
         "' does not belong to a " + kind + "; allowed are " + allowed;
}

}  // namespace

bool is_matrix_file(const std::filesystem::path& path) { return format_of(path).has_value(); }

MatrixFileFormat matrix_file_format(const std::filesystem::path& path) {
  const auto format = format_of(path);
  if (!format) throw InputError(unknown_extension(path, "matrix", matrix_file_extensions));
  return *format;
}

MatrixFileFormat matrix_output_format(const std::filesystem::path& path) {
  const auto format = plain_format(path);
  if (!format)
    throw OutputError(unknown_extension(path, "matrix to write", ".mtx, .mm, .npz, .csr4"));
  return *format;
}

const OutputKind& matrix_output_kind(const std::filesystem::path& path) {
  switch (matrix_output_format(path)) {
    case MatrixFileFormat::npz:
      return npz_matrix_output;
    case MatrixFileFormat::csr4:
      return csr4_output;
    case MatrixFileFormat::matrix_market:
      break;
  }
  return matrix_market_output;
}

bool is_vector_file(const std::filesystem::path& path) {
  const std::string extension = inner_extension(path);
  return is_matrix_market(extension) ||
         (extension == ".npy" && Impl::packing_of(path) == Impl::Packing::plain);
}

FilePrecision matrix_file_precision(const std::filesystem::path& path) {
  switch (matrix_file_format(path)) {
    case MatrixFileFormat::npz:
      return npz_matrix_precision(path);
    case MatrixFileFormat::csr4:
      return FilePrecision::float32;
    case MatrixFileFormat::matrix_market:
      break;
  }
  return FilePrecision::float64;
}

template <class Scalar>
HostCsrMatrix<Scalar> read_matrix(const std::filesystem::path& path, const ReadOptions& options) {
  switch (matrix_file_format(path)) {
    case MatrixFileFormat::npz:
      return read_npz_matrix<Scalar>(path, options);
    case MatrixFileFormat::csr4:
      return read_csr4<Scalar>(path, options).matrix;
    case MatrixFileFormat::matrix_market:
      break;
  }
  return read_matrix_market<Scalar>(path, options);
}

template <class Scalar>
void write_matrix(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A) {
  switch (matrix_output_format(path)) {
    case MatrixFileFormat::npz:
      return write_npz_matrix(path, A);
    case MatrixFileFormat::csr4: {
      Csr4Scanner scanner;
      scanner.voxel_size = {1, 1, 1};
      scanner.grid = {static_cast<std::uint32_t>(A.num_cols), 1, 1};
      return write_csr4(path, A, scanner);
    }
    case MatrixFileFormat::matrix_market:
      break;
  }
  write_matrix_market(path, A);
}

template <class Scalar>
std::vector<Scalar> read_vector(const std::filesystem::path& path, const ReadOptions& options) {
  if (!is_vector_file(path))
    throw InputError(unknown_extension(path, "vector", vector_file_extensions));
  if (inner_extension(path) == ".npy") return read_npy<Scalar>(path, options).data;
  return read_matrix_market_vector<Scalar>(path, options);
}

template <class Scalar>
void write_vector(const std::filesystem::path& path, std::span<const Scalar> values) {
  if (!is_vector_file(path) || Impl::packing_of(path) != Impl::Packing::plain)
    throw OutputError(unknown_extension(path, "vector to write", ".npy, .mtx, .mm"));
  if (inner_extension(path) == ".npy") return write_npy(path, values, {values.size()});
  write_matrix_market_vector(path, values);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                            \
  template HostCsrMatrix<Scalar> read_matrix(const std::filesystem::path&, const ReadOptions&); \
  template void write_matrix(const std::filesystem::path&, const HostCsrMatrix<Scalar>&);       \
  template std::vector<Scalar> read_vector(const std::filesystem::path&, const ReadOptions&);   \
  template void write_vector(const std::filesystem::path&, std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
