// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the matrix of a reconstruction on several ranks: each builds or reads its own rows.
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_RankMatrixFile.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace Tomokkos {
namespace {

/// Solvers that support several processes, as a list in words.
std::string solvers_on_ranks() {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (supports_ranks(kind) && !solves_square_systems(kind)) names.push_back(name);
  const std::string last(names.back());
  names.pop_back();
  return join_names(names) + " and " + last;
}

/// Refuses settings that need a single process.
void require_shareable(const RunConfig& config, bool has_checkpoints) {
  if (config.run.ranks.measured && (config.run.deterministic || has_checkpoints))
    throw ConfigError(
        std::string("run.ranks.weights: measured weights change from run to run, and with them the "
                    "rows of a rank and the last bits of sums, which ") +
        (config.run.deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
        "; give the weights as numbers");
  const std::string ranks =
      ", but " + std::to_string(config.run.num_ranks) + " processes were started";
  if (const SolverKind kind = config.solver.kind();
      !supports_ranks(kind) || solves_square_systems(kind))
    throw ConfigError("solver.type: " + std::string(to_string(config.solver.kind())) +
                      " needs a single process" + ranks + "; " + solvers_on_ranks() +
                      " support several");
  const OperatorSection& section = config.matrix_operator;
  const auto refuse = [&](const std::string& format) {
    throw ConfigError(prefix_of(section.format_position) + "operator.format: " + format +
                      " needs a single process" + ranks);
  };
  if (section.symmetric) refuse("scsr");
  if (section.block_circulant || config.problem.traits().is_circulant) refuse("block_circulant");
  if (section.is(MatrixFormat::pair_blocked)) refuse("pair_blocked");
  if (!is_geometric(section.ordering))
    throw ConfigError(prefix_of(section.ordering_position) +
                      "operator.ordering: " + std::string(to_string(section.ordering.rows)) +
                      " needs the whole matrix on a single process" + ranks +
                      "; natural, tiles, squares, hilbert and subsets support several");
}

}  // namespace

/// Computes the row offsets of a scan or a scanner in natural order. Each rank counts some of the
/// rows.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::count_on_ranks() {
  if (traits_of(input_.rows).is_read) return;
  const MatrixUse use = builds_tiles_directly(config_) ? MatrixUse::tiles : MatrixUse::products;
  const Offset all = num_rows(input_.rows);
  const Offset part = (all + ranks_.size() - 1) / ranks_.size();
  std::vector<double> own(static_cast<std::size_t>(part), 0.0);
  ranks_.together([&] {
    require_memory_to_build<ExecutionSpace, Scalar>(exec_, config_, input_, use);
    const RowRange rows{static_cast<Ordinal>(std::min(all, part * ranks_.rank())),
                        static_cast<Ordinal>(std::min(all, part * (ranks_.rank() + 1)))};
    if (rows.begin == rows.end) return;
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(),
                                                             row_offsets(exec_, input_.rows, rows));
    for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
      own[i] = static_cast<double>(offsets(i + 1) - offsets(i));
  });
  std::vector<double> lengths(own.size() * static_cast<std::size_t>(ranks_.size()));
  ranks_.ranks()->gather(own, lengths);
  ranks_.together([&] {
    const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::Reconstruction::offsets",
                                                           static_cast<std::size_t>(all) + 1);
    for (std::size_t i = 0; i + 1 < offsets.extent(0); ++i)
      offsets(i + 1) = offsets(i) + static_cast<Offset>(lengths[i]);
    natural_offsets_ = Kokkos::create_mirror_view_and_copy(memory_space(), offsets);
    require_memory_to_build<ExecutionSpace, Scalar>(exec_, config_, input_, use,
                                                    offsets(offsets.extent(0) - 1));
  });
}

/// Cuts all rows, in the order of the run, into the shares of the ranks, subset by subset.
template <class ExecutionSpace, class Scalar>
RankRows Reconstruction<ExecutionSpace, Scalar>::share_of_rank(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets,
    const std::vector<double>& weights) {
  const auto all = static_cast<Ordinal>(offsets.extent(0)) - 1;
  const auto [unit, begins] = subset_cut();
  all_subsets_.emplace(all, config_.solver.subsets(), unit, begins);
  return share_rows(offsets, *all_subsets_, weights, ranks_.rank());
}

