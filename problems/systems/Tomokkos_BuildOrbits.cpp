// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of `operator.format: scsr`: one ray of each orbit is stored.
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SymmetricTranspose.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <algorithm>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <numeric>
#include <utility>

namespace Tomokkos {
namespace {

/// Rank of each orbit of a scan. The orbits whose stored rays belong to one view are cut into
/// contiguous parts by the lengths of these rays, so that each rank has rays in every view.
std::vector<int> ranks_of_orbits(const RayOrbits& orbits, Ordinal detectors,
                                 const Impl::RowShare& share) {
  std::vector<std::size_t> sorted(orbits.stored.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(),
            [&](std::size_t a, std::size_t b) { return orbits.stored[a] < orbits.stored[b]; });
  std::vector<int> result(sorted.size());
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    const Ordinal view = orbits.stored[sorted[begin]] / detectors;
    while (end < sorted.size() && orbits.stored[sorted[end]] / detectors == view) ++end;
    const Kokkos::View<Offset*, Kokkos::HostSpace> lengths("Tomokkos::ranks_of_orbits::lengths",
                                                           end - begin + 1);
    for (std::size_t i = 0; i < end - begin; ++i) {
      const Ordinal ray = orbits.stored[sorted[begin + i]];
      lengths(i + 1) = lengths(i) + share.unit_offsets(ray + 1) - share.unit_offsets(ray);
    }
    const std::vector<Ordinal> begins = partition_rows(lengths, all_rows, share.weights);
    for (std::size_t r = 0; r < share.weights.size(); ++r)
      for (Ordinal i = begins[r]; i < begins[r + 1]; ++i)
        result[sorted[begin + static_cast<std::size_t>(i)]] = static_cast<int>(r);
  }
  return result;
}

/// True if the transpose of the stored rays is to be kept in SELL.
template <class ExecutionSpace>
bool transposes_by_sell(const SystemTask& task) {
  const OperatorWish& wish = task.wish;
  if (wish.transpose_format) return wish.transpose_format == MatrixFormat::sell;
  return !Impl::is_host_space<ExecutionSpace> && wish.is(MatrixFormat::csr) &&
         wish.transpose == TransposeMethod::stored &&
         wish.transpose_variant == SpmvVariant::automatic && task.needs.transpose &&
         !task.needs.has_ranges() && !task.needs.blocks;
}

/// Transpose of \p E in SELL. Empty if CSR is to be used, also if SELL was not requested and does
/// not fit, because CSR needs less.
template <class ExecutionSpace, class Scalar>
std::optional<AnyOperator<ExecutionSpace, Scalar>> transpose_in_sell(
    const ExecutionSpace& exec, const SystemTask& task, const MatrixOn<ExecutionSpace, Scalar>& E) {
  if (!transposes_by_sell<ExecutionSpace>(task)) return {};
  try {
    return make_symmetric_transpose<ExecutionSpace, Scalar>(exec, E,
                                                            {.variant = task.wish.transposition});
  } catch (const Refused& error) {
    if (!task.wish.transpose_format) return {};
    throw ConfigError(std::string("operator.transpose_format: sell: ") + error.what());
  } catch (const MemoryError&) {
    if (task.wish.transpose_format) throw;
    return {};
  }
}

/// True if `automatic` adds the rays of a range directly instead of by a stored transpose, whose
/// rows hold few entries of thin ranges. Measured on an H200 with 512 x 512 pixels and 720 views:
/// all ranges of one view 37 ms directly, 122 ms with a stored transpose; 20 ranges 6.8 and 6.3 ms.
bool has_thin_ranges(const SystemTask& task, Ordinal rays) {
  return task.wish.transpose == TransposeMethod::automatic && !task.needs.deterministic &&
         task.needs.num_ranges(rays) >= very_many_ranges;
}

/// Operator with the stored rays of \p A in `stored_format`. The report contains their number and
/// the ratio of the bytes of the whole matrix in CSR to one copy of them.
///
/// \param statistics statistics of the whole matrix
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> prepare_symmetric_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics& statistics) {
  const Ordinal vectors = task.needs.vectors;
  MatrixNumbers numbers;
  numbers.pixels = A.num_cols();
  numbers.stored_rays = A.symmetry.num_stored;
  const MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
  Impl::require_memory(
      Impl::whole_bytes(bytes_of_products(task, task.wish, machine, numbers) * vectors),
      "operator.format: scsr: the images of " + std::to_string(vectors) +
          " slices under the symmetries of the square need",
      machine.device_free, "select fewer slices");
  const auto transposed = transpose_in_sell<ExecutionSpace, Scalar>(exec, task, A.stored);
  const bool by_sell = transposed.has_value();
  SystemTask of_stored = task;
  of_stored.needs.vectors = static_cast<Ordinal>(num_square_symmetries) * vectors;
  // This method keeps no copy.
  if (by_sell || has_thin_ranges(task, A.num_rows()))
    of_stored.wish.transpose = TransposeMethod::atomic;
  const auto stored = prepare_operator<ExecutionSpace, Scalar>(exec, of_stored, A.stored);
  const SymmetricOperator<ExecutionSpace, Scalar> made(A.symmetry, stored.A, transposed);
  // Reserve the scratch now; otherwise the report would not include it.
  made.reserve(exec, static_cast<int>(vectors));
  BuiltSystem<ExecutionSpace, Scalar> result{AnyOperator<ExecutionSpace, Scalar>(made), statistics,
                                             Description::map()};
  Description& report = result.report;
  report.set("format", "scsr");
  for (std::size_t i = 0; i < stored.report.items().size(); ++i) {
    const std::string& name = stored.report.names()[i];
    report.set(name == "format" ? "stored_format" : name, stored.report.items()[i]);
  }
  if (by_sell) {
    report.set("transpose", TransposeMethod::stored);
    report.set("transpose_format", MatrixFormat::sell);
  }
  const auto bytes = static_cast<double>(A.memory_bytes());
  report.set("stored_rays", A.symmetry.num_stored);
  report.set("stored_nonzeros", A.stored.num_nonzeros());
  report.set("stored_bytes", A.memory_bytes());
  report.set("compression", static_cast<double>(result.csr_bytes()) / bytes);
  report.set("memory_bytes", made.memory_bytes());
  return result;
}

}  // namespace

