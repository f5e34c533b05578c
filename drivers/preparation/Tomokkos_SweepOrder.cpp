// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SweepOrder.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <algorithm>
#include <numeric>

namespace Tomokkos {

namespace {

/// Default number of rows of a block for a matrix without views.
constexpr Ordinal usual_block_rows = 64;

}  // namespace

void check_sweep(const ConfigReader& solver, const ProblemSection& problem,
                 const SweepConfig& sweep) {
  for (const std::string_view key : {"order", "within_view"}) {
    const bool is_natural = key == "order" ? sweep.order == ViewOrder::sequential
                                           : sweep.within_view == WithinView::sequential;
    if (is_natural) continue;
    if (!problem.traits().has_views)
      solver.fail(key,
                  "applies only to a parallel or fan beam, whose views it orders; allowed here: "
                  "sequential");
    if (problem.has_unknown_rows())
      solver.fail(key,
                  "orders views; for a matrix from a file give their arrangement as "
                  "problem.geometry.views and detectors");
  }
  if (sweep.within_view == WithinView::strided && !sweep.stride && problem.traits().is_read)
    solver.fail("within_view",
                "strided needs solver.stride for a matrix from a file, because the distance "
                "between its rays is not known");
}

Description SweepOrder::report(const SolverSection& solver) const {
  Description result = Description::map(true);
  result.set("order", solver.sweep.order);
  result.set("within_view", solver.sweep.within_view);
  if (solver.sweep.within_view == WithinView::strided) result.set("stride", stride);
  if (solver.kind() == SolverKind::block_art) result.set("block_rows", block_rows);
  return result;
}

SweepOrder make_sweep_order(const RunConfig& config, const RunInput& input) {
  const SweepConfig& sweep = config.solver.sweep;
  const bool has_views = traits_of(input.rows).has_views && input.views > 0;
  SweepOrder result;
  result.block_rows = sweep.block_rows.value_or(has_views ? input.detectors : usual_block_rows);
  if (sweep.is_sequential()) return result;
  if (!has_views)
    throw ConfigError(
        "solver.order: needs views, as does solver.within_view; the views of this matrix are not "
        "known");
  if (const auto* rays = std::get_if<ScanRows>(&input.rows);
      sweep.within_view == WithinView::strided)
    result.stride =
        sweep.stride ? *sweep.stride
                     : independent_stride(rays->projector,
                                          std::max(rays->volume.pixel, rays->volume.pixel_height()),
                                          least_ray_spacing(rays->volume, rays->scan));
  result.rows = row_visits(input.views, input.detectors, sweep.order, sweep.within_view,
                           result.stride, sweep.seed);
  return result;
}

template <class ExecutionSpace>
void set_visit_order(const ExecutionSpace& exec, const SweepOrder& sweep,
                     const std::vector<char>& mask,
                     MatrixOrder<typename ExecutionSpace::memory_space>& order) {
  if (sweep.rows.empty()) return;
  order.rows =
      make_index_map(exec, static_cast<Ordinal>(sweep.rows.size()), kept_of(sweep.rows, mask));
}

template <class ExecutionSpace, class Scalar>
void number_rows_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          OrderedMatrix<ExecutionSpace, Scalar>& matrix) {
  if (sweep.rows.empty()) return;
  auto& [A, order] = matrix;
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::require_memory(A.memory_bytes(), "the matrix in the order of the visits needs");
  set_visit_order(exec, sweep, mask, order);
  const std::vector<Ordinal> kept = kept_of(sweep.rows, mask);
  A = csr_mapped<ExecutionSpace, Scalar>(
      exec, A, make_index_map(exec, A.num_rows, positions_among_kept(kept, mask)),
      identity_map(exec, A.num_cols));
}

template <class ExecutionSpace>
void number_rays_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                          MatrixOrder<typename ExecutionSpace::memory_space>& order) {
  if (sweep.rows.empty()) return;
  set_visit_order(exec, sweep, mask, order);
  symmetry = rays_in_order(exec, symmetry, positions_among_kept(kept_of(sweep.rows, mask), mask));
}

template <class ExecutionSpace>
Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space> rows_by_visit(
    const ExecutionSpace& exec, const SweepOrder& sweep,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const bool all = !order.rows || order.rows->is_permutation();
  if (sweep.rows.empty() && all)
    return order.rows ? order.rows->from_natural : Kokkos::View<const Ordinal*, MemorySpace>();
  std::vector<Ordinal> rows = sweep.rows;
  if (order.rows) {
    const auto from_natural =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.rows->from_natural);
    if (rows.empty()) {
      rows.resize(from_natural.extent(0));
      std::iota(rows.begin(), rows.end(), 0);
    }
    for (Ordinal& row : rows) row = from_natural(row);
    rows.erase(std::remove(rows.begin(), rows.end(), not_mapped), rows.end());
  }
  const auto result =
      allocate<Vector<Ordinal, MemorySpace>>(exec, "Tomokkos::SweepOrder::rows", rows.size());
  Kokkos::deep_copy(exec, result,
                    VectorView<const Ordinal, Kokkos::HostSpace>(rows.data(), rows.size()));
  exec.fence();
  return result;
}

#define TOMOKKOS_INSTANTIATE(SPACE)                                                               \
  template void set_visit_order<SPACE>(const SPACE&, const SweepOrder&, const std::vector<char>&, \
                                       MatrixOrder<typename SPACE::memory_space>&);               \
  template void number_rays_by_visit<SPACE>(                                                      \
      const SPACE&, const SweepOrder&, const std::vector<char>&,                                  \
      RaySymmetry<typename SPACE::memory_space>&, MatrixOrder<typename SPACE::memory_space>&);    \
  template Kokkos::View<const Ordinal*, typename SPACE::memory_space> rows_by_visit<SPACE>(       \
      const SPACE&, const SweepOrder&, const MatrixOrder<typename SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)          \
  template void number_rows_by_visit<SPACE, SCALAR>( \
      const SPACE&, const SweepOrder&, const std::vector<char>&, OrderedMatrix<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
