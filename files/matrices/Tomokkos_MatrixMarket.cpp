// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostCsrBuilder.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <impl/Tomokkos_MatrixMarketParser.hpp>
#include <utility>

namespace Tomokkos {
namespace {

/// Returns `file:line: ` of the second entry at a position by reading the file again. Storing the
/// line of every entry would need as much memory as the indices.
template <class Scalar>
std::string second_occurrence(const std::filesystem::path& path, const ReadOptions& options,
                              Ordinal row, Ordinal column) {
  Impl::MatrixMarketParser<Scalar> parser(path, options.allow_non_finite);
  const bool mirrored = parser.header().mirror() != Impl::Mirror::none;
  typename Impl::MatrixMarketParser<Scalar>::Entry entry{};
  int seen = 0;
  while (parser.next(entry)) {
    const bool same = entry.row == row && entry.column == column;
    const bool mirror = mirrored && entry.row == column && entry.column == row;
    if ((same || mirror) && ++seen == 2) return parser.where();
  }
  return path.string() + ": ";
}

/// Writes numbers as text.
class NumberWriter {
 public:
  explicit NumberWriter(AtomicFile& file) : file_(file) {}
  template <class Number>
  void put(Number number, char separator) {
    const auto result = std::to_chars(text_.data(), text_.data() + text_.size() - 1, number);
    *result.ptr = separator;
    file_.write(text_.data(), static_cast<std::size_t>(result.ptr - text_.data()) + 1);
  }

 private:
  AtomicFile& file_;
  // The shortest form of a double has at most 24 characters.
  std::array<char, 64> text_{};
};

}  // namespace

template <class Scalar>
HostCsrMatrix<Scalar> read_matrix_market(const std::filesystem::path& path,
                                         const ReadOptions& options) {
  Impl::MatrixMarketParser<Scalar> parser(path, options.allow_non_finite);
  const Impl::MatrixMarketHeader header = parser.header();
  Impl::Triplets<Scalar> triplets;
  // The list of entries and the matrix exist at the same time. Each entry may have a mirror image.
  const std::uint64_t images = header.mirror() == Impl::Mirror::none ? 1 : 2;
  Impl::MemoryNeed()
      .add(header.num_entries, 2 * sizeof(Ordinal) + sizeof(Scalar))
      .add_csr(static_cast<std::uint64_t>(header.num_rows), images * header.num_entries,
               sizeof(Scalar))
      .require_available("reading " + path.string());
  triplets.rows.reserve(header.num_entries);
  triplets.columns.reserve(header.num_entries);
  triplets.values.reserve(header.num_entries);
  const bool drop_zeros = header.is_array;
  const bool drop_diagonal = header.mirror() == Impl::Mirror::negated;
  typename Impl::MatrixMarketParser<Scalar>::Entry entry{};
  while (parser.next(entry)) {
    if (drop_zeros && entry.value == Scalar(0)) continue;
    if (drop_diagonal && entry.row == entry.column) continue;
    triplets.rows.push_back(entry.row);
    triplets.columns.push_back(entry.column);
    triplets.values.push_back(entry.value);
  }
  auto builder = Impl::builder_from_triplets(header.num_rows, header.num_cols, std::move(triplets),
                                             header.mirror());
  const DuplicatePolicy duplicates = options.duplicates == DuplicatePolicy::refuse
                                         ? DuplicatePolicy::refuse
                                         : DuplicatePolicy::sum;
  return builder.finish(duplicates, options.allow_non_finite, [&](Ordinal row, Ordinal column) {
    return second_occurrence<Scalar>(path, options, row, column);
  });
}

template <class Scalar>
std::vector<Scalar> read_matrix_market_vector(const std::filesystem::path& path,
                                              const ReadOptions& options) {
  const HostCsrMatrix<Scalar> A = read_matrix_market<Scalar>(path, options);
  if (A.num_rows != 1 && A.num_cols != 1) {
    throw InputError(Impl::text("{}: a vector has one column or one row, but this is {} x {}",
                                path.string(), A.num_rows, A.num_cols));
  }
  Impl::require_memory(
      static_cast<std::uint64_t>(std::max(A.num_rows, A.num_cols)) * sizeof(Scalar),
      "the vector of " + path.string() + " needs");
  std::vector<Scalar> x(static_cast<std::size_t>(A.num_rows) *
                        static_cast<std::size_t>(A.num_cols));
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      x[static_cast<std::size_t>(i) + static_cast<std::size_t>(A.columns(k))] = A.values(k);
    }
  }
  return x;
}

const OutputKind matrix_market_output{"a Matrix Market file",
                                      [](const std::filesystem::path& file) {
                                        return Impl::first_bytes(file, 14) == "%%MatrixMarket";
                                      }};

template <class Scalar>
void write_matrix_market(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                         const std::string& comment) {
  AtomicFile file(path, matrix_market_output);
  NumberWriter numbers(file);
  file.write("%%MatrixMarket matrix coordinate real general\n");
  if (!comment.empty()) file.write("% " + comment + "\n");
  numbers.put(A.num_rows, ' ');
  numbers.put(A.num_cols, ' ');
  numbers.put(A.num_nonzeros(), '\n');
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      // Wider than an index: the last column counted from 1 may be 2^31.
      numbers.put(static_cast<std::int64_t>(i) + 1, ' ');
      numbers.put(static_cast<std::int64_t>(A.columns(k)) + 1, ' ');
      numbers.put(A.values(k), '\n');
    }
  }
  file.commit();
}

template <class Scalar>
void write_matrix_market_vector(const std::filesystem::path& path, std::span<const Scalar> values) {
  write_matrix_market_array(path, values, 1);
}

template <class Scalar>
void write_matrix_market_array(const std::filesystem::path& path, std::span<const Scalar> values,
                               std::size_t columns) {
  AtomicFile file(path, matrix_market_output);
  NumberWriter numbers(file);
  file.write("%%MatrixMarket matrix array real general\n");
  numbers.put(values.size() / columns, ' ');
  numbers.put(columns, '\n');
  for (Scalar value : values) numbers.put(value, '\n');
  file.commit();
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                               \
  template HostCsrMatrix<Scalar> read_matrix_market(const std::filesystem::path&,                  \
                                                    const ReadOptions&);                           \
  template std::vector<Scalar> read_matrix_market_vector(const std::filesystem::path&,             \
                                                         const ReadOptions&);                      \
  template void write_matrix_market(const std::filesystem::path&, const HostCsrMatrix<Scalar>&,    \
                                    const std::string&);                                           \
  template void write_matrix_market_vector(const std::filesystem::path&, std::span<const Scalar>); \
  template void write_matrix_market_array(const std::filesystem::path&, std::span<const Scalar>,   \
                                          std::size_t);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
