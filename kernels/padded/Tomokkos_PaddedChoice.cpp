// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conditions under which ELLPACK, ELLPACK-R and SELL are worth a conversion, and the storage needs
// of formats of padded rows and lists. docs/benchmarks/products.md has the shares of the bandwidth
// and their commands.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ListFormats.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_HostRowSum_impl.hpp>
#include <impl/Tomokkos_SortRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Adds up the entries of all chunks of SELL.
template <class MemorySpace>
struct CountSellEntries {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  const Ordinal* rows;  // rows in the order of their slots; nullptr: natural order
  Ordinal num_rows;
  int chunk, pack;

  KOKKOS_FUNCTION void operator()(const Ordinal c, Offset& entries) const {
    const Offset first = static_cast<Offset>(c) * chunk;
    const Offset last = first + chunk < num_rows ? first + chunk : num_rows;
    Offset width = 0;
    for (Offset slot = first; slot < last; ++slot) {
      const Offset row = rows == nullptr ? slot : rows[slot];
      const Offset length = row_offsets(row + 1) - row_offsets(row);
      if (length > width) width = length;
    }
    entries += (width + pack - 1) / pack * pack * chunk;
  }
};

template <class ExecutionSpace, class MemorySpace>
Offset count_sell_entries(const ExecutionSpace& exec,
                          const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                          const Ordinal* rows, Ordinal num_rows, int chunk) {
  const Offset chunks = (static_cast<Offset>(num_rows) + chunk - 1) / chunk;
  Offset entries = 0;
  Kokkos::parallel_reduce("Tomokkos::format_statistics::sell_entries",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, chunks),
                          CountSellEntries<MemorySpace>{row_offsets, rows, num_rows, chunk,
                                                        sell_pack(!is_host_space<ExecutionSpace>)},
                          Kokkos::Sum<Offset>(entries));
  fence(exec, "format_statistics: the entries of SELL are counted");
  return entries;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
SellFormat::Statistics SellFormat::statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics& rows) {
  constexpr int chunk = sell_chunk(!Impl::is_host_space<ExecutionSpace>, sizeof(Scalar));
  Statistics result;
  result.entries = Impl::count_sell_entries(exec, A.row_offsets, nullptr, A.num_rows, chunk);
  result.sorted_entries = result.entries;
  // Sorting gains nothing if there is hardly any padding.
  if (static_cast<double>(result.entries) > 1.02 * static_cast<double>(A.num_nonzeros())) {
    const auto sorted =
        Impl::rows_by_length(exec, A.row_offsets, A.num_rows, rows.longest, sorting_window);
    result.sorted_entries =
        Impl::count_sell_entries(exec, A.row_offsets, sorted.data(), A.num_rows, chunk);
  }
  return result;
}

namespace {

// GPU: shares of the copy bandwidth on an H200, for matrices that are read from its memory, with a
// thread per row. 27 points 100^3: SELL 1.11 in float and 1.00 in double; ELLPACK-R, which reads no
// padding, 0.92 and 1.05; 27 points 160^3 in float: 1.05 and 0.98.
constexpr double gpu_sell = 1.0;
constexpr double gpu_ell_r_float = 0.95;
constexpr double gpu_ell_r_double = 1.05;
// With fewer rows than threads of the device the bandwidth of its memory is not used fully:
// tomography 512^2, 130680 rows for 270336 threads, reached 0.59.
constexpr double gpu_rows_per_thread = 1.25;

// Matrices in the last-level cache of a GPU (60 MB): time per byte relative to CSR, Table I.
// ELLPACK without padding is 8 to 16 % faster than a thread per row of CSR at 4 entries a row.
// Other padded formats are slower than CSR for such matrices.
constexpr double cached_ell = 1.05;
constexpr double longest_cached_ell = 8;
constexpr double most_cached_ell_fill = 1.02;

// Hosts: two threads with AVX-512, time relative to CSR on the same matrix. SELL is 1.26 times
// faster on 7 points, 1.02 and 1.17 on 27, 1.4 to 1.52 on tomography, 1.32 on a power law (sorted).
constexpr double host_sell = 1.25;
// Without AVX-512 gathers the compiler decides how the lanes of a chunk are summed. A prototype
// reached half the speed of CSR in float and 1.3 times its speed in double. Not measured on a
// processor without AVX-512.
constexpr double host_narrow_sell_float = 0.5;
constexpr double host_narrow_sell_double = 1.3;

// Hosts: matrices with few rows are sorted in smaller windows, to avoid scattering the results
// needlessly. Table I, two threads: matrices of 1500 to 8200 rows are 5 to 40 % faster with 256
// than with 8192, those of 46 thousand rows and more up to 12 % slower.
constexpr Ordinal smallest_wide_sort = 16384;
constexpr Ordinal narrow_sorting_window = 256;

/// Returns the share of a GPU that a thread per row keeps busy.
double occupied(const FormatChoiceInput& matrix) {
  return std::min(1.0,
                  gpu_rows_per_thread * matrix.num_rows() / std::max(matrix.device.concurrency, 1));
}

double sell_cost(const FormatChoiceInput& matrix, Offset stored, bool sorted) {
  // Row lengths, and for sorted rows the row numbers.
  const double bytes = matrix.entry_bytes(static_cast<double>(stored)) +
                       (sorted ? 2.0 : 1.0) * sizeof(Ordinal) * matrix.num_rows();
  if (matrix.device.gpu) return bytes / (gpu_sell * occupied(matrix));
  if (matrix.device.wide_gathers) return bytes / host_sell;
  return bytes / (matrix.scalar_bytes > 4 ? host_narrow_sell_double : host_narrow_sell_float);
}

double ell_entries(const FormatChoiceInput& matrix) {
  return static_cast<double>(matrix.rows.longest) * matrix.num_rows();
}

}  // namespace

