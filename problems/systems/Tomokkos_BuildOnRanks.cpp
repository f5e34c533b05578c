// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <algorithm>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <utility>

namespace Tomokkos {

/// \brief Operator of a scan whose rays are distributed over ranks, with its filtered back
/// projection. The ranks exchange the data, and each of them filters and projects all views: every
/// rank gets the bits of a single process.
template <class ExecutionSpace, class Scalar>
class FilteredOnRanks final : public DistributedOperator<ExecutionSpace, Scalar> {
 public:
  using Base = DistributedOperator<ExecutionSpace, Scalar>;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param order rays and pixels of this rank. Each ray is on one rank.
  FilteredOnRanks(Base scan_on_ranks, const VolumeGeometry& volume, const ScanGeometry& scan,
                  MatrixOrder<memory_space> order)
      : Base(std::move(scan_on_ranks)), volume_(volume), scan_(scan), order_(std::move(order)) {}

  /// \brief See `AnalyticInverse`. Collective.
  void filtered_back_projection(const ExecutionSpace& exec, RampWindow window,
                                const MultiVectorView<const Scalar, memory_space>& B,
                                const MultiVectorView<Scalar, memory_space>& X) const {
    using Array = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;
    const auto data =
        allocate<Array>(exec, "Tomokkos::FilteredOnRanks::data", scan_.num_rays(), B.extent(1));
    Kokkos::deep_copy(exec, data, Scalar(0));
    scatter<ExecutionSpace, Scalar>(exec, map_or_identity(exec, order_.rows, scan_.num_rays()), B,
                                    data);
    this->row_ranks()->template sum<Scalar>(exec, {data.data(), data.size()});
    const auto images = allocate<Array>(exec, "Tomokkos::FilteredOnRanks::images",
                                        volume_.num_pixels(), X.extent(1));
    const FilteredBackProjection<ExecutionSpace, Scalar> inverse(exec, volume_, scan_, window);
    inverse.apply(exec, data, images);
    gather<ExecutionSpace, Scalar>(exec,
                                   map_or_identity(exec, order_.columns, volume_.num_pixels()),
                                   MultiVectorView<const Scalar, memory_space>(images), X);
    Impl::fence(exec, "FilteredOnRanks: the copies are no longer needed");
  }

 private:
  VolumeGeometry volume_;
  ScanGeometry scan_;
  MatrixOrder<memory_space> order_;
};

namespace {

/// Refuses settings that need a single process.
template <class ExecutionSpace>
void require_shareable(const SystemTask& task, const RankPlaces<ExecutionSpace>& places) {
  places.wish.require_steady(places.deterministic, places.has_checkpoints);
  const std::string processes = std::to_string(places.ranks.size());
  if (task.wish.computed() && traits_of(task.rows).is_circulant)
    throw ConfigError(
        "operator.format: computed traces the rays of a cone beam in one process, but " +
        processes + " processes were started; use block_circulant, which they share");
  if (task.needs.rows && !task.needs.blocks)
    throw ConfigError(
        "solver.type: art visits one row after the other and is exact only on a single process, "
        "but " +
        processes +
        " processes were started; use block_art, which treats the rows of a block together");
}

/// Gathers the row offsets of \p all rows, of which each rank counts some: `count(rows)` returns
/// the offsets of a range. Collective.
template <class Count>
Impl::HostOffsets counted(const RankGroup& ranks, Offset all, const Count& count) {
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

/// Offsets that the builder of a rank needs (`RowShare`), of which each rank counts some.
/// Collective. Throws `MemoryError` on all ranks when the share of one does not fit.
template <class ExecutionSpace, class Scalar>
Impl::HostOffsets count_on_ranks(const ExecutionSpace& exec, const SystemTask& task,
                                 const RankGroup& ranks) {
  if (const auto* beam = std::get_if<ConeBeamRows>(&task.rows)) {
    if (!task.wish.block_circulant()) return {};
    return counted(ranks, beam->circulant_size().block_rows, [&](RowRange elements) {
      return cone_beam_row_offsets(exec, beam->volume, beam->scan, elements);
    });
  }
  if (!traits_of(task.rows).in_any_order) return {};
  const MatrixUse use = use_in_run(task, task.wish);
  ranks.together([&] { require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use); });
  Impl::HostOffsets offsets = counted(ranks, num_rows(task.rows), [&](RowRange rows) {
    return row_offsets(exec, task.rows, rows);
  });
  ranks.together([&] {
    require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use,
                                                    offsets(offsets.extent(0) - 1));
  });
  return offsets;
}

}  // namespace

