// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of the bandwidth, as they stand in docs/benchmarks.md with their commands; those of blocks
// on a GPU were measured by the kernel alone. Where a pair of format and machine was not measured
// the comment says so.
#include <Tomokkos_ChooseFormat.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

// What another format must promise, as a share of the time of CSR, before a matrix is converted:
// the shares below are good to some per cent.
constexpr double worth_converting = 0.97;

// GPU, an H200, shares of copy of matrices that come from its memory. CSR: tomography 1024^2 by
// `team_vector` 0.97 in tiles (0.87 and below where it is smaller or in natural order), by
// `merge_path` 0.87; 27 points by `staged` 0.80 in float and 0.82 in double; 7 points by
// `scalar` 1.04 in float where ELLPACK-R reaches 0.84 and SELL 0.93.
constexpr double gpu_csr_long_rows = 0.97;
constexpr double gpu_csr_merge_path = 0.87;
constexpr double gpu_csr_staged = 0.81;
constexpr double gpu_csr_scalar = 1.0;
// A thread per row. 27 points 100^3: SELL 1.11 in float and 1.00 in double; ELLPACK-R, which reads
// no padding, 0.92 and 1.05; 27 points 160^3 in float: 1.05 and 0.98.
constexpr double gpu_sell = 1.0;
constexpr double gpu_ell_r_float = 0.95;
constexpr double gpu_ell_r_double = 1.05;
// Rows that are fewer than the threads of the device leave its memory idle: tomography 512^2,
// 130680 rows for 270336 threads, reached 0.59.
constexpr double gpu_rows_per_thread = 1.25;
// 27 full blocks in a row in float: 2x2 0.77, 4x4 0.87, 8x8 0.95. 3x3 was not measured.
constexpr std::array<double, block_sizes.size()> gpu_bcsr{0.77, 0.77, 0.87, 0.95};

// Matrices that its last cache (60 MB) holds, in time per byte against CSR: Table I. Blocks of 3x3,
// full or nearly so, take 0.57 to 0.78 of the time of CSR in float where their bytes say 0.56, and
// 0.67 to 0.8 in double where they say 0.7, as long as their rows keep at least a quarter of the
// threads busy; other blocks were not measured; ELLPACK without padding beats a thread per row of
// CSR by 8 and 16 % at 4 entries a row. Other padded formats are slower than CSR there.
constexpr double cached_bcsr = 0.85;
constexpr double cached_ell = 1.05;
constexpr double cached_busy_share = 0.25;
constexpr double longest_cached_ell = 8;
constexpr double most_cached_ell_fill = 1.02;

// Hosts, two threads with AVX-512, by time against CSR on the same matrix: SELL 1.26 times faster
// on 7 points, 1.02 and 1.17 on 27, 1.4 to 1.52 on tomography, 1.32 on a power law (sorted); 2x2
// blocks 1.71 times where their bytes say 1.6, 4x4 2.28 where they say 1.88. 3x3 and 8x8 were not
// measured.
constexpr double host_sell = 1.25;
constexpr std::array<double, block_sizes.size()> host_bcsr{1.07, 1.07, 1.2, 1.2};
// Without such gathers the lanes of a chunk are summed as the compiler likes: a sketch reached half
// of CSR in float and 1.3 of it in double. Not measured on a processor without AVX-512.
constexpr double host_narrow_sell_float = 0.5;
constexpr double host_narrow_sell_double = 1.3;

// Packed rows (`packed_csr`) are not offered. On hosts they should be, for stencils: with a cost of
// their stored entries of 2 bytes and a value each (4.3 where they stand in runs), and the share of
// the bandwidth that is to be measured there. On a GPU ray tiles serve scans from as few bytes.

// Hosts: so few rows are sorted within less, so that results are not scattered for nothing. Table
// I, of two threads: matrices of 1500 to 8200 rows are 5 to 40 % faster with 256 than with 8192,
// those of 46 thousand and more up to 12 % slower.
constexpr Ordinal smallest_wide_sort = 16384;
constexpr Ordinal narrow_sorting_window = 256;

/// Seconds times bandwidth, but for a common factor.
struct Cost {
  const DeviceTraits& device;
  const FormatStatistics& statistics;
  double scalar_bytes;

  double entries(double count) const { return count * (sizeof(Ordinal) + scalar_bytes); }
  double nonzeros() const { return static_cast<double>(statistics.rows.nonzeros); }
  double rows() const { return static_cast<double>(statistics.rows.rows); }

  double csr_bytes() const { return entries(nonzeros()) + sizeof(Offset) * rows(); }
  bool is_cached() const {
    return device.gpu && Impl::is_cached(statistics.rows, static_cast<std::size_t>(scalar_bytes));
  }

