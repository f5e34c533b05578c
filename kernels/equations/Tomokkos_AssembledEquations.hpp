// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_EquationRows.hpp>
#include <Tomokkos_NormalMatrix.hpp>

namespace Tomokkos {

/// \brief Problem to solve for the free variables.
enum class EquationKind {
  least_squares,  ///< minimises the sum of squares of all equations: `F^T F x = F^T (b - L x_l)`
  plain           ///< satisfies every equation, as many as free variables: `F x = b - L x_l`
};

template <>
struct EnumNames<EquationKind> {
  static constexpr std::array<std::pair<EquationKind, std::string_view>, 2> names{
      {{EquationKind::least_squares, "least_squares"}, {EquationKind::plain, "plain"}}};
};

/// \brief Options for making a system from equations.
struct EquationOptions {
  EquationKind kind = EquationKind::least_squares;
  /// Divide every row by the 2-norm of its coefficients before its factor is applied.
  bool normalize_rows = false;
};

/// \brief Solver that suits a system.
enum class EquationSolver {
  pcg,      ///< conjugate gradients with a Jacobi preconditioner
  bicgstab  ///< BiCGSTAB with a Jacobi preconditioner
};

template <>
struct EnumNames<EquationSolver> {
  static constexpr std::array<std::pair<EquationSolver, std::string_view>, 2> names{
      {{EquationSolver::pcg, "pcg"}, {EquationSolver::bicgstab, "bicgstab"}}};
};

/// \brief Necessary conditions for a square matrix to be positive definite, checked on its entries.
struct DefiniteSigns {
  bool symmetric = false;          ///< `A(i, j) == A(j, i)` for all entries
  bool positive_diagonal = false;  ///< `A(i, i) > 0` for all rows
};

/// \brief Chooses conjugate gradients for least squares and for matrices that may be positive
/// definite, otherwise BiCGSTAB.
EquationSolver default_solver(EquationKind kind, const DefiniteSigns& signs);

/// \brief Square system over the free variables of a set of equations:
/// `matrix() x = right_hand_sides()`.
///
/// `rows().start()` is the initial guess; `rows().scatter` distributes the solution to all
/// variables. Rows and columns are the free variables in their order.
///
/// Least squares need the matrix `F^T F` in addition to the rows (see `NormalMatrix`); a plain
/// system uses the rows themselves. All sums are in double and in a fixed order, so the bits are
/// the same for any number of threads. Copies share everything: refilling one refills all.
template <class ExecutionSpace, class Scalar>
class AssembledEquations {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using RowsType = EquationRows<ExecutionSpace, Scalar>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Builds the rows and the system; \p equations as in `EquationRows`. The system is
  /// complete on return.
  ///
  /// \throws Error as `EquationRows` does, and naming the variable if a free variable has no
  ///   nonzero coefficient; for plain systems also naming an equation without a free variable
  /// \throws DimensionMismatch if a plain system does not have as many equations as free variables
  template <class Equations>
  AssembledEquations(const ExecutionSpace& exec, Ordinal num_rows,
                     const EquationVariables<Scalar, memory_space>& variables,
                     const Equations& equations, const EquationOptions& options = {})
      : AssembledEquations(exec,
                           RowsType(exec, num_rows, variables, equations, options.normalize_rows),
                           options.kind) {}

  /// \brief Builds the system from existing rows.
  AssembledEquations(const ExecutionSpace& exec, const RowsType& rows, EquationKind kind);

  /// \brief Replaces coefficients, right-hand sides and factors, and keeps the pattern; see
  /// `EquationRows::refill`. The system has the same bits as a new one. Allocates nothing.
  ///
  /// Operators that use `matrix()` see the new values. Objects with their own copy of the values
  /// (scaled systems, stored transposes, other formats) must be rebuilt. After an exception the
  /// system is unusable until it is filled again.
  template <class Equations>
  void refill(const ExecutionSpace& exec, const Equations& equations) {
    rows_.refill(exec, equations);
    refresh(exec);
  }

  /// \brief Replaces the right-hand sides of the equations, or the values of the locked variables,
  /// and updates the system; see `EquationRows`.
  void set_right_hand_sides(const ExecutionSpace& exec, const ConstMultiVectorType& B);
  void set_locked_values(const ExecutionSpace& exec, const ConstMultiVectorType& X);

  EquationKind kind() const { return kind_; }
  const RowsType& rows() const { return rows_; }

  /// \brief Matrix over the free variables, rows sorted. After `refill` the same arrays hold the
  /// new values.
  matrix_type matrix() const { return normal_ ? normal_->matrix() : rows_.free_part(); }
  /// \brief Right-hand sides of the system, `num_free x num_columns`.
  ConstMultiVectorType right_hand_sides() const;

  /// \brief Compares the matrix with its transpose, entry by entry. Least squares need no
  /// comparison. Fences.
  DefiniteSigns signs(const ExecutionSpace& exec) const;
  /// \brief Returns the `default_solver` of this system. Fences.
  EquationSolver solver(const ExecutionSpace& exec) const {
    return default_solver(kind_, signs(exec));
  }

  /// \brief Bytes of device memory, including the rows.
  std::size_t memory_bytes() const;

 private:
  void refresh(const ExecutionSpace& exec);
  void check_diagonal(const ExecutionSpace& exec) const;
  void check_plain(const ExecutionSpace& exec) const;
  void compute_right_hand_sides(const ExecutionSpace& exec);
  [[noreturn]] void throw_undetermined(const ExecutionSpace& exec, Ordinal free) const;

  RowsType rows_;
  EquationKind kind_;
  std::optional<NormalMatrix<ExecutionSpace, Scalar>> normal_;  // for least squares
  Vector<int, memory_space> marks_;  // of columns of plain systems, for the checks
  MultiVector<Scalar, memory_space> right_hand_sides_;  // for least squares
};

}  // namespace Tomokkos
