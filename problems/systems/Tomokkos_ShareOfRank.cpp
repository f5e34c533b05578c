// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_PreparedComputed.hpp>
#include <Tomokkos_PreparedRows.hpp>
#include <Tomokkos_PreparedSymmetric.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_ShareOfRank.hpp>
#include <Tomokkos_VisitOrder.hpp>
#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

/// Rank of each orbit of a scan. The orbits whose stored rays belong to one view are cut into
/// contiguous parts by the lengths of these rays, so that each rank has rays in every view.
std::vector<int> ranks_of_orbits(const RayOrbits& orbits, Ordinal detectors,
                                 const HostOffsets& offsets, const std::vector<double>& weights) {
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

/// Builds the share of one rank.
template <class ExecutionSpace, class Scalar>
class ShareBuilder {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using Prepared = PreparedOperator<ExecutionSpace, Scalar>;

  ShareBuilder(const ExecutionSpace& exec, const SystemTask& task, int rank,
               const HostOffsets& unit_offsets, const std::vector<double>& weights,
               std::uint64_t* fingerprint)
      : exec_(exec),
        task_(task),
        rank_(rank),
        unit_offsets_(unit_offsets),
        weights_(weights),
        fingerprint_(fingerprint) {}

  BuiltSystem<ExecutionSpace, Scalar> build() {
    Prepared prepared = prepare();
    return {std::move(prepared), std::move(order_), subsets_, std::move(subset_begins_)};
  }

 private:
  Prepared prepare() {
    if (task_.wish.block_circulant()) return prepare_block_row();
    if (task_.wish.symmetric()) return prepare_orbits();
    const RowTraits traits = traits_of(task_.rows);
    RowsOptions<ExecutionSpace> options;
    options.fingerprint = fingerprint_;
    Matrix A;
    if (!is_geometric(task_.wish.ordering) || traits.is_circulant) {
      A = cut_whole_matrix();
    } else if (traits.is_read) {
      A = read_rows();
    } else {
      const auto natural = Kokkos::create_mirror_view_and_copy(memory_space(), unit_offsets_);
      order_ = built_order(exec_, task_);
      order_by_visits();
      keep_rows(
          OrderedRows<ExecutionSpace, Scalar>(exec_, task_.rows, order_, natural).row_offsets(),
          static_cast<Ordinal>(natural.extent(0)) - 1);
      if (task_.wish.computed())
        return prepare_computed_operator<ExecutionSpace, Scalar>(exec_, task_, order_,
                                                                 fingerprint_);
      return prepare_rows<ExecutionSpace, Scalar>(exec_, task_, order_, natural, options);
    }
    return prepare_csr_rows<ExecutionSpace, Scalar>(exec_, task_, A, options);
  }

  /// Divides \p all rows, in the order of the run, into ordered subsets or blocks.
  const RowSubsets& divide_rows(Ordinal all) {
    if (task_.needs.blocks) {
      const Ordinal unit = task_.needs.block_rows.value_or(all);
      subsets_ = RowSubsets(all, std::max(1, (all - 1) / unit + 1), unit);
    } else {
      const auto [unit, begins] = subsets_of(task_);
      subsets_ = RowSubsets(all, task_.needs.subsets, unit, begins);
    }
    return *subsets_;
  }

  /// Cuts all rows, in the order of the run, into the shares of the ranks, subset by subset, and
  /// restricts the order to those of this rank. Returns them as ranges.
  std::vector<RowRange> keep_rows(const HostOffsets& offsets, Ordinal natural_size) {
    const auto all = static_cast<Ordinal>(offsets.extent(0)) - 1;
    RankRows rows = share_rows(offsets, divide_rows(all), weights_, rank_);
    subset_begins_ = std::move(rows.subset_begins);
    order_.rows = restrict_map(exec_, order_.rows, natural_size, rows.ranges);
    return std::move(rows.ranges);
  }

  /// Puts rows in the order in which block ART visits them.
  void order_by_visits() {
    if (task_.needs.blocks) set_visit_order(exec_, task_.visits, task_.masks.rows, order_);
  }

  /// Builds the whole matrix and keeps the rows of this rank, for orders that depend on the whole
  /// matrix and for expanded block-circulant matrices.
  Matrix cut_whole_matrix() {
    auto ordered = make_ordered_matrix<ExecutionSpace, Scalar>(exec_, task_);
    if (task_.needs.blocks) number_rows_by_visit(exec_, task_.visits, task_.masks.rows, ordered);
    const auto& A = ordered.A;
    order_ = std::move(ordered.order);
    const auto ranges =
        keep_rows(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets),
                  order_.rows ? static_cast<Ordinal>(order_.rows->natural_size()) : A.num_rows);
    return csr_mapped<ExecutionSpace, Scalar>(
        exec_, A, restrict_map<ExecutionSpace>(exec_, {}, A.num_rows, ranges),
        identity_map(exec_, A.num_cols));
  }

  /// Reads the rows of this rank from a file.
  Matrix read_rows() {
    RankMatrixFile<Scalar> file(std::get<FileRows>(task_.rows).file);
    task_.check_shape(file.num_rows(), file.num_cols());
    order_ = file_order(exec_, task_, file.num_rows());
    order_by_visits();
    // The length of a row after masking is not known here; its full length is close enough.
    HostOffsets offsets = file.row_offsets();
    if (order_.rows) offsets = mapped_offsets(offsets, map_on_host(*order_.rows).to_natural);
    keep_rows(offsets, file.num_rows());
    std::optional<IndexMap<Kokkos::HostSpace>> columns;
    if (order_.columns) columns = map_on_host(*order_.columns);
    const HostCsrMatrix<Scalar> rows = file.read(map_on_host(*order_.rows), columns);
    require_read_memory(exec_, task_, rows, MatrixUse::products);
    return copy_to<memory_space>(exec_, rows);
  }

  /// Cuts the rows of the blocks: this rank has the same rows of every block row.
  Prepared prepare_block_row() {
    Ordinal block_rows = 0;
    const auto own = [&](const HostOffsets& offsets) {
      const std::vector<Ordinal> begins = partition_rows(offsets, all_rows, weights_);
      const auto r = static_cast<std::size_t>(rank_);
      block_rows = begins.back();
      return RowRange{begins[r], begins[r + 1]};
    };
    CirculantSystem<ExecutionSpace, Scalar> system;
    RowRange rows;
    if (unit_offsets_.extent(0) > 0) {
      rows = own(unit_offsets_);
      system.A = make_block_row<ExecutionSpace, Scalar>(exec_, task_, MatrixUse::products, rows);
    } else {
      system = make_circulant_system<ExecutionSpace, Scalar>(exec_, task_);
      rows = own(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), system.A.row_offsets));
      system.A = circulant_row_range<ExecutionSpace, Scalar>(exec_, system.A, rows);
    }
    auto part = select_circulant(exec_, task_, system, rows, block_rows);
    subsets_ = part.all_subsets;
    subset_begins_ = std::move(part.subset_begins);
    order_ = std::move(part.order);
    // A rank with all rows needs no map for its product, but ranks number their rows by it.
    if (!order_.rows) order_.rows = identity_map(exec_, block_rows * system.A.blocks);
    if (fingerprint_ != nullptr)
      *fingerprint_ = with_masks(
          csr_fingerprint<ExecutionSpace, Scalar>(exec_, positions_as_csr(system.A)), task_.masks);
    return prepare_circulant_operator<ExecutionSpace, Scalar>(exec_, task_, std::move(system.A),
                                                              part);
  }

  /// Cuts the orbits of the rays: no stored ray is on two ranks.
  Prepared prepare_orbits() {
    const auto& rays = std::get<ScanRows>(task_.rows);
    const std::vector<char> mask = task_.masks.rows;
    std::vector<char> own(unit_offsets_.extent(0) - 1, 0);
    const RayOrbits orbits =
        as_choice("operator.format: scsr", [&] { return find_ray_orbits(rays.volume, rays.scan); });
    const std::vector<int> rank =
        ranks_of_orbits(orbits, rays.scan.detectors, unit_offsets_, weights_);
    for (std::size_t ray = 0; ray < own.size(); ++ray) {
      const auto orbit = static_cast<std::size_t>(orbits.slots[ray]) / num_square_symmetries;
      const bool kept = mask.empty() || mask[ray] != 0;
      own[ray] = kept && rank[orbit] == rank_ ? 1 : 0;
    }
    // All rays of the run in the order of the solver, to find those of this rank in each subset.
    std::vector<Ordinal> all(own.size());
    std::iota(all.begin(), all.end(), 0);
    if (task_.needs.blocks && !task_.visits.empty()) all = task_.visits;
    all = kept_of(std::move(all), mask);
    const RowSubsets& subsets = divide_rows(static_cast<Ordinal>(all.size()));
    Ordinal before = 0;
    for (int i = 0; i < subsets.count(); ++i) {
      subset_begins_.push_back(before);
      const RowRange rows = subsets[i].resolved(static_cast<Ordinal>(all.size()));
      for (Ordinal p = rows.begin; p < rows.end; ++p)
        before += own[static_cast<std::size_t>(all[static_cast<std::size_t>(p)])];
    }
    SystemTask task = task_;
    task.masks.rows = own;
    auto A = make_symmetric_system<ExecutionSpace, Scalar>(exec_, task);
    order_ = built_order(exec_, task);
    if (task.needs.blocks) number_rays_by_visit(exec_, task.visits, own, A.symmetry, order_);
    if (fingerprint_ != nullptr)
      *fingerprint_ =
          with_masks(csr_fingerprint<ExecutionSpace, Scalar>(exec_, A.stored), task_.masks);
    return prepare_symmetric_operator<ExecutionSpace, Scalar>(
        exec_, task_, A, expanded_statistics<ExecutionSpace, Scalar>(exec_, A));
  }

  const ExecutionSpace& exec_;
  const SystemTask& task_;
  int rank_;
  const HostOffsets& unit_offsets_;
  const std::vector<double>& weights_;
  std::uint64_t* fingerprint_;  // null: not asked for
  MatrixOrder<memory_space> order_;
  std::optional<RowSubsets> subsets_;
  std::vector<Ordinal> subset_begins_;
};

