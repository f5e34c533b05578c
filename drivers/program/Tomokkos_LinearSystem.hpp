// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_SharedSystem.hpp>
#include <Tomokkos_StoredTriangle.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <Tomokkos_SystemVectors.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Runs `problem.type: linear_system` on one backend in one precision: reads matrix and
/// right-hand sides, solves, and writes solutions and report. Writes nothing before the solver has
/// accepted its input.
///
/// The solver uses the order of the configuration. Files are in natural order.
///
/// Each rank holds contiguous rows of the matrix, in the order of the solver, and the corresponding
/// entries of the vectors; for least squares all unknowns.
template <class ExecutionSpace, class Scalar>
class LinearSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param options with ranks
  LinearSystem(const RunConfig& config, const RunOptions& options);

  /// \brief Performs the run and returns the exit status: 1 if a right-hand side was not solved.
  int run();

 private:
  using VectorType = Vector<Scalar, memory_space>;
  using Matrix = CsrMatrix<Scalar, memory_space>;
  using System = PreconditionedSystem<ExecutionSpace, Scalar>;

  Matrix natural_rows(bool is_cut);
  Matrix make_share();
  void check_shape(const HostCsrMatrix<Scalar>& A) const;
  bool checks_symmetry() const;
  template <class Space>
  void check_symmetry(const Space& exec,
                      const CsrMatrix<Scalar, typename Space::memory_space>& A) const;
  BuiltSystem<ExecutionSpace, Scalar> prepare();
  void require_kept_rhs(const HostColumns& b, std::size_t rows) const;
  HostCsrMatrix<Scalar> read_file();
  void read_vectors(Ordinal rows, Ordinal columns);
  bool is_square() const;
  SystemNumbering numbering(Offset longest_row) const;
  std::optional<System> prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A);
  void write_results(const BuiltSystem<ExecutionSpace, Scalar>& prepared,
                     const std::optional<System>& system);
  Description report(const BuiltSystem<ExecutionSpace, Scalar>& prepared,
                     const std::optional<System>& system);

  const RunConfig& config_;
  Run<ExecutionSpace, Scalar> run_;
  ExecutionSpace exec_;
  SharedSystem<ExecutionSpace, Scalar> shared_;
  MatrixOrder<memory_space> order_;  // of all rows
  MatrixOrder<memory_space> own_;    // of the rows and unknowns of this rank
  SystemFacts facts_;
  StoredTriangle triangle_ = StoredTriangle::none;
  Ordinal columns_ = 1;  // number of right-hand sides
  VectorType b_, x_;     // row-major
};

}  // namespace Tomokkos
