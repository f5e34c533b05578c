// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <optional>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::optional<MatrixFileFormat> format_of(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  if (extension == ".mtx") return MatrixFileFormat::matrix_market;
  if (extension == ".npz") return MatrixFileFormat::npz;
  if (extension == ".csr4") return MatrixFileFormat::csr4;
  return std::nullopt;
}

std::string matrix_extensions(const std::filesystem::path& path) {
  return path.string() + ": the extension '" + path.extension().string() +
         "' is not that of a matrix; allowed are .mtx, .npz, .csr4";
}

std::string vector_extensions(const std::filesystem::path& path) {
  return path.string() + ": the extension '" + path.extension().string() +
         "' is not that of a vector; allowed are .npy, .mtx";
}

}  // namespace

MatrixFileFormat matrix_file_format(const std::filesystem::path& path) {
  const auto format = format_of(path);
  if (!format) throw InputError(matrix_extensions(path));
  return *format;
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
  const auto format = format_of(path);
  if (!format) throw OutputError(matrix_extensions(path));
  switch (*format) {
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
  const std::string extension = lower_extension(path);
  if (extension == ".npy") return read_npy<Scalar>(path, options).data;
  if (extension == ".mtx") return read_matrix_market_vector<Scalar>(path, options);
  throw InputError(vector_extensions(path));
}

template <class Scalar>
void write_vector(const std::filesystem::path& path, std::span<const Scalar> values) {
  const std::string extension = lower_extension(path);
  if (extension == ".npy") return write_npy(path, values, {values.size()});
  if (extension == ".mtx") return write_matrix_market_vector(path, values);
  throw OutputError(vector_extensions(path));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                            \
  template HostCsrMatrix<Scalar> read_matrix(const std::filesystem::path&, const ReadOptions&); \
  template void write_matrix(const std::filesystem::path&, const HostCsrMatrix<Scalar>&);       \
  template std::vector<Scalar> read_vector(const std::filesystem::path&, const ReadOptions&);   \
  template void write_vector(const std::filesystem::path&, std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