/// Gathers the row offsets of \p all rows, of which each rank counts some: `count(rows)` returns
/// the offsets of a range. Collective.
template <class Count>
HostOffsets counted(const RankGroup& ranks, Offset all, const Count& count) {
  const Offset part = (all + ranks.size() - 1) / ranks.size();
  std::vector<double> own(static_cast<std::size_t>(part), 0.0);
  ranks.together([&] {
    const RowRange rows{static_cast<Ordinal>(std::min(all, part * ranks.rank())),
                        static_cast<Ordinal>(std::min(all, part * (ranks.rank() + 1)))};
    if (rows.begin == rows.end) return;
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count(rows));
    for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
      own[i] = static_cast<double>(offsets(i + 1) - offsets(i));
  });
  std::vector<double> lengths(own.size() * static_cast<std::size_t>(ranks.size()));
  ranks.ranks()->gather(own, lengths);
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::count_on_ranks::offsets",
                                                         static_cast<std::size_t>(all) + 1);
  for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
    offsets(i + 1) = offsets(i) + static_cast<Offset>(lengths[i]);
  return offsets;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
HostOffsets count_on_ranks(const ExecutionSpace& exec, const SystemTask& task,
                           const RankGroup& ranks) {
  if (const auto* beam = std::get_if<ConeBeamRows>(&task.rows)) {
    if (!task.wish.block_circulant()) return {};
    return counted(ranks, beam->circulant_size().block_rows, [&](RowRange elements) {
      return cone_beam_row_offsets(exec, beam->volume, beam->scan, elements);
    });
  }
  if (!traits_of(task.rows).in_any_order) return {};
  const MatrixUse use = builds_tiles_directly(task) ? MatrixUse::tiles : MatrixUse::products;
  ranks.together([&] { require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use); });
  HostOffsets offsets = counted(ranks, num_rows(task.rows),
                                [&](RowRange rows) { return row_offsets(exec, task.rows, rows); });
  ranks.together([&] {
    require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use,
                                                    offsets(offsets.extent(0) - 1));
  });
  return offsets;
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_share(const ExecutionSpace& exec, const SystemTask& task,
                                                int rank, const HostOffsets& unit_offsets,
                                                const std::vector<double>& weights,
                                                std::uint64_t* fingerprint) {
  return ShareBuilder<ExecutionSpace, Scalar>(exec, task, rank, unit_offsets, weights, fingerprint)
      .build();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                 \
  template HostOffsets count_on_ranks<SPACE, SCALAR>(const SPACE&, const SystemTask&,       \
                                                     const RankGroup&);                     \
  template BuiltSystem<SPACE, SCALAR> build_share<SPACE, SCALAR>(                           \
      const SPACE&, const SystemTask&, int, const HostOffsets&, const std::vector<double>&, \
      std::uint64_t*);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
