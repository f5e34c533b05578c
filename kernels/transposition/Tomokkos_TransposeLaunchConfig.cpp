// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <algorithm>
#include <bit>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

// Columns of a band on a host. For each column a position, a cache line of columns and a cache line
// of values are in use: half a megabyte in all. The second-level cache of a core holds these, with
// room for the rows that pass through.
constexpr Ordinal narrow_band = 4096;

// Minimum mean number of entries per row and band: with fewer, iterating over the rows takes longer
// than cache misses.
constexpr Offset entries_per_visit = 4;

// Upper limit, larger than the number of threads of any host.
constexpr int most_parts = 1 << 16;

/// Returns the band width: as narrow as the row length allows.
Ordinal choose_band(const MatrixShape& shape) {
  if (shape.rows == 0) return std::max<Ordinal>(shape.columns, 1);
  const Offset bands = std::max<Offset>(1, shape.nonzeros / (entries_per_visit * shape.rows));
  const auto wanted = static_cast<Ordinal>((shape.columns + bands - 1) / bands);
  return std::max<Ordinal>(1, std::min(std::max(wanted, narrow_band), shape.columns));
}

/// Returns one part per thread, or fewer if their counters for every column would outgrow the
/// matrix.
int choose_parts(int threads, const MatrixShape& shape, std::size_t entry_bytes,
                 TransposeVariant variant) {
  const bool merges = variant == TransposeVariant::merge_trans;
  const auto counter = static_cast<Offset>(merges ? sizeof(Offset) : sizeof(Ordinal));
  const Offset of_matrix = static_cast<Offset>(entry_bytes) * shape.nonzeros +
                           static_cast<Offset>(sizeof(Offset)) * shape.rows;
  const Offset most = of_matrix / (counter * std::max<Offset>(shape.columns, 1));
  int parts = static_cast<int>(std::clamp<Offset>(std::min<Offset>(threads, most), 1, most_parts));
  if (merges) {
    // Round up, so that every thread has a part in the first step.
    int power = 1;
    while (power < parts) power *= 2;
    parts = power;
  }
  return parts;
}

}  // namespace

TransposeOptions choose_transposition(const DeviceTraits& device, const MatrixShape& shape,
                                      std::size_t entry_bytes, const TransposeOptions& requested) {
  TransposeOptions chosen = requested;
  require(chosen.parts >= 0 && chosen.parts <= most_parts && chosen.band_columns >= 0,
          Impl::text("parts and band_columns of a transposition must not be negative (0 means "
                     "automatic), and parts must not exceed {}",
                     most_parts));
  if (chosen.variant == TransposeVariant::automatic)
    chosen.variant = device.gpu ? TransposeVariant::multisplit : TransposeVariant::banded;
  require(has_transpose_variant(chosen.variant, device.gpu),
          std::string("the transposition ") + std::string(to_string(chosen.variant)) +
              " is available only on " + (device.gpu ? "hosts" : "GPUs"));
  if (chosen.parts == 0)
    chosen.parts = choose_parts(device.concurrency, shape, entry_bytes, chosen.variant);
  require(chosen.variant != TransposeVariant::merge_trans || Impl::is_power_of_two(chosen.parts),
          Impl::text("merge_trans merges in pairs: parts must be a power of two, not {}",
                     chosen.parts));
  if (chosen.band_columns == 0) chosen.band_columns = choose_band(shape);
  chosen.band_columns = std::max<Ordinal>(1, std::min(chosen.band_columns, shape.columns));
  return chosen;
}

TransposeSplits plan_transpose_splits(const MatrixShape& shape, int tile_entries) {
  const auto last_column = static_cast<unsigned>(std::max<Ordinal>(shape.columns, 1) - 1);
  auto bits = static_cast<int>(std::bit_width(last_column));
  TransposeSplits plan;
  plan.count = std::max(1, (bits + Impl::split_bits - 1) / Impl::split_bits);
  Offset segments = 1;
  for (int i = 0; i < plan.count; ++i) {
    TransposeSplit& split = plan.splits[static_cast<std::size_t>(i)];
    const int digit = (bits + plan.count - i - 1) / (plan.count - i);
    bits -= digit;
    split.shift = bits;
    // The highest digit of the last column may have fewer values than its bits allow.
    split.buckets = i == 0 ? static_cast<int>(last_column >> bits) + 1 : 1 << digit;
    split.segments = segments;
    const Offset tiles_of_segment = shape.nonzeros / segments / tile_entries + 1;
    split.tiles = static_cast<int>(std::min<Offset>(tiles_of_segment, Impl::split_group_tiles));
    split.groups = shape.nonzeros / (static_cast<Offset>(split.tiles) * tile_entries) + segments;
    require(split.groups <= std::numeric_limits<int>::max() / split.tiles,
            Impl::text("a matrix of {} nonzeros and {} columns is too large for multisplit",
                       shape.nonzeros, shape.columns));
    segments *= split.buckets;
  }
  return plan;
}

}  // namespace Tomokkos
