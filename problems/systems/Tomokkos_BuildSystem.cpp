// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_PreparedSymmetric.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <utility>

namespace Tomokkos {
namespace {

BuiltMatrix built(const RowStatistics& matrix, std::size_t bytes, std::string how,
                  std::uint64_t fingerprint) {
  return {matrix.rows, matrix.columns, matrix.nonzeros, bytes, std::move(how), fingerprint};
}

/// Rows in CSR, converted to the format of the wish.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_stored_rows(const ExecutionSpace& exec,
                                                      const SystemTask& task,
                                                      const BuildObserver& observer) {
  observer.matrix_begins("building the matrix");
  auto ordered = make_ordered_matrix<ExecutionSpace, Scalar>(exec, task);
  if (task.needs.blocks) number_rows_by_visit(exec, task.visits, task.masks.rows, ordered);
  const auto& A = ordered.A;
  observer.matrix_built(
      {A.num_rows,
       A.num_cols,
       A.num_nonzeros(),
       A.memory_bytes(),
       {},
       observer.wants_fingerprint ? csr_fingerprint<ExecutionSpace, Scalar>(exec, A) : 0});
  observer.operator_begins(static_cast<double>(A.num_nonzeros()));
  MatrixGrids grids = grids_of(task.rows);
  // The rays that a mask keeps do not form a grid.
  if (!task.masks.rows.empty()) grids.views = grids.detectors = 0;
  return {prepare_operator<ExecutionSpace, Scalar>(exec, task, A, grids), std::move(ordered.order)};
}

/// Ray tiles without a CSR of the whole matrix. The time of building and converting counts as that
/// of the matrix.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_tiles_directly(const ExecutionSpace& exec,
                                                         const SystemTask& task,
                                                         const BuildObserver& observer) {
  observer.matrix_begins("building the matrix in ray tiles");
  auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(exec, task, observer.wants_fingerprint);
  const RowStatistics& matrix = tiles.statistics;
  observer.matrix_built(
      built(matrix, tiles.made.A.memory_bytes(), " in ray tiles", tiles.fingerprint));
  observer.operator_begins(0);
  auto prepared =
      prepare_built_operator<ExecutionSpace, Scalar>(exec, task, std::move(tiles.made), matrix);
  Description blocks = Description::map(true);
  blocks.set("blocks", tiles.blocks);
  blocks.set("kept", tiles.kept);
  prepared.report.set("built", std::move(blocks));
  return {std::move(prepared), std::move(tiles.order)};
}

/// A block-circulant matrix without expanding it.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_block_row(const ExecutionSpace& exec,
                                                    const SystemTask& task,
                                                    const BuildObserver& observer) {
  observer.matrix_begins("building the row of blocks");
  auto system = make_circulant_system<ExecutionSpace, Scalar>(exec, task);
  auto& A = system.A;
  auto part = select_circulant(exec, task, system, all_rows.resolved(A.block_rows), A.block_rows);
  observer.matrix_built(built(
      part.statistics, A.memory_bytes(), " as a row of " + std::to_string(A.blocks) + " blocks",
      observer.wants_fingerprint
          ? with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec, positions_as_csr(A)),
                       task.masks)
          : 0));
  observer.operator_begins(static_cast<double>(A.num_stored()));
  BuiltSystem<ExecutionSpace, Scalar> result{
      prepare_circulant_operator<ExecutionSpace, Scalar>(exec, task, std::move(A), part),
      std::move(part.order)};
  if (part.selection.subsets > 1) {
    result.subsets = part.all_subsets;
    result.subset_begins = std::move(part.subset_begins);
  }
  return result;
}

/// A symmetric scan, of which only the stored rays are traced.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_orbits(const ExecutionSpace& exec, const SystemTask& task,
                                                 const BuildObserver& observer) {
  observer.matrix_begins("building the stored rays of the matrix");
  auto A = make_symmetric_system<ExecutionSpace, Scalar>(exec, task);
  auto order = built_order(exec, task);
  if (task.needs.blocks)
    number_rays_by_visit(exec, task.visits, task.masks.rows, A.symmetry, order);
  const RowStatistics matrix = expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  observer.matrix_built(built(
      matrix, A.memory_bytes(), " as " + std::to_string(A.symmetry.num_stored) + " stored rays",
      observer.wants_fingerprint
          ? with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec, A.stored), task.masks)
          : 0));
  observer.operator_begins(static_cast<double>(A.stored.num_nonzeros()));
  return {prepare_symmetric_operator<ExecutionSpace, Scalar>(exec, task, A, matrix),
          std::move(order)};
}

/// Products whose entries are computed. Some rays are traced to estimate the number of entries; all
/// but those of scans once, to bound the sums of the columns.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_nothing(const ExecutionSpace& exec,
                                                  const SystemTask& task,
                                                  const BuildObserver& observer) {
  observer.matrix_begins("tracing the rays");
  require_memory_to_build<ExecutionSpace, Scalar>(exec, task, MatrixUse::products);
  // The rows of a cone beam have no grid.
  auto order = traits_of(task.rows).is_circulant ? file_order(exec, task, num_rows(task.rows))
                                                 : built_order(exec, task);
  if (task.needs.blocks) set_visit_order(exec, task.visits, task.masks.rows, order);
  std::uint64_t fingerprint = 0;
  auto prepared = prepare_computed_operator<ExecutionSpace, Scalar>(
      exec, task, order, observer.wants_fingerprint ? &fingerprint : nullptr);
  const char* const how = prepared.statistics.is_estimate
                              ? " of rays, computed in every product; nonzeros estimated"
                              : " of rays, computed in every product";
  observer.matrix_built(built(prepared.statistics, prepared.A.memory_bytes(), how, fingerprint));
  return {std::move(prepared), std::move(order)};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_system(const ExecutionSpace& exec, const SystemTask& task,
                                                 const BuildObserver& observer) {
  if (builds_tiles_directly(task))
    return build_tiles_directly<ExecutionSpace, Scalar>(exec, task, observer);
  switch (task.wish.part) {
    case StoredPart::block_row:
      return build_block_row<ExecutionSpace, Scalar>(exec, task, observer);
    case StoredPart::orbits:
      return build_orbits<ExecutionSpace, Scalar>(exec, task, observer);
    case StoredPart::nothing:
      return build_nothing<ExecutionSpace, Scalar>(exec, task, observer);
    case StoredPart::entries:
      break;
  }
  return build_stored_rows<ExecutionSpace, Scalar>(exec, task, observer);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template BuiltSystem<SPACE, SCALAR> build_system<SPACE, SCALAR>(const SPACE&, const SystemTask&, \
                                                                  const BuildObserver&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