/// Builds the operator of this rank and sets `order_` and `rank_rows_`.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_share(
    const std::vector<double>& weights) {
  MatrixGrids grids;  // the rays of a rank do not form a grid
  CsrMatrix<Scalar, memory_space> A;
  if (traits_of(input_.rows).is_read) {
    A = read_share(weights);
  } else {
    const auto& natural = natural_offsets_;
    order_ = built_order(exec_, config_, input_);
    rank_rows_ = share_of_rank(
        OrderedRows<ExecutionSpace, Scalar>(exec_, input_.rows, order_, natural).row_offsets(),
        weights);
    order_.rows = restrict_map(exec_, order_.rows, static_cast<Ordinal>(natural.extent(0)) - 1,
                               rank_rows_.ranges);
    if (builds_tiles_directly(config_)) {
      auto tiles = make_direct_tiles<ExecutionSpace, Scalar>(
          exec_, config_, input_, checkpoints_.is_used(), {},
          DirectRows<ExecutionSpace>{natural, order_});
      rank_fingerprint_ = tiles.fingerprint;
      return prepare_built_operator<ExecutionSpace, Scalar>(
          exec_, config_, std::move(tiles.made), tiles.statistics,
          system_matrix_bytes<Scalar>(tiles.statistics.rows, tiles.statistics.nonzeros),
          input_.slices);
    }
    A = build_in_order<ExecutionSpace, Scalar>(exec_, config_, input_, order_, MatrixUse::products,
                                               natural);
  }
  if (checkpoints_.is_used()) rank_fingerprint_ = csr_fingerprint<ExecutionSpace, Scalar>(exec_, A);
  return prepare_operator<ExecutionSpace, Scalar>(exec_, config_, A, input_.slices, grids);
}

/// Reads the rows of this rank from a file and sets `order_` and `rank_rows_`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space>
Reconstruction<ExecutionSpace, Scalar>::read_share(const std::vector<double>& weights) {
  RankMatrixFile<Scalar> file(config_.problem.matrix);
  require_matrix_shape(config_, input_, file.num_rows(), file.num_cols());
  order_ = file_order(exec_, config_, input_, file.num_rows());
  // The length of a row after masking is not known here; its full length is close enough.
  Kokkos::View<const Offset*, Kokkos::HostSpace> offsets = file.row_offsets();
  if (order_.rows) offsets = mapped_offsets(offsets, map_on_host(*order_.rows).to_natural);
  rank_rows_ = share_of_rank(offsets, weights);
  order_.rows = restrict_map(exec_, order_.rows, file.num_rows(), rank_rows_.ranges);
  std::optional<IndexMap<Kokkos::HostSpace>> columns;
  if (order_.columns) columns = map_on_host(*order_.columns);
  const HostCsrMatrix<Scalar> rows = file.read(map_on_host(*order_.rows), columns);
  require_read_memory(exec_, config_, rows, MatrixUse::products);
  return copy_to<memory_space>(exec_, rows);
}

/// Measures the nonzeros per second of each rank in products with its own rows.
template <class ExecutionSpace, class Scalar>
std::vector<double> Reconstruction<ExecutionSpace, Scalar>::measured_weights(
    const PreparedOperator<ExecutionSpace, Scalar>& share) {
  const double seconds = seconds_of_products<ExecutionSpace, Scalar>(exec_, share.A);
  const auto nonzeros = static_cast<double>(share.statistics.nonzeros);
  std::vector<double> speeds = ranks_.gather_from_all(seconds > 0 ? nonzeros / seconds : 0);
  // A rank without rows is assumed to be as fast as the slowest other rank.
  double slowest = std::numeric_limits<double>::infinity();
  for (const double speed : speeds)
    if (speed > 0) slowest = std::min(slowest, speed);
  for (double& speed : speeds)
    if (!(speed > 0)) speed = std::isfinite(slowest) ? slowest : 1;
  return speeds;
}

/// Chooses the distribution of the image: a full copy on every rank if the vectors fit in memory
/// with the matrix everywhere.
template <class ExecutionSpace, class Scalar>
ImageDistribution Reconstruction<ExecutionSpace, Scalar>::choose_image(Ordinal rows,
                                                                       Ordinal columns) const {
  if (const auto& asked = config_.run.ranks.image) return *asked;
  RunConfig replicated = config_;
  replicated.run.ranks.image = ImageDistribution::replicated;
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
  natural_offsets_ = {};
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
  share.csr_bytes = system_matrix_bytes<Scalar>(share.statistics.rows, share.statistics.nonzeros);
  Description of_ranks = ranks_description(A, weights);
  if (config_.run.ranks.measure_sums)
    of_ranks.set("seconds", measure_sums(exec_, ranks_, *communicator_, A, input_.slices));
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
  share.A = AnyOperator<ExecutionSpace, Scalar>(std::move(A));
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
