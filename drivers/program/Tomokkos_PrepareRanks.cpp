// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the matrix of a reconstruction on several ranks: each builds or reads its own rows.
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_FilteredOnRanks.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>

namespace Tomokkos {
namespace {

/// Refuses settings that need a single process.
void require_shareable(const RunConfig& config, bool has_checkpoints) {
  require_steady_weights(config, has_checkpoints);
  if (!config.run.host_backend.empty() || !config.run.shares.empty())
    throw ConfigError(std::string(config.run.host_backend.empty()
                                      ? "run.shares: divides the rows of one process"
                                      : "run.backend: two backends work in one process") +
                      ", but " + std::to_string(config.run.num_ranks) +
                      " were started; give each its backend with run.ranks.backend");
  if (config.matrix_operator.computed() && config.problem.traits().is_circulant)
    throw ConfigError(
        "operator.format: computed traces the rays of a cone beam in one process, but " +
        std::to_string(config.run.num_ranks) +
        " processes were started; use block_circulant, which they share");
  if (supports_ranks(config.solver.kind())) return;
  throw ConfigError("solver.type: " + std::string(to_string(config.solver.kind())) +
                    " visits one row after the other and is exact only on a single process, but " +
                    std::to_string(config.run.num_ranks) +
                    " processes were started; use block_art, which treats the rows of a block "
                    "together");
}

}  // namespace

/// Gathers the row offsets of \p all rows, of which each rank counts some: `count(rows)` returns
/// the offsets of a range. Collective.
template <class ExecutionSpace, class Scalar>
template <class Count>
Kokkos::View<const Offset*, Kokkos::HostSpace> Reconstruction<ExecutionSpace, Scalar>::counted(
    Offset all, const Count& count) const {
  const Offset part = (all + ranks_.size() - 1) / ranks_.size();
  std::vector<double> own(static_cast<std::size_t>(part), 0.0);
  ranks_.together([&] {
    const RowRange rows{static_cast<Ordinal>(std::min(all, part * ranks_.rank())),
                        static_cast<Ordinal>(std::min(all, part * (ranks_.rank() + 1)))};
    if (rows.begin == rows.end) return;
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count(rows));
    for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
      own[i] = static_cast<double>(offsets(i + 1) - offsets(i));
  });
  std::vector<double> lengths(own.size() * static_cast<std::size_t>(ranks_.size()));
  ranks_.ranks()->gather(own, lengths);
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::Reconstruction::offsets",
                                                         static_cast<std::size_t>(all) + 1);
  for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
    offsets(i + 1) = offsets(i) + static_cast<Offset>(lengths[i]);
  return offsets;
}

/// Computes the offsets of the rows of a scan or a scanner, or of the first row of blocks of a cone
/// beam, in natural order. Each rank counts some of the rows.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::count_on_ranks() {
  if (const auto* beam = std::get_if<ConeBeamRows>(&input_.rows)) {
    if (!task_.wish.block_circulant()) return;
    unit_offsets_ = counted(beam->circulant_size().block_rows, [&](RowRange elements) {
      return cone_beam_row_offsets(exec_, beam->volume, beam->scan, elements);
    });
    return;
  }
  if (!traits_of(input_.rows).in_any_order) return;
  const MatrixUse use = builds_tiles_directly(task_) ? MatrixUse::tiles : MatrixUse::products;
  ranks_.together([&] { require_memory_to_build<ExecutionSpace, Scalar>(exec_, task_, use); });
  unit_offsets_ = counted(num_rows(input_.rows),
                          [&](RowRange rows) { return row_offsets(exec_, input_.rows, rows); });
  ranks_.together([&] {
    require_memory_to_build<ExecutionSpace, Scalar>(exec_, task_, use,
                                                    unit_offsets_(unit_offsets_.extent(0) - 1));
  });
}

/// Measures the nonzeros per second of each rank in products with its own rows.
template <class ExecutionSpace, class Scalar>
std::vector<double> Reconstruction<ExecutionSpace, Scalar>::measured_weights(
    const PreparedOperator<ExecutionSpace, Scalar>& share) {
  const double seconds = seconds_of_products<ExecutionSpace, Scalar>(exec_, share.A);
  return speeds_of_ranks(ranks_, static_cast<double>(share.statistics.nonzeros), seconds);
}

