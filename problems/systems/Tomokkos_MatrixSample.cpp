// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <algorithm>
#include <cmath>
#include <vector>

namespace Tomokkos {
namespace {

/// Pieces of consecutive rows that are built, and about the nonzeros of all of them.
constexpr int pieces = 48;
constexpr double nonzeros_of_pieces = 2e6;
/// Fewest rows of a piece: formats store rows in chunks.
constexpr double least_rows = 16;

/// Range of rows of piece \p k, placed by the golden section, so that pieces do not follow the
/// period of the views.
RowRange rows_of_piece(int k, Ordinal length, Ordinal num_rows) {
  const double fraction = std::fmod(0.6180339887498949 * (k + 1), 1.0);
  const double room = static_cast<double>(num_rows) / pieces - length;
  const auto begin =
      static_cast<Ordinal>(k * (static_cast<double>(num_rows) / pieces) + fraction * room);
  return {begin, std::min<Ordinal>(begin + length, num_rows)};
}

}  // namespace

template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RowSource& source, bool with_sizes) {
  MatrixSample sample;
  if (const auto* const beam = std::get_if<ConeBeamRows>(&source)) {
    // One view has the entries of the first row of blocks.
    const Ordinal elements = beam->circulant_size().block_rows;
    const Ordinal length = std::max<Ordinal>(
        1, std::min<Ordinal>(elements / pieces, 4 * static_cast<Ordinal>(least_rows)));
    double counted = 0, rows = 0;
    for (int k = 0; k < std::min<Ordinal>(pieces, elements); ++k) {
      const RowRange range = rows_of_piece(k, length, elements);
      counted +=
          static_cast<double>(count_cone_beam_nonzeros(exec, beam->volume, beam->scan, range));
      rows += range.end - range.begin;
    }
    sample.nonzeros = counted / std::max(rows, 1.0) * static_cast<double>(num_rows(source));
    return sample;
  }
  const Ordinal count = num_rows(source);
  sample.nonzeros = sampled_nonzeros(exec, source);
  if (!with_sizes) return sample;
  const double mean = std::max(sample.nonzeros / std::max<double>(count, 1), 1e-3);
  const auto length = static_cast<Ordinal>(std::clamp(
      nonzeros_of_pieces / pieces / mean, least_rows, std::max(least_rows, 1.0 * count / pieces)));
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  for (int k = 0; k < pieces; ++k) {
    const RowRange range = rows_of_piece(k, std::min(length, count / pieces), count);
    if (range.begin >= range.end) continue;
    const auto part = build_rows<ExecutionSpace, float>(exec, source, range);
    const auto part_offsets =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.row_offsets);
    const auto part_columns =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), part.columns);
    for (std::size_t row = 1; row < part_offsets.extent(0); ++row)
      offsets.push_back(static_cast<Offset>(columns.size()) + part_offsets(row));
    columns.insert(columns.end(), part_columns.data(),
                   part_columns.data() + part_columns.extent(0));
  }
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  sample.sampled = static_cast<double>(columns.size());
  sample.sizes = format_sizes(
      {static_cast<Ordinal>(offsets.size()) - 1, num_cols(source),
       Kokkos::View<const Offset*, Kokkos::HostSpace, Unmanaged>(offsets.data(), offsets.size()),
       Kokkos::View<const Ordinal*, Kokkos::HostSpace, Unmanaged>(columns.data(), columns.size())});
  return sample;
}

#define TOMOKKOS_INSTANTIATE(SPACE) \
  template MatrixSample sample_matrix<SPACE>(const SPACE&, const RowSource&, bool);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