std::vector<Offer<EllOptions>> EllFormat::offers(const FormatChoiceInput& matrix) {
  // ELLPACK has no product with several vectors.
  if (!matrix.is_cached() || matrix.several_vectors || matrix.rows.mean > longest_cached_ell ||
      ell_entries(matrix) >
          std::min(matrix.most_entries(), most_cached_ell_fill * matrix.num_nonzeros()) ||
      2 * matrix.num_rows() < matrix.device.concurrency)
    return {};
  return {{matrix.entry_bytes(ell_entries(matrix)) / cached_ell, {}}};
}

std::vector<Offer<EllROptions>> EllRFormat::offers(const FormatChoiceInput& matrix) {
  // All rows are padded to the longest, which costs only memory.
  if (matrix.is_cached() || !matrix.device.gpu || !matrix.rows_are_even() ||
      ell_entries(matrix) > std::min(matrix.most_entries(), 1.25 * matrix.num_nonzeros()))
    return {};
  const double bytes =
      matrix.entry_bytes(matrix.num_nonzeros()) + sizeof(Ordinal) * matrix.num_rows();
  const double share = matrix.scalar_bytes > 4 ? gpu_ell_r_double : gpu_ell_r_float;
  return {{bytes / (share * occupied(matrix)), {}}};
}

std::vector<Offer<SellOptions>> SellFormat::offers(const FormatChoiceInput& matrix,
                                                   const Statistics& statistics) {
  std::vector<Offer<Options>> result;
  if (matrix.is_cached() || !matrix.rows_are_even()) return result;
  const auto stored = static_cast<double>(statistics.entries);
  if (stored <= matrix.most_entries())
    result.push_back({sell_cost(matrix, statistics.entries, false), {}});
  // Sorting scatters results and gathers, so it must reduce the padding noticeably.
  if (static_cast<double>(statistics.sorted_entries) <=
      std::min(matrix.most_entries(), 0.95 * stored)) {
    Options sorted;
    sorted.sigma = !matrix.device.gpu && matrix.rows.rows < smallest_wide_sort
                       ? narrow_sorting_window
                       : sorting_window;
    result.push_back({sell_cost(matrix, statistics.sorted_entries, true), sorted});
  }
  return result;
}

namespace {

std::size_t index_bytes(Offset entries, Offset lengths, Offset offsets) {
  return static_cast<std::size_t>(entries + lengths) * sizeof(Ordinal) +
         static_cast<std::size_t>(offsets) * sizeof(Offset);
}

Offset longest_row(const HostPattern& A) {
  Offset longest = 0;
  for (Ordinal row = 0; row < A.num_rows; ++row) longest = std::max(longest, A.length(row));
  return longest;
}

/// Returns the shortest length that the default share of the rows does not exceed.
Offset hyb_width(const HostPattern& A) {
  if (A.num_rows == 0) return 0;
  std::vector<Offset> lengths(static_cast<std::size_t>(A.num_rows));
  for (Ordinal row = 0; row < A.num_rows; ++row) lengths[row] = A.length(row);
  const double place = HybOptions{}.quantile * A.num_rows;
  auto index = static_cast<std::size_t>(place);
  if (static_cast<double>(index) == place && index > 0) --index;
  index = std::min(index, lengths.size() - 1);
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(index),
                   lengths.end());
  return lengths[index];
}

}  // namespace

void CooFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  sizes.push_back({"coo", A.num_nonzeros(), index_bytes(2 * A.num_nonzeros(), 0, 0)});
}

void EllFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  const Offset stored = A.num_rows * longest_row(A);
  sizes.push_back({"ell", stored, index_bytes(stored, 0, 0)});
}

void EllRFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  const Offset stored = A.num_rows * longest_row(A);
  sizes.push_back({"ell_r", stored, index_bytes(stored, A.num_rows, 0)});
}

Offset hyb_regular_entries(const HostPattern& A) {
  const Offset width = hyb_width(A);
  Offset entries = 0;
  for (Ordinal row = 0; row < A.num_rows; ++row) entries += std::min(A.length(row), width);
  return entries;
}

void HybFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  const Offset rest = A.num_nonzeros() - hyb_regular_entries(A);
  const Offset regular = A.num_rows * hyb_width(A);
  sizes.push_back({"hyb", regular + rest, index_bytes(regular + 2 * rest, 0, 0)});
}

void SellFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  constexpr Offset chunk_rows = 32;
  Offset stored = 0;
  const Offset chunks = (A.num_rows + chunk_rows - 1) / chunk_rows;
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    Offset widest = 0;
    const Offset last = std::min<Offset>(A.num_rows, (chunk + 1) * chunk_rows);
    for (Offset row = chunk * chunk_rows; row < last; ++row)
      widest = std::max(widest, A.length(static_cast<Ordinal>(row)));
    stored += widest * chunk_rows;
  }
  sizes.push_back({"sell", stored, index_bytes(stored, chunks * chunk_rows, chunks + 1)});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template SellFormat::Statistics SellFormat::statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RowStatistics&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
