// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <cstdint>
#include <cstring>

namespace Tomokkos {
namespace {

/// Number that depends on the directions of the views, the lengths of the rows, and which rays and
/// pixels they have.
template <class MemorySpace>
std::uint64_t fingerprint_of(const ComputedProjection<MemorySpace>& A,
                             const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets) {
  std::uint64_t result = 0xcbf29ce484222325ULL;
  const auto add = [&](auto value) {
    std::uint64_t bits = 0;
    static_assert(sizeof value <= sizeof bits);
    std::memcpy(&bits, &value, sizeof value);
    result = (result ^ bits) * 0x100000001b3ULL;
  };
  for (Ordinal view = 0; view < A.scan.views.count(); ++view) {
    const ViewDirection direction = A.scan.views.direction(view);
    add(direction.a);
    add(direction.b);
    add(direction.symmetry);
  }
  for (std::size_t i = 0; i < offsets.extent(0); ++i) add(offsets(i));
  for (const auto& map : {map_on_host(A.rays), map_on_host(A.pixels)})
    for (std::size_t i = 0; i < map.to_natural.extent(0); ++i) add(map.to_natural(i));
  return result;
}

}  // namespace

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
  if (fingerprint != nullptr) *fingerprint = fingerprint_of(made.projection(), offsets);
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
