// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_FormatEstimates.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <algorithm>
#include <cmath>
#include <string>

namespace Tomokkos {

namespace {

/// Pieces of consecutive rows that are built, and about the nonzeros of all of them.
constexpr int pieces = 48;
constexpr double nonzeros_of_pieces = 2e6;
/// Fewest rows of a piece: formats store rows in chunks.
constexpr double least_rows = 16;
/// Stored entries per nonzero of formats whose entries have known bytes: packs are not completely
/// filled. Measured between 1.0 (`packed_csr`) and 1.2 (`pair_blocked`).
constexpr double fill_of_packs = 1.1;

/// Rays of the pairs of one crystal up to which whole crystals are counted, and otherwise the
/// number of pieces of 16 pairs, whose count is accurate to about a tenth.
constexpr std::int64_t most_rays = 50'000;
constexpr int pieces_of_pairs = 256;

/// Range of rows of piece \p k, placed by the golden section, so that pieces do not follow the
/// period of the views.
RowRange rows_of_piece(int k, int pieces, Ordinal length, Ordinal num_rows) {
  const double fraction = std::fmod(0.6180339887498949 * (k + 1), 1.0);
  const double room = static_cast<double>(num_rows) / pieces - length;
  const auto begin =
      static_cast<Ordinal>(k * (static_cast<double>(num_rows) / pieces) + fraction * room);
  return {begin, std::min<Ordinal>(begin + length, num_rows)};
}

/// Number of copies of the matrix that serve the products of a run.
int copies_of(const RunConfig& config) {
  return uses_transpose(config.solver.kind()) && !config.matrix_operator.has_one_copy() &&
                 config.matrix_operator.transpose == TransposeMethod::stored
             ? 2
             : 1;
}

/// Bytes of one copy of \p nonzeros in the format of \p section. \p knows_entries: set if the check
/// of memory includes them.
template <class Scalar>
double stored_bytes(const OperatorWish& section, const MatrixSample& sample, double rows,
                    double nonzeros, bool& knows_entries) {
  knows_entries = true;
  if (section.is(MatrixFormat::csr))
    return (rows + 1) * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  double entry = 0;
  std::string name(to_string(format_of(*section.stored)));
  with_format(*section.stored, [&]<class Format>(const typename Format::Options& options) {
    entry = Format::entry_bytes(options, sizeof(Scalar));
    if constexpr (requires { Format::shape_name(options); })
      if (Format::format == MatrixFormat::bcsr) name += "_" + Format::shape_name(options);
  });
  if (entry > 0) return fill_of_packs * entry * nonzeros;
  knows_entries = false;
  for (const FormatSize& size : sample.sizes)
    if (size.name == name && sample.sampled > 0)
      return static_cast<double>(size.bytes(sizeof(Scalar))) * nonzeros / sample.sampled;
  return 0;
}

/// Bytes of the slices of a stack in memory of the device, as the run checks them before it solves;
/// 0 without a stack.
template <class ExecutionSpace, class Scalar>
double stack_bytes(const RunConfig& config, const RunInput& input, double rows, double columns) {
  if (!input.stack) return 0;
  const Ordinal patterns =
      input.missing_values > 0 ? count_gap_patterns(input.data, input.slices) : 1;
  const auto [device, host] =
      bytes_of_slice_in_stack(system_task(config, input), sizeof(Scalar),
                              {static_cast<Ordinal>(rows), static_cast<Ordinal>(columns)},
                              {num_rows(input.rows), num_cols(input.rows)}, patterns);
  return static_cast<double>(device + (Impl::is_host_space<ExecutionSpace> ? host : 0)) *
         input.slices;
}

}  // namespace

template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RunInput& input) {
  MatrixSample sample;
  if (const auto* const beam = std::get_if<ConeBeamRows>(&input.rows)) {
    // One view has the entries of the first row of blocks.
    const Ordinal elements = beam->circulant_size().block_rows;
    const Ordinal length = std::max<Ordinal>(
        1, std::min<Ordinal>(elements / pieces, 4 * static_cast<Ordinal>(least_rows)));
    double counted = 0, rows = 0;
    for (int k = 0; k < std::min<Ordinal>(pieces, elements); ++k) {
      const RowRange range = rows_of_piece(k, pieces, length, elements);
      counted +=
          static_cast<double>(count_cone_beam_nonzeros(exec, beam->volume, beam->scan, range));
      rows += range.end - range.begin;
    }
    sample.nonzeros = counted / std::max(rows, 1.0) * static_cast<double>(num_rows(input.rows));
    return sample;
  }
  const Ordinal count = num_rows(input.rows);
  const auto* const scanner = std::get_if<ScannerRows>(&input.rows);
  const bool is_large =
      scanner != nullptr && scanner->scanner.num_crystals() * scanner->scanner.rays > most_rays;
  if (is_large) {
    double counted = 0, rows = 0;
    for (int k = 0; k < pieces_of_pairs; ++k) {
      const RowRange range = rows_of_piece(k, pieces_of_pairs, 16, count);
      counted += static_cast<double>(count_nonzeros(exec, input.rows, range));
      rows += range.end - range.begin;
    }
    sample.nonzeros = counted / rows * count;
  } else {
    sample.nonzeros = sampled_nonzeros(exec, input.rows);
  }
  const double mean = std::max(sample.nonzeros / std::max<double>(count, 1), 1e-3);
  const auto length = static_cast<Ordinal>(std::clamp(
      nonzeros_of_pieces / pieces / mean, least_rows, std::max(least_rows, 1.0 * count / pieces)));
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  for (int k = 0; k < pieces; ++k) {
    const RowRange range = rows_of_piece(k, pieces, std::min(length, count / pieces), count);
    if (range.begin >= range.end) continue;
    const auto part = build_rows<ExecutionSpace, float>(exec, input.rows, range);
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
      {static_cast<Ordinal>(offsets.size()) - 1, num_cols(input.rows),
       Kokkos::View<const Offset*, Kokkos::HostSpace, Unmanaged>(offsets.data(), offsets.size()),
       Kokkos::View<const Ordinal*, Kokkos::HostSpace, Unmanaged>(columns.data(), columns.size())});
  return sample;
}

