// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepares the matrix of a linear system on several ranks: each builds or reads its own rows.
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_HaloOperator.hpp>
#include <Tomokkos_LinearSystem.hpp>
#include <Tomokkos_LongPhases.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {
namespace {

/// Refuses settings that need a single process.
void require_shareable(const RunConfig& config, int ranks) {
  const std::string several = ", but " + std::to_string(ranks) + " processes were started";
  if (config.solver.kind() != SolverKind::pcg)
    throw ConfigError("solver.type: " + std::string(to_string(config.solver.kind())) +
                      " needs a single process" + several + "; pcg supports several");
  const OperatorSection& section = config.matrix_operator;
  if (!section.is(MatrixFormat::csr))
    throw ConfigError(prefix_of(section.format_position) + "operator.format: a linear system in " +
                      section.format_name() + " needs a single process" + several +
                      "; csr supports several");
  if (!is_natural(section.ordering))
    throw ConfigError(prefix_of(section.ordering_position) +
                      "operator.ordering: needs the whole matrix on a single process" + several);
  const RanksSection& of_ranks = config.run.ranks;
  const auto refuse = [](const char* key) {
    throw ConfigError(
        "run.ranks." + std::string(key) +
        " applies only to tomography; a linear system supports equal or given weights");
  };
  if (of_ranks.measured) refuse("weights: measured");
  if (of_ranks.image) refuse(("image: " + std::string(to_string(*of_ranks.image))).c_str());
  if (of_ranks.slabs > 0) refuse("slabs:");
  if (of_ranks.measure_sums) refuse("measure_sums:");
  if (config.solver.preconditioner().float_matrix)
    throw ConfigError("solver.float_matrix: needs a single process" + several);
}

}  // namespace

/// Builds or reads the rows of this rank and sets `begins_`. Rows of a stencil are cut by their
/// number, because they have almost equal lengths; rows of a file are cut by nonzeros.
template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::Matrix
LinearSystem<ExecutionSpace, Scalar>::read_rows(const std::vector<double>& weights) {
  const auto own = [&] {
    const auto r = static_cast<std::size_t>(ranks_.rank());
    return RowRange{begins_[r], begins_[r + 1]};
  };
  if (const auto& stencil = config_.problem.stencil) {
    const auto all = static_cast<Ordinal>(stencil->num_rows());
    begins_ = partition_evenly(all / stencil->unknowns, weights);
    for (Ordinal& begin : begins_) begin *= stencil->unknowns;
    return make_stencil<ExecutionSpace, Scalar>(exec_, *stencil, own());
  }
  const bool checks = !config_.solver.assume_symmetric;
  const HostCsrMatrix<Scalar> host = read_file();
  if (checks) {
    const MatrixSymmetry symmetry =
        matrix_symmetry<Kokkos::DefaultHostExecutionSpace, Scalar>({}, host);
    if (!symmetry.up_to_rounding) refuse_asymmetry(symmetry);
  }
  begins_ = partition_rows(host.row_offsets, all_rows, weights);
  return csr_row_range<ExecutionSpace, Scalar>(exec_, host, own());
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> LinearSystem<ExecutionSpace, Scalar>::prepare_on_ranks() {
  run_.begin("matrix");
  announce_reading(run_.progress(), config_.problem.matrix);
  Matrix rows;
  std::vector<double> weights;
  ranks_.together([&] {
    require_shareable(config_, ranks_.size());
    weights = given_weights(config_, ranks_.size());
    rows = read_rows(weights);
  });
  read_vectors(begins_.back(), begins_.back());
  run_.begin("operator");
  const RowStatistics own = row_statistics<ExecutionSpace, Scalar>(exec_, rows);
  OperatorOptions options;
  options.spmv.variant = config_.matrix_operator.variant;
  options.spmv.deterministic = config_.run.deterministic;
  HaloOperator<ExecutionSpace, Scalar> A(exec_, rows, begins_, communicator_, options);
  A.reserve(exec_, columns_);
  const RowStatistics all = statistics_of_all(ranks_, own);
  Description report = Description::map();
  report.set("format", "csr");
  report.set("transpose", "none");
  report.set("memory_bytes", A.memory_bytes());
  Description of_ranks = Description::map();
  of_ranks.set("count", ranks_.size());
  of_ranks.set("transport", communicator_->transport());
  of_ranks.set("weights", weights);
  of_ranks.set("rows", ranks_.gather_from_all(own.rows));
  const std::vector<double> nonzeros = ranks_.gather_from_all(static_cast<double>(own.nonzeros));
  of_ranks.set("nonzeros", nonzeros);
  of_ranks.set("imbalance",
               partition_imbalance(std::vector<Offset>(nonzeros.begin(), nonzeros.end()), weights));
  of_ranks.set("memory_bytes", ranks_.gather_from_all(static_cast<double>(A.memory_bytes())));
  of_ranks.set("halo", ranks_.gather_from_all(A.halo_size()));
  of_ranks.set("sent", ranks_.gather_from_all(static_cast<double>(A.sent_size())));
  report.set("ranks", std::move(of_ranks));
  return {AnyOperator<ExecutionSpace, Scalar>(std::move(A)), all,
          system_matrix_bytes<Scalar>(all.rows, all.nonzeros), std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template PreparedOperator<ExecutionSpace, Scalar>  \
  LinearSystem<ExecutionSpace, Scalar>::prepare_on_ranks();
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