/// Chooses the distribution of the image: a full copy on every rank if the vectors fit in memory
/// with the matrix everywhere.
template <class ExecutionSpace, class Scalar>
ImageDistribution Reconstruction<ExecutionSpace, Scalar>::choose_image(Ordinal rows,
                                                                       Ordinal columns) const {
  if (const auto& asked = config_.run.ranks.image) return *asked;
  SystemTask replicated = task_;
  replicated.share.image_is_split = false;
  // Each further slice needs data, projection, image and the vectors of the solver.
  const double bytes =
      vector_bytes<ExecutionSpace, Scalar>(replicated, rows, columns, MatrixUse::products) +
      3.0 * (static_cast<double>(rows) + columns) * (input_.slices - 1) * sizeof(Scalar);
  return ranks_.any(bytes > static_cast<double>(available_memory(exec_)))
             ? ImageDistribution::split
             : ImageDistribution::replicated;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_on_ranks() {
  run_.begin("matrix");
  std::vector<double> weights;
  std::optional<PreparedOperator<ExecutionSpace, Scalar>> made;
  ranks_.together([&] {
    require_shareable(config_, checkpoints_.is_used());
    weights = given_weights(config_, ranks_.size());
    config_.run.rank_share = share_of(weights, ranks_.rank());
    // The free memory must not influence the last bits of the result.
    if (!config_.run.ranks.image && (config_.run.deterministic || checkpoints_.is_used()))
      config_.run.ranks.image = ImageDistribution::replicated;
    set_task();
  });
  announce_matrix(progress_, config_, input_,
                  "building the matrix on " + std::to_string(ranks_.size()) + " ranks");
  count_on_ranks();
  ranks_.together([&] { made.emplace(prepare_share(weights)); });
  if (config_.run.ranks.measured) {
    weights = measured_weights(*made);
    // Rows are not sent: each rank builds or reads its own rows again.
    made.reset();
    ranks_.together([&] { made.emplace(prepare_share(weights)); });
  }
  unit_offsets_ = {};
  PreparedOperator<ExecutionSpace, Scalar>& share = *made;
  const auto columns = static_cast<Ordinal>(share.A.num_cols());
  DistributedOptions options;
  options.image = choose_image(static_cast<Ordinal>(share.A.num_rows()), columns);
  config_.run.ranks.image = options.image;
  options.slabs = config_.run.ranks.slabs;
  DistributedOperator<ExecutionSpace, Scalar> A(exec_, share.A, communicator_, options);
  const RowStatistics own = share.statistics;
  share.statistics = statistics_of_all(ranks_, own);
  // The actual nonzeros: the rows were cut without knowing which pixels are masked.
  const std::vector<double> counts = ranks_.gather_from_all(static_cast<double>(own.nonzeros));
  rank_rows_.rank_nonzeros.assign(counts.begin(), counts.end());
  const std::vector<double> rows = ranks_.gather_from_all(own.rows);
  rank_rows_.rank_num_rows.assign(rows.begin(), rows.end());
  share.csr_bytes = system_matrix_bytes<Scalar>(share.statistics.rows, share.statistics.nonzeros);
  Description of_ranks = ranks_description(A, weights);
  if (config_.run.ranks.measure_sums)
    of_ranks.set("seconds", measure_sums(exec_, *ranks_.ranks(), ranks_.share_devices(exec_),
                                         *communicator_, A, input_.slices));
  share.report.set("ranks", std::move(of_ranks));
  const std::uint64_t fingerprint = ranks_.fingerprint(rank_fingerprint_);
  ranks_.together([&] {
    checkpoints_.set_ranks(weights, options.image);
    checkpoints_.set_matrix(share.statistics.rows, share.statistics.columns,
                            share.statistics.nonzeros, fingerprint);
  });
  image_is_split_ = options.image == ImageDistribution::split;
  if (image_is_split_)
    order_.columns = restrict_map(exec_, order_.columns, columns, {A.local_columns()});
  print_matrix(share.statistics.rows, columns, share.statistics.nonzeros, A.memory_bytes(),
               " on each of " + std::to_string(ranks_.size()) + " ranks");
  if (config_.solver.kind() == SolverKind::fbp) {
    const auto& scan = std::get<ScanRows>(input_.rows);
    share.A = AnyOperator<ExecutionSpace, Scalar>(
        FilteredOnRanks<ExecutionSpace, Scalar>(std::move(A), scan.volume, scan.scan, order_));
  } else {
    share.A = AnyOperator<ExecutionSpace, Scalar>(std::move(A));
  }
  run_.sample_memory();
  ranks_.together([&] { read_rhs(config_, order_.rows->natural_size(), input_); });
  return std::move(share);
}

/// Describes the ranks for the report.
template <class ExecutionSpace, class Scalar>
Description Reconstruction<ExecutionSpace, Scalar>::ranks_description(
    const DistributedOperator<ExecutionSpace, Scalar>& A,
    const std::vector<double>& weights) const {
  Description result = Description::map();
  result.set("count", ranks_.size());
  result.set("transport", communicator_->transport());
  if (!config_.run.ranks.backend.empty()) result.set("backend", config_.run.ranks.backend);
  result.set("weights", weights);
  result.set("rows", rank_rows_.rank_num_rows);
  result.set("nonzeros", rank_rows_.rank_nonzeros);
  result.set("imbalance", partition_imbalance(rank_rows_.rank_nonzeros, weights));
  result.set("memory_bytes", ranks_.gather_from_all(static_cast<double>(A.memory_bytes())));
  result.set("image", A.options().image);
  result.set("slabs", A.slabs(input_.slices).size() - 1);
  result.set("sum_bytes", A.sum_bytes(input_.slices));
  return result;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template PreparedOperator<ExecutionSpace, Scalar>  \
  Reconstruction<ExecutionSpace, Scalar>::prepare_on_ranks();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
