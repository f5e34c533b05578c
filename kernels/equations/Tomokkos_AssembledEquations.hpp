// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_EquationRows.hpp>
#include <Tomokkos_NormalMatrix.hpp>

namespace Tomokkos {

/// \brief What is asked of the free variables.
enum class EquationKind {
  least_squares,  ///< the least sum of the squares of all equations: `F^T F x = F^T (b - L x_l)`
  plain           ///< every equation, as many as free variables: `F x = b - L x_l`
};

template <>
struct EnumNames<EquationKind> {
  static constexpr std::array<std::pair<EquationKind, std::string_view>, 2> names{
      {{EquationKind::least_squares, "least_squares"}, {EquationKind::plain, "plain"}}};
};

/// \brief How equations are made into a system.
struct EquationOptions {
  EquationKind kind = EquationKind::least_squares;
  /// Divides every row by the 2-norm of its coefficients before its factor is applied.
  bool normalize_rows = false;
};

/// \brief What solves a system best.
enum class EquationSolver {
  pcg,      ///< conjugate gradients with Jacobi
  bicgstab  ///< BiCGSTAB with Jacobi
};

template <>
struct EnumNames<EquationSolver> {
  static constexpr std::array<std::pair<EquationSolver, std::string_view>, 2> names{
      {{EquationSolver::pcg, "pcg"}, {EquationSolver::bicgstab, "bicgstab"}}};
};

/// \brief Whether a square matrix may be positive definite, as far as its entries tell.
struct DefiniteSigns {
  bool symmetric = false;          ///< `A(i, j) == A(j, i)` for all entries
  bool positive_diagonal = false;  ///< `A(i, i) > 0` for all rows
};

/// \brief Conjugate gradients for least squares and for what may be positive definite, else
/// BiCGSTAB.
EquationSolver default_solver(EquationKind kind, const DefiniteSigns& signs);

/// \brief Equations as a square system over their free variables.
///
/// `matrix() x = right_hand_sides()`, from the start `rows().start()`; `rows().scatter` brings the
/// solution to all variables. Rows and columns are the free variables in their order.
///
/// Least squares need the matrix `F^T F` beside the rows (see `NormalMatrix`); a plain system is
/// the rows. All sums are in double and in a fixed order: the same bits for any number of threads.
/// Copies share everything, so whoever refills one refills all.
template <class ExecutionSpace, class Scalar>
class AssembledEquations {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using RowsType = EquationRows<ExecutionSpace, Scalar>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Builds the rows and the system; \p equations as in `EquationRows`.
  ///
  /// Complete on return. Throws what that throws, and `Error` naming the variable for a free one
  /// that no equation (or only zeros) holds; for plain systems also for equations without a free
  /// variable (naming the equation), and `DimensionMismatch` unless there are as many equations as
  /// free variables.
  template <class Equations>
  AssembledEquations(const ExecutionSpace& exec, Ordinal num_rows,
                     const EquationVariables<Scalar, memory_space>& variables,
                     const Equations& equations, const EquationOptions& options = {})
      : AssembledEquations(exec,
                           RowsType(exec, num_rows, variables, equations, options.normalize_rows),
                           options.kind) {}

  /// \brief The same from rows that are there.
  AssembledEquations(const ExecutionSpace& exec, const RowsType& rows, EquationKind kind);

  /// \brief New coefficients, right-hand sides and factors, the pattern as it is; see
  /// `EquationRows::refill`. The bits are those of a system built anew. Allocates nothing.
  ///
  /// Operators made of `matrix()` see the new values; what keeps values of its own (scaled systems,
  /// stored transposes, other formats) must be made anew. After an exception the system is unusable
  /// until it is filled again.
  template <class Equations>
  void refill(const ExecutionSpace& exec, const Equations& equations) {
    rows_.refill(exec, equations);
    refresh(exec);
  }

  /// \brief New right-hand sides of the equations, or values of the locked variables, and what
  /// follows from them; see `EquationRows`.
  void set_right_hand_sides(const ExecutionSpace& exec, const ConstMultiVectorType& B);
  void set_locked_values(const ExecutionSpace& exec, const ConstMultiVectorType& X);

  EquationKind kind() const { return kind_; }
  const RowsType& rows() const { return rows_; }

  /// \brief The matrix over the free variables, rows sorted. After `refill` the same arrays hold
  /// the new values.
  matrix_type matrix() const { return normal_ ? normal_->matrix() : rows_.free_part(); }
  /// \brief `num_free x num_columns`.
  ConstMultiVectorType right_hand_sides() const;

  /// \brief Compares the matrix with its transpose, entry by entry (least squares: nothing to
  /// compare). Fences.
  DefiniteSigns signs(const ExecutionSpace& exec) const;
  /// \brief `default_solver` of this system. Fences.
  EquationSolver solver(const ExecutionSpace& exec) const {
    return default_solver(kind_, signs(exec));
  }

  /// \brief Bytes of device memory, rows included.
  std::size_t memory_bytes() const;

 private:
  void refresh(const ExecutionSpace& exec);
  void check_diagonal(const ExecutionSpace& exec) const;
  void check_plain(const ExecutionSpace& exec) const;
  void compute_right_hand_sides(const ExecutionSpace& exec);
  [[noreturn]] void throw_undetermined(const ExecutionSpace& exec, Ordinal free) const;

  RowsType rows_;
  EquationKind kind_;
  std::optional<NormalMatrix<ExecutionSpace, Scalar>> normal_;  // of least squares
  Vector<int, memory_space> marks_;  // of columns of plain systems, while they are checked
  MultiVector<Scalar, memory_space> right_hand_sides_;  // of least squares
};

}  // namespace Tomokkos
