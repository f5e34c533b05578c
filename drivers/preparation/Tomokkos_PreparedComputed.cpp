// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_computed_operator(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, std::uint64_t* fingerprint) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& rays = std::get<ScanRows>(input.rows);
  const ComputedOperator<ExecutionSpace, Scalar> made(make_computed_projection(
      exec, rays.volume, rays.scan, rays.projector, order.rows.value_or(IndexMap<MemorySpace>()),
      order.columns.value_or(IndexMap<MemorySpace>())));
  // Reserve the workspace now; otherwise the report would not include it.
  made.reserve(exec, static_cast<int>(input.slices));
  const auto offsets = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace(), computed_row_offsets(exec, made.projection()));
  const RowStatistics statistics = row_statistics_of(offsets, made.num_cols());
  if (fingerprint != nullptr) {
    *fingerprint = 0xcbf29ce484222325ULL;
    for (std::size_t i = 0; i < offsets.extent(0); ++i)
      *fingerprint = (*fingerprint ^ static_cast<std::uint64_t>(offsets(i))) * 0x100000001b3ULL;
  }
  const std::size_t csr_bytes = system_matrix_bytes<Scalar>(statistics.rows, statistics.nonzeros);
  Description report = Description::map();
  report.set("format", StoredPart::nothing);
  report.set("ordering", description_of(ordering_node(config.matrix_operator.ordering)));
  report.set("memory_bytes", made.memory_bytes());
  return {AnyOperator<ExecutionSpace, Scalar>(made), statistics, csr_bytes, std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PreparedOperator<SPACE, SCALAR> prepare_computed_operator<SPACE, SCALAR>(            \
      const SPACE&, const RunConfig&, const RunInput&, const MatrixOrder<SPACE::memory_space>&, \
      std::uint64_t*);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
