// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostCsrBuilder.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <algorithm>
#include <impl/Tomokkos_NpyArray.hpp>
#include <impl/Tomokkos_ZipArchive.hpp>
#include <limits>
#include <utility>

namespace Tomokkos {
namespace {

using Impl::HostCsrBuilder;
using Impl::NpyHeader;

constexpr std::string_view extension = ".npy";

/// Array of an archive with its header already read.
struct OpenArray {
  OpenArray(const Impl::ZipReader& archive, const std::string& name)
      : source(archive.open(name + std::string(extension))),
        header(Impl::read_npy_header(*source)) {}

  /// Returns the length. Throws unless the array has one dimension.
  std::uint64_t length() const {
    if (header.shape.size() == 1) return header.count;
    source->fail_at(
        0, Impl::text("the array should have one dimension, but it has {}", header.shape.size()));
  }
  void expect_length(std::uint64_t expected, const std::string& why) const {
    if (length() == expected) return;
    source->fail_at(
        0, Impl::text("the array has {} entries, but {} requires {}", length(), why, expected));
  }
  template <class Target>
  void read(Target* out, bool allow_non_finite = false) {
    Impl::read_npy_values(*source, header, out, allow_non_finite);
  }

  std::unique_ptr<Impl::ByteSource> source;
  NpyHeader header;
};

struct Shape {
  Ordinal rows;
  Ordinal columns;
};

Shape read_shape(const Impl::ZipReader& archive) {
  OpenArray array(archive, "shape");
  array.expect_length(2, "a matrix");
  std::int64_t extents[2] = {};
  array.read(extents);
  for (int d = 0; d < 2; ++d) {
    if (extents[d] >= 0 && extents[d] <= std::numeric_limits<Ordinal>::max()) continue;
    throw InputError(Impl::text("{}: the number of {}, {}, is not in 0 ... 2147483647",
                                array.source->name(), d == 0 ? "rows" : "columns", extents[d]));
  }
  return {static_cast<Ordinal>(extents[0]), static_cast<Ordinal>(extents[1])};
}

void check_indices(const OpenArray& array, const Ordinal* indices, std::uint64_t count,
                   Ordinal limit) {
  const Ordinal* const wrong =
      std::find_if(indices, indices + count, [limit](Ordinal i) { return i < 0 || i >= limit; });
  if (wrong == indices + count) return;
  throw InputError(Impl::text("{}: entry {} (counted from 0) is the index {}, not in 0 ... {}",
                              array.source->name(), wrong - indices, *wrong, limit - 1));
}

/// Opens `indptr` of csr or csc and checks its length.
OpenArray open_offsets(const Impl::ZipReader& archive, Ordinal lines, const char* line_name) {
  OpenArray array(archive, "indptr");
  array.expect_length(static_cast<std::uint64_t>(lines) + 1,
                      Impl::text("a matrix with {} {}s", lines, line_name));
  return array;
}

/// Opens an array with one index for each entry.
OpenArray open_indices(const Impl::ZipReader& archive, const std::string& name,
                       std::uint64_t count) {
  OpenArray array(archive, name);
  array.expect_length(count, "the array data");
  return array;
}

/// Reads `indptr` and checks that it starts with 0, ends with \p count and does not decrease.
void read_offsets(OpenArray& array, Ordinal lines, std::uint64_t count, const char* line_name,
                  Offset* offsets) {
  array.read(offsets);
  const std::string& name = array.source->name();
  if (offsets[0] != 0) throw InputError(name + ": does not begin with 0");
  for (Ordinal i = 0; i < lines; ++i) {
    if (offsets[i + 1] >= offsets[i]) continue;
    throw InputError(Impl::text("{}: falls from {} to {} at {} {} (counted from 0)", name,
                                offsets[i], offsets[i + 1], line_name, i));
  }
  if (static_cast<std::uint64_t>(offsets[lines]) != count) {
    throw InputError(
        Impl::text("{}: ends at {}, but there are {} values", name, offsets[lines], count));
  }
}

/// Memory of the matrix and, for csc and coo, of the list of its entries.
template <class Scalar>
Impl::MemoryNeed memory_need(Shape shape, std::uint64_t count, bool by_list) {
  Impl::MemoryNeed need;
  need.add_csr(static_cast<std::uint64_t>(shape.rows), count, sizeof(Scalar));
  if (by_list) need.add(count, 2 * sizeof(Ordinal) + sizeof(Scalar));
  return need;
}

template <class Scalar>
HostCsrBuilder<Scalar> read_csr(const Impl::ZipReader& archive, const std::string& file,
                                Shape shape, OpenArray& data, const ReadOptions& options) {
  const std::uint64_t count = data.length();
  OpenArray offsets = open_offsets(archive, shape.rows, "row");
  OpenArray indices = open_indices(archive, "indices", count);
  memory_need<Scalar>(shape, count, false).require_available("reading " + file);
  HostCsrBuilder<Scalar> A;
  A.allocate_rows(shape.rows, shape.columns);
  read_offsets(offsets, shape.rows, count, "row", A.row_offsets.data());
  A.allocate_entries(count);
  indices.read(A.columns.data());
  check_indices(indices, A.columns.data(), count, shape.columns);
  data.read(A.values.data(), options.allow_non_finite);
  return A;
}

/// Reads an index array of a list of entries.
std::vector<Ordinal> read_index_list(OpenArray& array, Ordinal limit) {
  std::vector<Ordinal> indices(static_cast<std::size_t>(array.length()));
  array.read(indices.data());
  check_indices(array, indices.data(), array.length(), limit);
  return indices;
}

template <class Scalar>
std::vector<Scalar> read_values(OpenArray& data, const ReadOptions& options) {
  std::vector<Scalar> values(static_cast<std::size_t>(data.length()));
  data.read(values.data(), options.allow_non_finite);
  return values;
}

template <class Scalar>
HostCsrBuilder<Scalar> read_csc(const Impl::ZipReader& archive, const std::string& file,
                                Shape shape, OpenArray& data, const ReadOptions& options) {
  const std::uint64_t count = data.length();
  OpenArray offset_array = open_offsets(archive, shape.columns, "column");
  OpenArray indices = open_indices(archive, "indices", count);
  const std::uint64_t num_offsets = static_cast<std::uint64_t>(shape.columns) + 1;
  memory_need<Scalar>(shape, count, true)
      .add(num_offsets, sizeof(Offset))
      .require_available("reading " + file);
  const auto offsets =
      Impl::allocate_host<Offset>(num_offsets, "Tomokkos::read_npz_matrix::column_offsets");
  read_offsets(offset_array, shape.columns, count, "column", offsets.data());
  Impl::Triplets<Scalar> triplets;
  triplets.rows = read_index_list(indices, shape.rows);
  triplets.columns.resize(static_cast<std::size_t>(count));
  for (Ordinal j = 0; j < shape.columns; ++j) {
    std::fill(triplets.columns.begin() + offsets(j), triplets.columns.begin() + offsets(j + 1), j);
  }
  triplets.values = read_values<Scalar>(data, options);
  return Impl::builder_from_triplets(shape.rows, shape.columns, std::move(triplets),
                                     Impl::Mirror::none);
}

template <class Scalar>
HostCsrBuilder<Scalar> read_coo(const Impl::ZipReader& archive, const std::string& file,
                                Shape shape, OpenArray& data, const ReadOptions& options) {
  OpenArray rows = open_indices(archive, "row", data.length());
  OpenArray columns = open_indices(archive, "col", data.length());
  memory_need<Scalar>(shape, data.length(), true).require_available("reading " + file);
  Impl::Triplets<Scalar> triplets;
  triplets.rows = read_index_list(rows, shape.rows);
  triplets.columns = read_index_list(columns, shape.columns);
  triplets.values = read_values<Scalar>(data, options);
  return Impl::builder_from_triplets(shape.rows, shape.columns, std::move(triplets),
                                     Impl::Mirror::none);
}

template <class T>
std::span<const std::byte> bytes_of(const T* data, std::size_t count) {
  return std::as_bytes(std::span<const T>(data, count));
}

}  // namespace

template <class Scalar>
HostCsrMatrix<Scalar> read_npz_matrix(const std::filesystem::path& path,
                                      const ReadOptions& options) {
  const Impl::ZipReader archive(path);
  OpenArray format_array(archive, "format");
  const std::string format = Impl::read_npy_text(*format_array.source, format_array.header);
  if (format != "csr" && format != "csc" && format != "coo") {
    throw InputError(path.string() + ": holds a sparse matrix in the format '" + format +
                     "'; supported are csr, csc, coo");
  }
  const Shape shape = read_shape(archive);
  OpenArray data(archive, "data");
  data.length();
  const std::string file = path.string();
  HostCsrBuilder<Scalar> builder;
  if (format == "csr") builder = read_csr<Scalar>(archive, file, shape, data, options);
  if (format == "csc") builder = read_csc<Scalar>(archive, file, shape, data, options);
  if (format == "coo") builder = read_coo<Scalar>(archive, file, shape, data, options);
  const DuplicatePolicy duplicates = options.duplicates == DuplicatePolicy::refuse
                                         ? DuplicatePolicy::refuse
                                         : DuplicatePolicy::sum;
  return builder.finish(duplicates, options.allow_non_finite,
                        [&](Ordinal, Ordinal) { return path.string() + ": "; });
}

FilePrecision npz_matrix_precision(const std::filesystem::path& path) {
  const Impl::ZipReader archive(path);
  return Impl::npy_precision(OpenArray(archive, "data").header);
}

template <class Scalar>
HostArray<Scalar> read_npz_array(const std::filesystem::path& path, const std::string& name,
                                 const ReadOptions& options) {
  const Impl::ZipReader archive(path);
  const auto source = archive.open(name + std::string(extension));
  return Impl::read_npy_array<Scalar>(*source, options);
}

std::vector<std::string> npz_array_names(const std::filesystem::path& path) {
  std::vector<std::string> names = Impl::ZipReader(path).names();
  std::erase_if(names, [](const std::string& name) { return !name.ends_with(extension); });
  for (std::string& name : names) name.resize(name.size() - extension.size());
  return names;
}

std::string choose_npz_array(const std::filesystem::path& path, const std::string& name,
                             const std::string& usual, const std::string& advice) {
  const std::vector<std::string> names = npz_array_names(path);
  if (name.empty() && names.size() == 1) return names.front();
  const std::string& wanted = name.empty() ? usual : name;
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return wanted;
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
  throw InputError(path.string() + ": " +
                   (name.empty() ? "contains several arrays; " + advice
                                 : "does not contain the array " + name + "; available") +
                   ": " + all);
}

const OutputKind npz_matrix_output{"a sparse matrix of SciPy",
                                   [](const std::filesystem::path& file) {
                                     return has_npz_members(file, {"format.npy", "shape.npy"});
                                   }};

template <class Scalar>
void write_npz_matrix(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                      NpzCompression compression, const std::vector<NpzNumber>& numbers) {
  const auto nnz = static_cast<std::size_t>(A.num_nonzeros());
  const std::size_t rows = static_cast<std::size_t>(A.num_rows) + 1;
  std::vector<std::int32_t> short_offsets;
  auto offsets = bytes_of(A.row_offsets.data(), rows);
  std::string offset_descr = Impl::npy_descr<std::int64_t>();
  if (A.num_nonzeros() <= std::numeric_limits<std::int32_t>::max()) {
    // With 64-bit offsets SciPy also widens the column indices, so 32-bit offsets are preferred.
    Impl::MemoryNeed()
        .add(rows, sizeof(std::int32_t))
        .require_available("writing " + path.string());
    short_offsets.assign(A.row_offsets.data(), A.row_offsets.data() + rows);
    offsets = bytes_of(short_offsets.data(), rows);
    offset_descr = Impl::npy_descr<std::int32_t>();
  }
  const std::int64_t shape[2] = {A.num_rows, A.num_cols};
  const std::string headers[] = {Impl::npy_header_text(Impl::npy_descr<std::int32_t>(), {nnz}),
                                 Impl::npy_header_text(offset_descr, {rows}),
                                 Impl::npy_header_text("|S3", {}),
                                 Impl::npy_header_text(Impl::npy_descr<std::int64_t>(), {2}),
                                 Impl::npy_header_text(Impl::npy_descr<Scalar>(), {nnz})};
  const auto header = [&](int i) { return bytes_of(headers[i].data(), headers[i].size()); };
  std::vector<Impl::ZipMember> members{
      {"indices.npy", {header(0), bytes_of(A.columns.data(), nnz)}},
      {"indptr.npy", {header(1), offsets}},
      {"format.npy", {header(2), bytes_of("csr", 3)}},
      {"shape.npy", {header(3), bytes_of(shape, 2)}},
      {"data.npy", {header(4), bytes_of(A.values.data(), nnz)}}};
  const std::string number_header = Impl::npy_header_text(Impl::npy_descr<std::int64_t>(), {});
  for (const NpzNumber& number : numbers)
    members.push_back(
        {number.name + std::string(extension),
         {bytes_of(number_header.data(), number_header.size()), bytes_of(&number.value, 1)}});
  Impl::write_zip(path, npz_matrix_output, members, compression == NpzCompression::deflated);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                          \
  template HostCsrMatrix<Scalar> read_npz_matrix(const std::filesystem::path&,                \
                                                 const ReadOptions&);                         \
  template HostArray<Scalar> read_npz_array(const std::filesystem::path&, const std::string&, \
                                            const ReadOptions&);                              \
  template void write_npz_matrix(const std::filesystem::path&, const HostCsrMatrix<Scalar>&,  \
                                 NpzCompression, const std::vector<NpzNumber>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
