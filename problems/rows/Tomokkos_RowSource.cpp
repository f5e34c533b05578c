// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>
#include <utility>

namespace Tomokkos {

namespace {

/// Sources whose nonzeros can be counted without building the rows.
template <class Rows, class ExecutionSpace>
concept CountableRows = requires(const Rows& rows, const ExecutionSpace& exec) {
  rows.row_offsets(exec, all_rows);
};

}  // namespace

std::string ScanRows::describe() const {
  const char* const beam = scan.beam == Beam::parallel ? "parallel beam"
                           : scan.detector_shape == DetectorShape::curved
                               ? "fan beam, curved detector"
                               : "fan beam";
  std::string text =
      scan.has_vectors()
          ? Impl::formatted("scan: %s by vectors, %d views x %d detectors", beam,
                            scan.views.count(), scan.detectors)
          : Impl::formatted("scan: %s, %d detectors, %s%s, rotation centre %.2f", beam,
                            scan.detectors, describe_angles(scan.views).c_str(),
                            scan.views.is_evenly_spaced() ? "" : " (listed)", scan.center_index());
  if (!volume.is_centered())
    text += Impl::formatted(", image around (%.6g, %.6g)", volume.center_x, volume.center_y);
  return text;
}

double ScanRows::expected_nonzeros() const {
  // On average a ray through the whole image crosses 4 / pi of its lines, and intersects as many
  // pixels.
  const double side = 0.5 * (static_cast<double>(volume.rows) + volume.columns);
  const double length = 0.5 * (volume.rows * volume.pixel_height() + volume.columns * volume.pixel);
  const double neighbours = projector == Projector::line ? 1.27 : 1.8;
  const double width = scan.has_vectors() ? least_ray_spacing(volume, scan) : scan.detector_width;
  const double seen = std::min(1.0, 1.27 * length / (scan.detectors * width));
  return static_cast<double>(num_rows()) * neighbours * side * seen;
}

double ScanRows::most_nonzeros() const {
  const auto rays = static_cast<double>(num_rows());
  // There is no better bound for strips.
  if (projector == Projector::strip) return rays * static_cast<double>(num_cols());
  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour.
  return rays * 2.0 * (static_cast<double>(volume.rows) + volume.columns);
}

std::size_t ScanRows::count_symmetric(const MatrixMasks& masks) const {
  if (volume.rows != volume.columns) return 0;
  try {
    require_symmetric_pixels(volume.rows, masks.columns);
    return kept_orbits(find_ray_orbits(volume, scan), masks.rows).stored.size();
  } catch (const Error&) {
    return 0;
  }
}

std::string FileRows::describe() const {
  if (lie.views == 0) return "scan: matrix from a file";
  return "scan: " + std::to_string(lie.views) + " views x " + std::to_string(lie.detectors) +
         " detectors, matrix from a file";
}

template <class Scalar>
std::pair<HostCsrMatrix<Scalar>, CirculantSize> CirculantFileRows::read() const {
  const HostCsrMatrix<Scalar> row = read_matrix<Scalar>(file);
  if (row.num_cols % blocks != 0)
    throw InputError(file.string() + ": the row of blocks has " + std::to_string(row.num_cols) +
                     " columns, which are not divisible by " + std::to_string(blocks) +
                     " blocks (problem.blocks)");
  const CirculantSize size{row.num_rows, row.num_cols / blocks, blocks, row.num_nonzeros()};
  try {
    check_circulant_shape(size.block_rows, size.block_cols, blocks);
  } catch (const Error& error) {
    throw InputError(file.string() + ": " + error.what());
  }
  return {row, size};
}

#define TOMOKKOS_INSTANTIATE(SCALAR) \
  template std::pair<HostCsrMatrix<SCALAR>, CirculantSize> CirculantFileRows::read<SCALAR>() const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

std::vector<Ordinal> data_shape(const RowSource& source, Ordinal rows) {
  const MatrixGrids grids = grids_of(source);
  if (grids.crystals > 0) return {grids.crystals, grids.crystals};
  if (grids.views > 0) return {grids.views, grids.detectors};
  if (const auto* beam = std::get_if<ConeBeamRows>(&source))
    return {beam->scan.detectors[1], beam->scan.detectors[0], beam->scan.views};
  if (const auto* file = std::get_if<CirculantFileRows>(&source))
    return {rows / file->blocks, file->blocks};
  return {rows};
}

bool is_measured(const RowSource& source, Ordinal row) {
  const Ordinal crystals = grids_of(source).crystals;
  return crystals == 0 || row / crystals < row % crystals;
}

template <class ExecutionSpace>
OffsetsOn<ExecutionSpace> row_offsets(const ExecutionSpace& exec, const RowSource& source,
                                      RowRange range) {
  return std::visit(
      [&](const auto& rows) -> OffsetsOn<ExecutionSpace> {
        if constexpr (CountableRows<std::decay_t<decltype(rows)>, ExecutionSpace>)
          return rows.row_offsets(exec, range);
        else
          return rows.template build<ExecutionSpace, float>(exec, range).row_offsets;
      },
      source);
}

template <class ExecutionSpace>
Offset count_nonzeros(const ExecutionSpace& exec, const RowSource& source, RowRange range) {
  const auto offsets = row_offsets(exec, source, range);
  return Impl::read_entry(exec, offsets, offsets.extent(0) - 1,
                          "count_nonzeros: the number has arrived");
}

template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> build_rows(const ExecutionSpace& exec, const RowSource& source,
                                            RowRange range) {
  return std::visit(
      [&](const auto& rows) { return rows.template build<ExecutionSpace, Scalar>(exec, range); },
      source);
}

template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> build_ordered_rows(
    const ExecutionSpace& exec, const RowSource& source,
    const OffsetsOn<ExecutionSpace>& natural_offsets, const OrderOn<ExecutionSpace>& order,
    RowRange range) {
  using Matrix = MatrixOn<ExecutionSpace, Scalar>;
  return std::visit(
      [&](const auto& rows) -> Matrix {
        const auto maps = [&](std::int64_t num_rows, std::int64_t num_cols) {
          return std::pair{map_or_identity(exec, order.rows, num_rows),
                           map_or_identity(exec, order.columns, num_cols)};
        };
        constexpr RowTraits traits = std::decay_t<decltype(rows)>::traits;
        if constexpr (traits.in_any_order) {
          // Given offsets save counting the rows again.
          const bool is_counted = traits.counts_first && natural_offsets.extent(0) > 0;
          if (!order.rows && !order.columns && !is_counted)
            return rows.template build<ExecutionSpace, Scalar>(exec, range);
          const auto [row_map, column_map] = maps(rows.num_rows(), rows.num_cols());
          return rows.template build_mapped<ExecutionSpace, Scalar>(exec, row_map, column_map,
                                                                    range, natural_offsets);
        } else {
          const Matrix A = rows.template build<ExecutionSpace, Scalar>(exec, all_rows);
          const auto [row_map, column_map] = maps(A.num_rows, A.num_cols);
          const Matrix mapped = csr_mapped<ExecutionSpace, Scalar>(exec, A, row_map, column_map);
          return range.is_all() ? mapped
                                : csr_row_range<ExecutionSpace, Scalar>(exec, mapped, range);
        }
      },
      source);
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                       \
  template OffsetsOn<SPACE> row_offsets<SPACE>(const SPACE&, const RowSource&, RowRange); \
  template Offset count_nonzeros<SPACE>(const SPACE&, const RowSource&, RowRange);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                  \
  template MatrixOn<SPACE, SCALAR> build_rows<SPACE, SCALAR>(const SPACE&, const RowSource&, \
                                                             RowRange);                      \
  template MatrixOn<SPACE, SCALAR> build_ordered_rows<SPACE, SCALAR>(                        \
      const SPACE&, const RowSource&, const OffsetsOn<SPACE>&, const OrderOn<SPACE>&, RowRange);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
