// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_MeshSystem.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_SharedSystem.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Runs `problem.type: parameterization`: flattens a mesh by a least squares conformal map
/// with two pins, by default on its longest border. Writes the mesh with its chart, pictures and
/// the report.
///
/// Each rank builds the whole system on its host, and holds contiguous rows of it on its device.
template <class ExecutionSpace, class Scalar>
class Parameterization {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  Parameterization(const RunConfig& config, const RunOptions& options)
      : problem_(config.problem),
        output_(config.output),
        ordering_(config.matrix_operator.ordering),
        run_(config.run, config.solver, config.output, to_node(config), options),
        shared_(run_.exec(), system_task(config.matrix_operator, config.needs()), config.run.ranks,
                config.solver.rows_of_a_block(), options.ranks) {}

  /// \brief Performs the run and returns the exit status: 1 if the solver did not converge.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using Prepared = BuiltSystem<ExecutionSpace, Scalar>;
  using HostMatrix = SharedCsrMatrix<Scalar, Kokkos::HostSpace>;

  /// System over the free vertices, with u and v side by side; the rows of this rank.
  struct System {
    OperatorType A;
    VectorType b;
    Description report;
  };

  void load();
  System make_system();
  System make_form();
  OperatorType form_operator(const HostMatrix& matrix) const;
  Prepared prepare_form_on_ranks(const HostMatrix& matrix);
  VectorType own_rows(const VectorType& all) const;
  System make_equations();
  void solve(const System& system);
  Description chart_description() const;
  void write(const System& system);

  const ProblemSection& problem_;
  const OutputSection& output_;
  const OrderingOptions& ordering_;
  Run<ExecutionSpace, Scalar> run_;
  SharedSystem<ExecutionSpace, Scalar> shared_;
  ChartSurface surface_;
  std::vector<Ordinal> order_;  // order of the free vertices
  ConformalSystem conformal_;
  std::optional<IndexMap<memory_space>> own_;  // unknowns of this rank; empty: all
  std::optional<PreconditionedSystem<ExecutionSpace, Scalar>> prepared_;
  std::vector<Point2> chart_;
  ChartQuality quality_;
};

}  // namespace Tomokkos
