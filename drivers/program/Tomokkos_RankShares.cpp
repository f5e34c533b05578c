// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of one rank in a reconstruction: their choice, and their operator.
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_PreparedRows.hpp>
#include <Tomokkos_PreparedSymmetric.hpp>
#include <Tomokkos_RankMatrixFile.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <algorithm>
#include <numeric>
#include <optional>

namespace Tomokkos {
namespace {

/// Rank of each orbit of a scan. The orbits whose stored rays belong to one view are cut into
/// contiguous parts by the lengths of these rays, so that each rank has rays in every view.
std::vector<int> ranks_of_orbits(const RayOrbits& orbits, Ordinal detectors,
                                 const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets,
                                 const std::vector<double>& weights) {
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
      lengths(i + 1) = lengths(i) + offsets(ray + 1) - offsets(ray);
    }
    const std::vector<Ordinal> begins = partition_rows(lengths, all_rows, weights);
    for (std::size_t r = 0; r < weights.size(); ++r)
      for (Ordinal i = begins[r]; i < begins[r + 1]; ++i)
        result[sorted[begin + static_cast<std::size_t>(i)]] = static_cast<int>(r);
  }
  return result;
}

}  // namespace

/// Divides \p all rows, in the order of the run, into ordered subsets or blocks.
template <class ExecutionSpace, class Scalar>
const RowSubsets& Reconstruction<ExecutionSpace, Scalar>::divide_rows(Ordinal all) {
  if (task_.needs.blocks) {
    const Ordinal unit = sweep_.block_rows;
    all_subsets_.emplace(all, std::max(1, (all - 1) / unit + 1), unit);
  } else {
    const auto [unit, begins] = subsets_of(task_);
    all_subsets_.emplace(all, task_.needs.subsets, unit, begins);
  }
  return *all_subsets_;
}

/// Cuts all rows, in the order of the run, into the shares of the ranks, subset by subset.
template <class ExecutionSpace, class Scalar>
RankRows Reconstruction<ExecutionSpace, Scalar>::share_of_rank(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets,
    const std::vector<double>& weights) {
  const auto all = static_cast<Ordinal>(offsets.extent(0)) - 1;
  return share_rows(offsets, divide_rows(all), weights, ranks_.rank());
}

/// Builds the operator of this rank and sets `order_` and `rank_rows_`.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_share(
    const std::vector<double>& weights) {
  if (task_.wish.block_circulant()) return prepare_circulant_share(weights);
  if (task_.wish.symmetric()) return prepare_symmetric_share(weights);
  const RowTraits traits = traits_of(input_.rows);
  RowsOptions<ExecutionSpace> options;
  if (checkpoints_.is_used()) options.fingerprint = &rank_fingerprint_;
  CsrMatrix<Scalar, memory_space> A;
  if (!is_geometric(task_.wish.ordering) || traits.is_circulant) {
    A = cut_whole_matrix(weights);
  } else if (traits.is_read) {
    A = read_share(weights);
  } else {
    const auto natural = Kokkos::create_mirror_view_and_copy(memory_space(), unit_offsets_);
    order_ = built_order(exec_, task_);
    order_by_visits();
    rank_rows_ = share_of_rank(
        OrderedRows<ExecutionSpace, Scalar>(exec_, input_.rows, order_, natural).row_offsets(),
        weights);
    order_.rows = restrict_map(exec_, order_.rows, static_cast<Ordinal>(natural.extent(0)) - 1,
                               rank_rows_.ranges);
    if (task_.wish.computed())
      return prepare_computed_operator<ExecutionSpace, Scalar>(exec_, task_, order_,
                                                               options.fingerprint);
    return prepare_rows<ExecutionSpace, Scalar>(exec_, task_, order_, natural, options);
  }
  return prepare_csr_rows<ExecutionSpace, Scalar>(exec_, task_, A, input_.slices, options);
}

/// Puts rows in the order in which block ART visits them.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::order_by_visits() {
  if (task_.needs.blocks) set_visit_order(exec_, task_.visits, task_.masks.rows, order_);
}

/// Builds the whole matrix and keeps the rows of this rank, for orders that depend on the whole
/// matrix and for expanded block-circulant matrices. Sets `order_` and `rank_rows_`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space>
Reconstruction<ExecutionSpace, Scalar>::cut_whole_matrix(const std::vector<double>& weights) {
  auto ordered = make_ordered_matrix<ExecutionSpace, Scalar>(exec_, task_);
  if (task_.needs.blocks) number_rows_by_visit(exec_, task_.visits, task_.masks.rows, ordered);
  const auto& A = ordered.A;
  rank_rows_ = share_of_rank(
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets), weights);
  order_ = std::move(ordered.order);
  order_.rows =
      restrict_map(exec_, order_.rows, natural_size(order_.rows, A.num_rows), rank_rows_.ranges);
  return csr_mapped<ExecutionSpace, Scalar>(
      exec_, A, restrict_map<ExecutionSpace>(exec_, {}, A.num_rows, rank_rows_.ranges),
      identity_map(exec_, A.num_cols));
}

