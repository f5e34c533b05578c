// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix of a reconstruction, from its source to its operator.
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
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
  if (communicator_) return prepare_on_ranks();
  PreparedOperator<ExecutionSpace, Scalar> prepared = prepare_whole_or_parts();
  if (why_stored_) prepared.report.set("not_computed", *why_stored_);
  if (config_.run.ranks.measure_sums) {
    run_.begin("measure");
    const RowStatistics& matrix = prepared.statistics;
    Description result = Description::map();
    result.set("count", 1);
    result.set("rows", std::array{matrix.rows});
    result.set("nonzeros", std::array{matrix.nonzeros});
    result.set("seconds",
               measure_products<ExecutionSpace, Scalar>(exec_, prepared.A, input_.slices,
                                                        uses_transpose(config_.solver.kind())));
    prepared.report.set("ranks", std::move(result));
  }
  return prepared;
}

/// True if the format `automatic` computes the entries because that is the fastest.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::prefers_computed() {
  const auto* const scan = std::get_if<ScanRows>(&task_.rows);
  if (!task_.wish.is_automatic() || scan == nullptr) return false;
  ComputedCriteria criteria;
  criteria.gpu = !Impl::is_host_space<ExecutionSpace>;
  // The report does not repeat what holds for every scan on a host.
  if (!criteria.gpu) return false;
  criteria.scalar_bytes = sizeof(Scalar);
  criteria.multiplies_all_rows = task_.needs.multiplies_all_rows();
  criteria.is_masked = task_.masks.any();
  criteria.vectors = task_.needs.vectors;
  criteria.nonzeros = sampled_nonzeros(exec_, task_.rows);
  why_stored_ = reason_against_computed(criteria, *scan);
  return !why_stored_;
}

/// Wishes of the run with `operator.format: computed`.
template <class ExecutionSpace, class Scalar>
OperatorWish Reconstruction<ExecutionSpace, Scalar>::with_computed_entries() const {
  OperatorWish computed = task_.wish;
  computed.set_format("computed");
  computed.ordering = default_ordering(task_.needs.subsets);
  if (task_.wish.ordering.rows != Ordering::subsets) computed.ordering.rows = Ordering::natural;
  return computed;
}

/// True if the run of a cone beam with the format `automatic` may store only the row of blocks.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::may_store_blocks() const {
  return task_.wish.is_automatic() && config_.run.overflow != Overflow::refused &&
         traits_of(task_.rows).is_circulant && !task_.needs.rows &&
         task_.wish.ordering == default_ordering(task_.needs.subsets);
}

/// True if a run whose matrix does not fit on a GPU computes the entries instead of dividing the
/// rows. The kernels of the scans are far faster than reading entries from host memory; tracing the
/// rays of a scanner never was.
template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::prefers_computed_to_parts() const {
  if (config_.run.overflow != Overflow::automatic) return false;
  // Measured shares of streamed rows would change the last bits from run to run.
  if (config_.run.deterministic || checkpoints_.is_used()) return true;
  const auto* const scan = std::get_if<ScanRows>(&task_.rows);
  return scan != nullptr && gpu_computed_costs(*scan, sizeof(Scalar)).has_value();
}

/// Prepares the matrix as a whole, or in parts for two backends and if it does not fit. The format
/// `automatic` computes the entries of a scan where that is the fastest. Where the matrix does not
/// fit, it takes the row of blocks of a cone beam, or computes the entries if they are those of a
/// scan or the rows cannot be divided.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar>
Reconstruction<ExecutionSpace, Scalar>::prepare_whole_or_parts() {
  if (!config_.run.host_backend.empty() || !config_.run.shares.empty()) return prepare_parts();
  if (prefers_computed()) {
    progress_.message(
        "the entries are computed in every product: the fastest format for this scan "
        "(operator.format: automatic)");
    choose(with_computed_entries());
    auto prepared = prepare_on_one();
    prepared.report.set("chosen_by", "automatic");
    return prepared;
  }
  const bool may_compute = task_.wish.is_automatic() && config_.run.overflow != Overflow::refused &&
                           is_traced(task_.rows) &&
                           // The entries of a cone beam are computed for all voxels.
                           !(traits_of(task_.rows).is_circulant && !task_.masks.columns.empty());
  if (!may_overflow() && !may_compute && !may_store_blocks()) return prepare_on_one();
  const OperatorWish computed = with_computed_entries();
  bool computes = may_compute;
  const auto warn = [&](const MemoryError& error, const std::string& instead) {
    progress_.message("warning: " + std::string(error.what()) + "; " + instead);
  };
  const std::string computes_entries =
      "the entries are computed in every product instead (operator.format: computed)";
  try {
    return prepare_on_one();
  } catch (const MemoryError& error) {
    if (may_store_blocks()) {
      warn(error, "only the row of blocks is stored (operator.format: block_circulant)");
      OperatorWish blocks = task_.wish;
      blocks.set_format("block_circulant");
      blocks.transpose = TransposeMethod::stored;
      choose(std::move(blocks));
      try {
        return prepare_on_one();
      } catch (const MemoryError& of_blocks) {
        if (!may_compute) throw;
        warn(of_blocks, computes_entries);
      }
      choose(computed);
      return prepare_on_one();
    }
    if (may_overflow() && may_compute) computes = prefers_computed_to_parts();
    warn(error, computes ? computes_entries
                         : "the rows that do not fit are streamed or left to the host "
                           "(run.overflow)");
  }
  if (!computes) return prepare_parts();
  choose(computed);
  return prepare_on_one();
}

/// Builds the matrix on one device, in the way of `task_.wish`.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_on_one() {
  BuildObserver observer;
  observer.wants_fingerprint = checkpoints_.is_used();
  observer.matrix_begins = [&](const char* what) {
    run_.begin("matrix");
    announce_matrix(progress_, config_, input_, what);
  };
  observer.matrix_built = [&](const BuiltMatrix& matrix) {
    checkpoints_.set_matrix(matrix.rows, matrix.columns, matrix.nonzeros, matrix.fingerprint);
    print_matrix(matrix.rows, matrix.columns, matrix.nonzeros, matrix.bytes, matrix.how);
  };
  observer.operator_begins = [&](double entries) {
    run_.begin("operator");
    announce(progress_, preparation_of(config_), entries);
  };
  auto built = build_system<ExecutionSpace, Scalar>(exec_, task_, observer);
  order_ = std::move(built.order);
  if (built.subsets) {
    all_subsets_ = built.subsets;
    rank_rows_.subset_begins = std::move(built.subset_begins);
  }
  run_.sample_memory();
  read_rhs(config_, natural_size(order_.rows, built.statistics.rows), input_);
  return std::move(built);
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