namespace Impl {

/// Cuts the orbits of the rays: no stored ray is on two ranks. Returns the rays of this rank.
template <class ExecutionSpace, class Scalar>
std::vector<char> SystemBuilder<ExecutionSpace, Scalar>::mask_of_rank() {
  const auto& rays = std::get<ScanRows>(task.rows);
  const std::vector<char>& mask = task.masks.rows;
  std::vector<char> own(share->unit_offsets.extent(0) - 1, 0);
  const RayOrbits orbits =
      as_choice("operator.format: scsr", [&] { return find_ray_orbits(rays.volume, rays.scan); });
  const std::vector<int> rank = ranks_of_orbits(orbits, rays.scan.detectors, *share);
  for (std::size_t ray = 0; ray < own.size(); ++ray) {
    const auto orbit = static_cast<std::size_t>(orbits.slots[ray]) / num_square_symmetries;
    const bool kept = mask.empty() || mask[ray] != 0;
    own[ray] = kept && rank[orbit] == share->rank ? 1 : 0;
  }
  // All rays of the run in the order of the solver, to find those of this rank in each subset.
  std::vector<Ordinal> all(own.size());
  std::iota(all.begin(), all.end(), 0);
  if (task.needs.blocks && !task.visits.empty()) all = task.visits;
  all = kept_of(std::move(all), mask);
  const RowSubsets& divided = divide_rows(static_cast<Ordinal>(all.size()));
  Ordinal before = 0;
  for (int i = 0; i < divided.count(); ++i) {
    subset_begins.push_back(before);
    const RowRange rows = divided[i].resolved(static_cast<Ordinal>(all.size()));
    for (Ordinal p = rows.begin; p < rows.end; ++p)
      before += own[static_cast<std::size_t>(all[static_cast<std::size_t>(p)])];
  }
  return own;
}

template <class ExecutionSpace, class Scalar>
auto SystemBuilder<ExecutionSpace, Scalar>::orbits() -> System {
  observer.matrix_begins("building the stored rays of the matrix");
  SystemTask own = task;
  if (share != nullptr) own.masks.rows = mask_of_rank();
  require_memory_to_build<ExecutionSpace, Scalar>(exec, own, MatrixUse::products);
  const auto& rays = std::get<ScanRows>(task.rows);
  auto A = as_choice("operator.format: scsr", [&] {
    return build_symmetric_projection<ExecutionSpace, Scalar>(
        exec, rays.volume, rays.scan, rays.projector, own.masks.rows, own.masks.columns);
  });
  order = built_order(exec, own);
  if (task.needs.blocks) number_rays_by_visit(exec, task.visits, own.masks.rows, A.symmetry, order);
  const RowStatistics matrix = expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  built(matrix, A.memory_bytes(), " as " + std::to_string(A.symmetry.num_stored) + " stored rays",
        [&] {
          return with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec, A.stored), task.masks);
        });
  observer.operator_begins(static_cast<double>(A.stored.num_nonzeros()));
  return prepare_symmetric_operator<ExecutionSpace, Scalar>(exec, task, A, matrix);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template BuiltSystem<SPACE, SCALAR> SystemBuilder<SPACE, SCALAR>::orbits();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Impl
}  // namespace Tomokkos
