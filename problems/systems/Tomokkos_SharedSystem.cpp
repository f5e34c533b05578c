// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_SharedSystem.hpp>
#include <impl/Tomokkos_SystemBuilder_impl.hpp>
#include <numeric>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
void SharedSystem<ExecutionSpace, Scalar>::require_supported() const {
  if (!is_used()) return;
  wish_.require_steady(task_.needs.deterministic, false);
  const auto refuse = [](const std::string& key) {
    throw ConfigError("run.ranks." + key + " applies only to tomography");
  };
  if (wish_.image) refuse("image: " + std::string(to_string(*wish_.image)));
  if (wish_.slabs > 0) refuse("slabs:");
  if (wish_.measure_sums) refuse("measure_sums:");
}

template <class ExecutionSpace, class Scalar>
void SharedSystem<ExecutionSpace, Scalar>::cut(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets, Ordinal unit) {
  unit = std::lcm(unit, block_rows_);
  begins_ = partition_rows(offsets, all_rows, weights());
  for (std::size_t r = 1; r + 1 < begins_.size(); ++r) begins_[r] -= begins_[r] % unit;
}

template <class ExecutionSpace, class Scalar>
void SharedSystem<ExecutionSpace, Scalar>::cut_evenly(Ordinal rows, Ordinal unit) {
  unit = std::lcm(unit, block_rows_);
  begins_ = partition_evenly(rows / unit, weights());
  for (Ordinal& begin : begins_) begin *= unit;
  begins_.back() = rows;
}

/// Measures products with the rows of a first cut; the next cuts share all rows by their speed.
template <class ExecutionSpace, class Scalar>
void SharedSystem<ExecutionSpace, Scalar>::measure(const Matrix& rows, bool with_transpose) {
  OperatorOptions options;
  if (!with_transpose) options.transpose = TransposeMethod::atomic;  // never used
  const AnyOperator<ExecutionSpace, Scalar> A(
      together([&] { return CsrOperator<ExecutionSpace, Scalar>(exec_, rows, options); }));
  const double seconds = seconds_of_products<ExecutionSpace, Scalar>(exec_, A, with_transpose);
  weights_ = ranks_->speeds(static_cast<double>(rows.num_nonzeros()), seconds);
}

template <class ExecutionSpace, class Scalar>
auto SharedSystem<ExecutionSpace, Scalar>::share(const Matrix& A, Ordinal unit) -> Matrix {
  if (!is_used()) return A;
  cut(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), A.row_offsets), unit);
  return csr_row_range<ExecutionSpace, Scalar>(exec_, A, own());
}

/// Completes the report of an operator over all ranks.
template <class ExecutionSpace, class Scalar>
template <class Operator>
auto SharedSystem<ExecutionSpace, Scalar>::finished(Operator A, Description report,
                                                    const RowStatistics& own,
                                                    const Description& more) const -> Prepared {
  Description of_ranks = Impl::describe_ranks(*ranks_, communicator_->transport(), wish_, weights(),
                                              own, A.memory_bytes());
  of_ranks.set_all(more);
  report.set("memory_bytes", A.memory_bytes());
  report.set("ranks", std::move(of_ranks));
  const RowStatistics all = ranks_->statistics_of_all(own);
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(A)), all, std::move(report)};
}

template <class ExecutionSpace, class Scalar>
auto SharedSystem<ExecutionSpace, Scalar>::prepare_square(const Matrix& rows, Ordinal vectors,
                                                          const Prepare& prepare_own) const
    -> Prepared {
  SystemTask task = task_;
  task.needs.vectors = vectors;
  const auto prepare = [&](const Matrix& own) {
    if (prepare_own) return prepare_own(own);
    return prepare_operator<ExecutionSpace, Scalar>(exec_, task, own);
  };
  if (!is_used()) return prepare(rows);
  Description report;
  HaloOperator<ExecutionSpace, Scalar> A(
      exec_, rows, begins_, communicator_,
      [&](const Matrix& own) {
        Prepared prepared = prepare(own);
        report = std::move(prepared.report);
        return std::move(prepared.A);
      },
      task_.needs.deterministic);
  A.reserve(exec_, vectors);
  const Description more =
      describe_map({{"halo", ranks_->gather_from_all(A.halo_size())},
                    {"sent", ranks_->gather_from_all(static_cast<double>(A.sent_size()))}});
  return finished(std::move(A), std::move(report), row_statistics(exec_, rows), more);
}

template <class ExecutionSpace, class Scalar>
auto SharedSystem<ExecutionSpace, Scalar>::prepare_rectangular(const Matrix& rows,
                                                               Ordinal vectors) const -> Prepared {
  SystemTask task = task_;
  task.needs.vectors = vectors;
  Prepared own =
      together([&] { return prepare_operator<ExecutionSpace, Scalar>(exec_, task, rows); });
  if (!is_used()) return own;
  DistributedOperator<ExecutionSpace, Scalar> A(exec_, own.A, communicator_);
  A.reserve(exec_, vectors);
  const Description more = describe_map({{"sum_bytes", A.sum_bytes(static_cast<int>(vectors))}});
  return finished(std::move(A), std::move(own.report), own.statistics, more);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class SharedSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