template <class ExecutionSpace, class Scalar>
std::optional<FormatEstimate> estimate_format(const ExecutionSpace& exec, const RunConfig& config,
                                              const RunInput& input, const MatrixSample& sample) {
  const SystemTask task = system_task(config, input);
  const OperatorWish& section = task.wish;
  if (section.is_automatic()) return std::nullopt;
  const double rows = count_kept(input.masks.rows, num_rows(input.rows));
  const double columns = count_kept(input.masks.columns, num_cols(input.rows));
  const double nonzeros =
      sample.nonzeros * (rows / num_rows(input.rows)) * (columns / num_cols(input.rows));
  FormatEstimate result;
  // These bytes are in memory when the run checks the room for a stack.
  double resident = 0;
  if (section.computed()) {
    result.run_bytes =
        estimated_run_bytes<ExecutionSpace, Scalar>(exec, task, MatrixUse::products, 0);
    result.bytes = result.run_bytes -
                   vector_bytes<ExecutionSpace, Scalar>(task, rows, columns, MatrixUse::products);
    resident = result.bytes;
  } else if (const auto* const beam = std::get_if<ConeBeamRows>(&input.rows)) {
    CirculantSize size = beam->circulant_size();
    size.stored = static_cast<Offset>(sample.nonzeros / size.blocks);
    const bool expands = !section.block_circulant();
    const bool halves = !expands && section.values() == StoredPrecision::half;
    const double bytes = static_cast<double>(size.stored) * (halves ? 6.0 : 4.0 + sizeof(Scalar));
    // Other formats of the expanded matrix have no advantage, and their sizes are not sampled.
    if (expands && !section.is(MatrixFormat::csr)) return std::nullopt;
    const double one = expands ? sample.nonzeros * (sizeof(Ordinal) + sizeof(Scalar)) : bytes;
    result.bytes = copies_of(config) * one;
    result.run_bytes = circulant_run_bytes<ExecutionSpace, Scalar>(task, size, MatrixUse::products);
    resident = result.bytes;
  } else if (section.symmetric()) {
    const auto* const scan = std::get_if<ScanRows>(&input.rows);
    const double orbits =
        scan == nullptr ? 0 : static_cast<double>(scan->count_symmetric(input.masks));
    if (orbits == 0) return std::nullopt;
    bool knows_entries = true;
    const double stored = nonzeros * orbits / rows;
    const double one = stored_bytes<Scalar>(section, sample, orbits, stored, knows_entries);
    result.bytes = copies_of(config) * one;
    result.run_bytes = estimated_run_bytes<ExecutionSpace, Scalar>(exec, task, MatrixUse::products,
                                                                   sample.nonzeros);
    resident = result.bytes;
  } else {
    bool knows_entries = true;
    const double one = stored_bytes<Scalar>(section, sample, rows, nonzeros, knows_entries);
    if (one == 0) return std::nullopt;
    result.bytes = copies_of(config) * one;
    const MatrixUse use = builds_tiles_directly(task) ? MatrixUse::tiles : MatrixUse::products;
    resident = result.bytes;
    // A matrix and its transpose are converted one after the other, while A in CSR exists.
    const double csr = (rows + 1) * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
    result.run_bytes =
        std::max({estimated_run_bytes<ExecutionSpace, Scalar>(exec, task, use, sample.nonzeros),
                  knows_entries ? 0.0 : csr + result.bytes,
                  knows_entries ? 0.0 : copies_of(config) * csr + one,
                  resident + vector_bytes<ExecutionSpace, Scalar>(task, rows, columns, use)});
  }
  result.run_bytes = std::max(result.run_bytes, resident + stack_bytes<ExecutionSpace, Scalar>(
                                                               config, input, rows, columns));
  return result;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace) \
  template MatrixSample sample_matrix<ExecutionSpace>(const ExecutionSpace&, const RunInput&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                              \
  template std::optional<FormatEstimate> estimate_format<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const RunConfig&, const RunInput&, const MatrixSample&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
