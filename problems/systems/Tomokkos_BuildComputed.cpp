// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of `operator.format: computed`: no matrix is stored.
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <Tomokkos_TracedOperator.hpp>
#include <cstdint>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <optional>
#include <utility>

namespace Tomokkos {
namespace {

/// Number that depends on the entries of the sampled rows, the rays of all views of a scan, and
/// which rays and pixels the matrix has. What it does not detect: another geometry of a scanner or
/// cone beam that leaves every entry of the sampled rows unchanged.
template <class MemorySpace>
std::uint64_t fingerprint_of(const RowSource& source, const MatrixOrder<MemorySpace>& order,
                             std::uint64_t sampled) {
  ValueHash fingerprint;
  if (const auto* const rows = std::get_if<ScanRows>(&source)) {
    for (Ordinal view = 0; view < rows->scan.views.count(); ++view) {
      const ViewRays rays = rays_of_view(rows->volume, rows->scan, view);
      fingerprint.add(rays.direction.a);
      fingerprint.add(rays.direction.b);
      fingerprint.add(rays.direction.symmetry);
      for (const double number : {rays.center_index, rays.width, rays.source_to_origin,
                                  rays.source_to_detector, rays.source_shift})
        fingerprint.add(number);
    }
    fingerprint.add(rows->volume.pixel);
    fingerprint.add(rows->volume.pixel_height());
    fingerprint.add(static_cast<std::uint64_t>(rows->scan.detector_shape));
  }
  fingerprint.add(sampled);
  for (const auto* map : {&order.rows, &order.columns}) {
    if (!*map) continue;
    const auto to_natural = map_on_host(**map).to_natural;
    for (std::size_t i = 0; i < to_natural.extent(0); ++i) fingerprint.add(to_natural(i));
  }
  return fingerprint.result;
}

}  // namespace

namespace Impl {

/// Some rays are traced to estimate the number of entries; all but those of scans once, to bound
/// the sums of the columns. The rows of a cone beam are in natural order or that of subsets, and
/// have all columns.
template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::computed() -> System {
  observer.matrix_begins("tracing the rays");
  if (share != nullptr) {
    keep_traced_rows();
  } else {
    require_memory_to_build<ExecutionSpace, Scalar>(exec, task, MatrixUse::products);
    // The rows of a cone beam have no grid.
    order = built_order(exec, task, traits_of(task.rows).is_circulant ? num_rows(task.rows) : 0);
    order_by_visits();
  }
  using Map = IndexMap<memory_space>;
  const Map rows = order.rows.value_or(Map()), columns = order.columns.value_or(Map());
  // Reserve the workspace now; otherwise the report would not include it.
  const auto slices = static_cast<int>(task.needs.vectors);
  std::optional<AnyOperator<ExecutionSpace, Scalar>> A;
  std::size_t computed_views = 0;
  const auto keep = [&](const auto& made) {
    made.reserve(exec, slices);
    A.emplace(made);
  };
  if (const auto* const scan = std::get_if<ScanRows>(&task.rows)) {
    auto projection =
        make_computed_projection(exec, scan->volume, scan->scan, scan->projector, rows, columns,
                                 images_fit(task, machine_facts<ExecutionSpace, Scalar>(exec)));
    if (multiplies_by_symmetry<Scalar>(projection, slices))
      computed_views = projection.orbits->views.stored.size();
    else
      projection.orbits.reset();
    keep(ComputedOperator<ExecutionSpace, Scalar>(std::move(projection)));
  } else {
    const auto* const beam = std::get_if<ConeBeamRows>(&task.rows);
    keep(
        beam != nullptr
            ? TracedOperator<ExecutionSpace, Scalar>(make_traced_projection<ExecutionSpace, Scalar>(
                  exec, beam->volume, beam->scan, rows))
            : TracedOperator<ExecutionSpace, Scalar>(make_traced_projection<ExecutionSpace, Scalar>(
                  exec, std::get<ScannerRows>(task.rows).volume,
                  std::get<ScannerRows>(task.rows).scanner, rows, columns)));
  }
  const SampledRows sampled = sample_rows(exec, task.rows, order);
  Description report = describe_map({{"format", StoredPart::nothing},
                                     {"ordering", description_of(task.wish.ordering)},
                                     {"memory_bytes", A->memory_bytes()}});
  if (computed_views > 0) report.set("computed_views", computed_views);
  const char* const how = sampled.statistics.is_estimate
                              ? " of rays, computed in every product; nonzeros estimated"
                              : " of rays, computed in every product";
  built(sampled.statistics, A->memory_bytes(), how,
        [&] { return fingerprint_of(task.rows, order, sampled.fingerprint); });
  return {std::move(*A), sampled.statistics, std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template BuiltSystem<SPACE, SCALAR> SystemBuilder<SPACE, SCALAR>::computed();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Impl
}  // namespace Tomokkos