Description Impl::describe_ranks(const RankGroup& ranks, const std::string& transport,
                                 const RanksWish& wish, const std::vector<double>& weights,
                                 const RowStatistics& own, std::size_t memory_bytes) {
  // The actual nonzeros: the rows were cut without knowing which pixels are masked.
  const auto counts = [&](auto value) {
    const std::vector<double> all = ranks.gather_from_all(static_cast<double>(value));
    return std::vector<decltype(value)>(all.begin(), all.end());
  };
  const std::vector<Offset> nonzeros = counts(own.nonzeros);
  Description result = describe_map({{"count", ranks.size()}, {"transport", transport}});
  if (!wish.backend.empty()) result.set("backend", wish.backend);
  return result.set("weights", weights)
      .set("rows", counts(own.rows))
      .set("nonzeros", nonzeros)
      .set("imbalance", partition_imbalance(nonzeros, weights))
      .set("memory_bytes", ranks.gather_from_all(static_cast<double>(memory_bytes)));
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_on_ranks(const ExecutionSpace& exec, SystemTask task,
                                                   const RankPlaces<ExecutionSpace>& places,
                                                   const BuildObserver& observer) {
  const RankGroup& ranks = places.ranks;
  RanksWish wish = places.wish;
  std::vector<double> weights;
  ranks.together([&] {
    require_shareable(task, places);
    weights = wish.weights_of(ranks.size());
  });
  // The free memory must not influence the last bits of the result.
  if (!wish.image && (places.deterministic || places.has_checkpoints))
    wish.image = ImageDistribution::replicated;
  task.share = {.ranks = ranks.size(),
                .part = share_of(weights, ranks.rank()),
                .image_is_split = wish.image != ImageDistribution::replicated};
  const MachineFacts machine = machine_facts<ExecutionSpace, Scalar>(exec);
  if (!machine.gpu && task.wish.is_automatic())
    task.wish.stored = default_options(
        from_string<MatrixFormat>(fastest_on_host(task, machine, task.needs.vectors))
            .value_or(MatrixFormat::csr));
  observer.matrix_begins("building the matrix on " + std::to_string(ranks.size()) + " ranks");
  Impl::HostOffsets offsets = count_on_ranks<ExecutionSpace, Scalar>(exec, task, ranks);
  const Impl::RowShare of_rank{ranks.rank(), weights, offsets};
  std::uint64_t fingerprint = 0;
  BuildObserver quiet;
  quiet.wants_fingerprint = observer.wants_fingerprint;
  quiet.matrix_built = [&](const BuiltMatrix& matrix) { fingerprint = matrix.fingerprint; };
  // No other rank is waited for while a rank builds.
  const auto build = [&] {
    return ranks.together([&] {
      return Impl::SystemBuilder<ExecutionSpace, Scalar>{exec, task, quiet, &of_rank, true}.build();
    });
  };
  auto share = std::make_optional(build());
  if (wish.measured) {
    const double seconds = seconds_of_products<ExecutionSpace, Scalar>(exec, share->A);
    weights = ranks.speeds(static_cast<double>(share->statistics.nonzeros), seconds);
    // Rows are not sent: each rank builds or reads its own rows again.
    share.reset();
    share.emplace(build());
  }
  offsets = {};
  BuiltSystem<ExecutionSpace, Scalar>& result = *share;
  const RowStatistics own = result.statistics;
  const auto columns = static_cast<Ordinal>(result.A.num_cols());
  if (!wish.image) {
    // Every rank has a full copy if the vectors fit in memory with the matrix everywhere.
    task.share.image_is_split = false;
    const double bytes =
        bytes_of_stacked_vectors(task, machine_facts<ExecutionSpace, Scalar>(exec),
                                 static_cast<double>(result.A.num_rows()), columns);
    wish.image = ranks.any(bytes > static_cast<double>(available_memory(exec)))
                     ? ImageDistribution::split
                     : ImageDistribution::replicated;
  }
  DistributedOptions options;
  options.image = *wish.image;
  options.slabs = wish.slabs;
  result.image_is_split = options.image == ImageDistribution::split;
  DistributedOperator<ExecutionSpace, Scalar> A(exec, result.A, places.communicator, options);
  if (result.image_is_split)
    result.order.columns = restrict_map(exec, result.order.columns, columns, {A.local_columns()});
  result.statistics = ranks.statistics_of_all(own);
  const Ordinal vectors = task.needs.vectors;
  Description of_ranks = Impl::describe_ranks(ranks, places.communicator->transport(), wish,
                                              weights, own, A.memory_bytes());
  of_ranks.set("image", options.image)
      .set("slabs", A.slabs(vectors).size() - 1)
      .set("sum_bytes", A.sum_bytes(vectors));
  if (wish.measure_sums)
    of_ranks.set("seconds", measure_sums(exec, *ranks.ranks(), places.share_devices,
                                         *places.communicator, A, vectors));
  result.report.set("ranks", std::move(of_ranks));
  observer.shares_chosen(weights, options.image);
  observer.matrix_built({result.statistics.rows, columns, result.statistics.nonzeros,
                         A.memory_bytes(), " on each of " + std::to_string(ranks.size()) + " ranks",
                         ranks.fingerprint(fingerprint)});
  if (task.needs.filters) {
    const auto& scan = std::get<ScanRows>(task.rows);
    result.A = AnyOperator<ExecutionSpace, Scalar>(FilteredOnRanks<ExecutionSpace, Scalar>(
        std::move(A), scan.volume, scan.scan, result.order));
  } else {
    result.A = AnyOperator<ExecutionSpace, Scalar>(std::move(A));
  }
  return std::move(result);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                          \
  template BuiltSystem<SPACE, SCALAR> build_on_ranks<SPACE, SCALAR>( \
      const SPACE&, SystemTask, const RankPlaces<SPACE>&, const BuildObserver&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