/// Reads the rows of this rank from a file and sets `order_` and `rank_rows_`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space>
Reconstruction<ExecutionSpace, Scalar>::read_share(const std::vector<double>& weights) {
  RankMatrixFile<Scalar> file(config_.problem.matrix);
  task_.check_shape(file.num_rows(), file.num_cols());
  order_ = file_order(exec_, task_, file.num_rows());
  order_by_visits();
  // The length of a row after masking is not known here; its full length is close enough.
  Kokkos::View<const Offset*, Kokkos::HostSpace> offsets = file.row_offsets();
  if (order_.rows) offsets = mapped_offsets(offsets, map_on_host(*order_.rows).to_natural);
  rank_rows_ = share_of_rank(offsets, weights);
  order_.rows = restrict_map(exec_, order_.rows, file.num_rows(), rank_rows_.ranges);
  std::optional<IndexMap<Kokkos::HostSpace>> columns;
  if (order_.columns) columns = map_on_host(*order_.columns);
  const HostCsrMatrix<Scalar> rows = file.read(map_on_host(*order_.rows), columns);
  require_read_memory(exec_, task_, rows, MatrixUse::products);
  return copy_to<memory_space>(exec_, rows);
}

/// Cuts the rows of the blocks: this rank has the same rows of every block row.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_circulant_share(
    const std::vector<double>& weights) {
  Ordinal block_rows = 0;
  const auto own = [&](const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets) {
    const std::vector<Ordinal> begins = partition_rows(offsets, all_rows, weights);
    const auto r = static_cast<std::size_t>(ranks_.rank());
    block_rows = begins.back();
    return RowRange{begins[r], begins[r + 1]};
  };
  CirculantSystem<ExecutionSpace, Scalar> system;
  RowRange rows;
  if (std::holds_alternative<ConeBeamRows>(input_.rows)) {
    rows = own(unit_offsets_);
    system.A = make_block_row<ExecutionSpace, Scalar>(exec_, task_, MatrixUse::products, rows);
  } else {
    system = make_circulant_system<ExecutionSpace, Scalar>(exec_, task_);
    rows = own(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.A.row_offsets));
    system.A = circulant_row_range<ExecutionSpace, Scalar>(exec_, system.A, rows);
  }
  auto part = select_circulant(exec_, task_, system, rows, block_rows);
  all_subsets_ = part.all_subsets;
  rank_rows_ = {};
  rank_rows_.subset_begins = std::move(part.subset_begins);
  order_ = std::move(part.order);
  // A rank with all rows needs no map for its product, but ranks number their rows by it.
  if (!order_.rows) order_.rows = identity_map(exec_, block_rows * system.A.blocks);
  if (checkpoints_.is_used())
    rank_fingerprint_ = with_masks(
        csr_fingerprint<ExecutionSpace, Scalar>(exec_, positions_as_csr(system.A)), task_.masks);
  return prepare_circulant_operator<ExecutionSpace, Scalar>(
      exec_, task_, std::move(system.A), part.selection, part.statistics, input_.slices);
}

/// Cuts the orbits of the rays: no stored ray is on two ranks.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_symmetric_share(
    const std::vector<double>& weights) {
  const auto& rays = std::get<ScanRows>(input_.rows);
  const std::vector<char> mask = task_.masks.rows;
  std::vector<char> own(unit_offsets_.extent(0) - 1, 0);
  try {
    const RayOrbits orbits = find_ray_orbits(rays.volume, rays.scan);
    const std::vector<int> rank =
        ranks_of_orbits(orbits, rays.scan.detectors, unit_offsets_, weights);
    for (std::size_t ray = 0; ray < own.size(); ++ray) {
      const auto orbit = static_cast<std::size_t>(orbits.slots[ray]) / num_square_symmetries;
      const bool kept = mask.empty() || mask[ray] != 0;
      own[ray] = kept && rank[orbit] == ranks_.rank() ? 1 : 0;
    }
  } catch (const Refused& error) {
    throw ConfigError("operator.format: scsr: " + std::string(error.what()));
  }
  // All rays of the run in the order of the solver, to find those of this rank in each subset.
  std::vector<Ordinal> all(own.size());
  std::iota(all.begin(), all.end(), 0);
  if (task_.needs.blocks && !task_.visits.empty()) all = task_.visits;
  all = kept_of(std::move(all), mask);
  const RowSubsets& subsets = divide_rows(static_cast<Ordinal>(all.size()));
  rank_rows_ = {};
  Ordinal before = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    rank_rows_.subset_begins.push_back(before);
    const RowRange rows = subsets[i].resolved(static_cast<Ordinal>(all.size()));
    for (Ordinal p = rows.begin; p < rows.end; ++p)
      before += own[static_cast<std::size_t>(all[static_cast<std::size_t>(p)])];
  }

  task_.masks.rows = own;
  auto A = make_symmetric_system<ExecutionSpace, Scalar>(exec_, task_);
  order_ = built_order(exec_, task_);
  if (task_.needs.blocks) number_rays_by_visit(exec_, task_.visits, own, A.symmetry, order_);
  task_.masks.rows = mask;
  if (checkpoints_.is_used())
    rank_fingerprint_ =
        with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec_, A.stored), task_.masks);
  return prepare_symmetric_operator<ExecutionSpace, Scalar>(
      exec_, task_, A, expanded_statistics<ExecutionSpace, Scalar>(exec_, A), input_.slices);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template PreparedOperator<ExecutionSpace, Scalar>  \
  Reconstruction<ExecutionSpace, Scalar>::prepare_share(const std::vector<double>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