  double csr() const {
    const double bytes = csr_bytes();
    if (!device.gpu || is_cached()) return bytes;
    switch (choose_spmv_launch(device, statistics.rows, {}, static_cast<std::size_t>(scalar_bytes))
                .variant) {
      case SpmvVariant::merge_path:
        return bytes / gpu_csr_merge_path;
      case SpmvVariant::team_vector:
        return bytes / gpu_csr_long_rows;
      case SpmvVariant::scalar:
        return bytes / gpu_csr_scalar;
      default:
        return bytes / gpu_csr_staged;
    }
  }

  /// Of a cached matrix.
  double ell() const {
    return entries(static_cast<double>(statistics.rows.longest) * rows()) / cached_ell;
  }

  /// Share of a GPU that a thread per row keeps busy.
  double occupied() const {
    return std::min(1.0, gpu_rows_per_thread * rows() / std::max(device.concurrency, 1));
  }

  double sell(bool sorted) const {
    const Offset stored = sorted ? statistics.sorted_sell_entries : statistics.sell_entries;
    // Lengths, and where the rows are sorted their numbers.
    const double bytes =
        entries(static_cast<double>(stored)) + (sorted ? 2.0 : 1.0) * sizeof(Ordinal) * rows();
    if (device.gpu) return bytes / (gpu_sell * occupied());
    if (device.wide_gathers) return bytes / host_sell;
    return bytes / (scalar_bytes > 4 ? host_narrow_sell_double : host_narrow_sell_float);
  }

  double ell_r() const {
    const double bytes = entries(nonzeros()) + sizeof(Ordinal) * rows();
    return bytes / ((scalar_bytes > 4 ? gpu_ell_r_double : gpu_ell_r_float) * occupied());
  }

  double bcsr(std::size_t which) const {
    const double size = static_cast<double>(block_sizes[which]) * block_sizes[which];
    const double blocks = statistics.block_fill[which] * nonzeros() / size;
    const double bytes = blocks * (sizeof(Ordinal) + size * scalar_bytes);
    if (is_cached()) {
      const double block_rows = rows() / block_sizes[which];
      const SpmvOptions launch =
          choose_bcsr_launch(device, block_sizes[which], static_cast<Ordinal>(block_rows),
                             static_cast<Offset>(blocks), {});
      const double busy = block_rows * launch.vector_length / device.concurrency;
      return bytes / (cached_bcsr * std::min(1.0, busy / cached_busy_share));
    }
    return bytes / (device.gpu ? gpu_bcsr[which] : host_bcsr[which]);
  }
};

}  // namespace

FormatChoice choose_format(const DeviceTraits& device, const FormatStatistics& statistics,
                           std::size_t scalar_bytes, std::optional<double> largest_fill,
                           bool several_vectors) {
  FormatChoice best;
  if (statistics.rows.nonzeros == 0) return best;
  const Cost cost{device, statistics, static_cast<double>(scalar_bytes)};
  double lowest = worth_converting * cost.csr();
  const auto offer = [&](double offered, const FormatChoice& choice) {
    if (offered >= lowest) return;
    lowest = offered;
    best = choice;
  };
  const RowStatistics& rows = statistics.rows;
  const double limit = largest_fill.value_or(PaddingLimit{}.largest_fill) * cost.nonzeros();
  const double ell_entries = static_cast<double>(rows.longest) * cost.rows();
  if (cost.is_cached()) {
    // It has no product with several vectors.
    if (!several_vectors && rows.mean <= longest_cached_ell &&
        ell_entries <= std::min(limit, most_cached_ell_fill * cost.nonzeros()) &&
        2 * cost.rows() >= device.concurrency)
      offer(cost.ell(), {MatrixFormat::ell});
  } else if (!device.gpu ||
             Impl::rows_are_even(rows)) {  // a host's thread has many rows of any lengths
    if (static_cast<double>(statistics.sell_entries) <= limit)
      offer(cost.sell(false), {MatrixFormat::sell});
    // Scattered results and gathers are worth it only for less padding.
    if (static_cast<double>(statistics.sorted_sell_entries) <=
        std::min(limit, 0.95 * static_cast<double>(statistics.sell_entries)))
      offer(cost.sell(true), {MatrixFormat::sell, !device.gpu && rows.rows < smallest_wide_sort
                                                      ? narrow_sorting_window
                                                      : sorting_window});
    // All rows are padded to the longest, which costs memory alone.
    if (device.gpu && ell_entries <= std::min(limit, 1.25 * cost.nonzeros()))
      offer(cost.ell_r(), {MatrixFormat::ell_r});
  }
  // A row of blocks keeps its lanes as long as a row of CSR, which `merge_path` cuts.
  if (device.gpu && !Impl::rows_are_even(rows)) return best;
  for (std::size_t which = 0; which < block_sizes.size(); ++which)
    // Blocks so empty that their own limit would forbid them promise nothing.
    if (statistics.block_fill[which] > 0 &&
        statistics.block_fill[which] <= largest_fill.value_or(statistics.block_fill[which]))
      offer(cost.bcsr(which), {MatrixFormat::bcsr, 1, block_sizes[which]});
  return best;
}

}  // namespace Tomokkos
