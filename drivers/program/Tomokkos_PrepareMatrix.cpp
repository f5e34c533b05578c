// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of a reconstruction, from its source to its operator.
#include <Tomokkos_BuildOnRanks.hpp>
#include <Tomokkos_BuildParts.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <cstdio>

namespace Tomokkos {
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::print_matrix(Ordinal rows, Ordinal columns,
                                                          Offset nonzeros, std::size_t bytes,
                                                          const std::string& how) {
  ranks_.together([&] { require_seen_image(input_, nonzeros); });
  exec_.fence();
  clock_.end();
  char text[160];
  std::snprintf(text, sizeof text, "matrix: %d x %d, %lld nonzeros, %.3g MB%s, %s", rows, columns,
                static_cast<long long>(nonzeros), 1e-6 * static_cast<double>(bytes), how.c_str(),
                describe_seconds(clock_.seconds("matrix")).c_str());
  progress_.message(text);
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_matrix() {
  set_task();
  BuiltSystem<ExecutionSpace, Scalar> built =
      communicator_ ? build_on_ranks() : build_whole_or_parts();
  order_ = std::move(built.order);
  way_ = built.way;
  all_subsets_ = built.subsets;
  subset_begins_ = std::move(built.subset_begins);
  image_is_split_ = built.image_is_split;
  task_.share.ranks = ranks_.size();
  task_.share.image_is_split = image_is_split_;
  run_.sample_memory();
  ranks_.together(
      [&] { read_rhs(config_, natural_size(order_.rows, built.statistics.rows), input_); });
  if (config_.run.ranks.measure_sums && !communicator_) {
    run_.begin("measure");
    const RowStatistics& matrix = built.statistics;
    Description result = Description::map();
    result.set("count", 1);
    result.set("rows", std::array{matrix.rows});
    result.set("nonzeros", std::array{matrix.nonzeros});
    result.set("seconds",
               measure_products<ExecutionSpace, Scalar>(exec_, built.A, input_.slices,
                                                        uses_transpose(config_.solver.kind())));
    built.report.set("ranks", std::move(result));
  }
  return built;
}

/// Builds the matrix in the first planned way that fits into memory.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::build_whole_or_parts() {
  PlanFacts facts;
  facts.gpu = !Impl::is_host_space<ExecutionSpace>;
  facts.scalar_bytes = sizeof(Scalar);
  facts.overflow = config_.run.overflow;
  facts.divides_rows = !config_.run.host_backend.empty() || !config_.run.shares.empty();
  facts.keeps_bits = config_.run.deterministic || checkpoints_.is_used();
  if (plan_needs_nonzeros(task_, facts)) facts.nonzeros = sampled_nonzeros(exec_, task_.rows);
  const PartsWish parts{!config_.run.host_backend.empty(), config_.run.shares,
                        config_.run.overflow};
  return build_planned<ExecutionSpace, Scalar>(exec_, task_, plan(task_, facts), parts,
                                               build_observer());
}

/// Builds the matrix on several ranks.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::build_on_ranks() {
  const RunSection& run = config_.run;
  ranks_.together([&] {
    if (!run.host_backend.empty() || !run.shares.empty())
      throw ConfigError(std::string(run.host_backend.empty()
                                        ? "run.shares: divides the rows of one process"
                                        : "run.backend: two backends work in one process") +
                        ", but " + std::to_string(ranks_.size()) +
                        " were started; give each its backend with run.ranks.backend");
  });
  const RankPlaces<ExecutionSpace> places{
      .ranks = ranks_,
      .communicator = communicator_,
      .wish = run.ranks,
      .deterministic = run.deterministic,
      .has_checkpoints = checkpoints_.is_used(),
      .share_devices = run.ranks.measure_sums && ranks_.share_devices(exec_)};
  return Tomokkos::build_on_ranks<ExecutionSpace, Scalar>(exec_, task_, places, build_observer());
}

template <class ExecutionSpace, class Scalar>
BuildObserver Reconstruction<ExecutionSpace, Scalar>::build_observer() {
  BuildObserver observer;
  observer.wants_fingerprint = checkpoints_.is_used();
  observer.way_begins = [&](const PlannedWay& way) {
    choose(way.wish);
    if (way.in_parts) require_parts();
  };
  observer.message = [&](const std::string& text) { progress_.message(text); };
  observer.shares_chosen = [&](const std::vector<double>& weights, ImageDistribution image) {
    config_.run.ranks.image = image;
    ranks_.together([&] { checkpoints_.set_ranks(weights, image); });
  };
  observer.matrix_begins = [&](const std::string& what) {
    run_.begin("matrix");
    announce_matrix(progress_, config_, input_, what);
  };
  observer.matrix_built = [&](const BuiltMatrix& matrix) {
    ranks_.together([&] {
      checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, matrix.fingerprint);
    });
    print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, matrix.bytes, matrix.how);
  };
  observer.operator_begins = [&](double entries) {
    run_.begin("operator");
    announce(progress_, preparation_of(config_), entries);
  };
  return observer;
}

/// Refuses rows that cannot be divided, and measured shares where the last bits of sums must not
/// change from run to run.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::require_parts() const {
  if (const std::string obstacle = obstacle_to_parts(task_); !obstacle.empty())
    throw ConfigError("run.backend: two backends divide the rows of a matrix, but " + obstacle);
  if (!config_.run.shares.empty() || !(config_.run.deterministic || checkpoints_.is_used())) return;
  throw ConfigError(
      std::string("run.shares: measured shares change from run to run, and with them the last bits "
                  "of sums, which ") +
      (config_.run.deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
      "; give the shares as numbers: run.shares: [device, streamed, host]");
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::set_task() {
  task_ = system_task(config_, input_);
  task_.visits = sweep_.rows;
}

/// Sets the wishes that the run has chosen by itself.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::choose(OperatorWish wish) {
  config_.matrix_operator = wish;
  task_.wish = std::move(wish);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)        \
  template PreparedOperator<ExecutionSpace, Scalar>         \
  Reconstruction<ExecutionSpace, Scalar>::prepare_matrix(); \
  template void Reconstruction<ExecutionSpace, Scalar>::set_task();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
