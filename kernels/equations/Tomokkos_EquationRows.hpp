// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EquationWriter.hpp>

namespace Tomokkos {

/// \brief The variables of a set of equations, for `num_columns` right-hand sides.
template <class Scalar, class MemorySpace>
struct EquationVariables {
  Ordinal num_variables = 0;
  /// Right-hand sides, and so values of each variable.
  Ordinal num_columns = 1;
  /// Not 0 for the variables that are locked to their values; empty: none is.
  VectorView<const char, MemorySpace> locked = {};
  /// `num_variables x num_columns`: of locked variables what they are, of free ones the start of an
  /// iteration. Empty: zeros.
  MultiVectorView<const Scalar, MemorySpace> values = {};
};

/// \brief Linear equations over variables of which some are locked: `F x_f + L x_l = b`, a sparse
/// row each, with several right-hand sides b.
///
/// Coefficients come from a functor that is called for every row on the execution space. A variable
/// that is named several times in a row has the sum. With `normalize` a row is divided by the
/// 2-norm of all its coefficients, of free and of locked variables; then (or: only) it is
/// multiplied by its factor (`EquationWriter::scale`). b goes with its row.
///
/// Least squares need no more than this: `free_part()` is the matrix and `targets()` the right-hand
/// sides for `Cgls`. `AssembledEquations` makes systems of it for solvers of square ones.
///
/// Everything is in a fixed order and without atomics on values: the same bits for any number of
/// threads. Memory: `4 + sizeof(Scalar)` bytes a coefficient, 24 and `sizeof(Scalar)` for each
/// right-hand side a row (twice where variables are locked), 12 a variable. Copies share it.
template <class ExecutionSpace, class Scalar>
class EquationRows {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using Variables = EquationVariables<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Builds the rows from \p equations, a functor
  /// `KOKKOS_FUNCTION void operator()(Offset row, EquationWriter<Scalar>& equation) const`.
  ///
  /// It is called three times for each row (to count, to list and to fill) and must write the same
  /// every time. Rows may be empty. Complete on return. Throws `Error` naming the row (and the
  /// variable) for a variable or a column that does not exist, what is not finite, a row of zeros
  /// that is to be normalised; `DimensionMismatch`, `MemoryError`.
  template <class Equations>
  EquationRows(const ExecutionSpace& exec, Ordinal num_rows, const Variables& variables,
               const Equations& equations, bool normalize = false);

  /// \brief New coefficients, right-hand sides and factors, the pattern as it is: coefficients that
  /// are no longer written are 0. The bits are those of rows built anew.
  ///
  /// Calls \p equations once for each row, allocates nothing. Throws `Error` as the constructor
  /// does, and for a coefficient that the pattern does not hold; the values are unusable then,
  /// until they are filled again.
  template <class Equations>
  void refill(const ExecutionSpace& exec, const Equations& equations);

  /// \brief New right-hand sides, `num_rows() x num_columns()`, which are scaled as their rows are.
  /// Throws `Error` naming an entry that is not finite, or no longer is when it is scaled, before
  /// anything has changed.
  void set_right_hand_sides(const ExecutionSpace& exec, const ConstMultiVectorType& B);

  /// \brief New values of the locked variables from those of all, `num_variables() x
  /// num_columns()`. Throws as `set_right_hand_sides` does.
  void set_locked_values(const ExecutionSpace& exec, const ConstMultiVectorType& X);

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_variables() const { return free_.natural_size(); }
  Ordinal num_free() const { return free_.size(); }
  Ordinal num_columns() const { return num_columns_; }
  bool normalizes() const { return normalize_; }

  /// \brief The free variables and their numbers; the locked ones and theirs.
  const IndexMap<memory_space>& free_variables() const { return free_; }
  const IndexMap<memory_space>& locked_variables() const { return locked_; }

  /// \brief F, `num_rows() x num_free()`, rows sorted; zeros that were written are stored.
  matrix_type free_part() const { return free_part_.matrix(num_rows_, free_.size()); }
  /// \brief L, `num_rows() x` locked variables.
  matrix_type locked_part() const { return locked_part_.matrix(num_rows_, locked_.size()); }
  /// \brief `b - L x_l`, `num_rows() x num_columns()`.
  ConstMultiVectorType targets() const { return targets_; }
  /// \brief The values that the free variables came with, `num_free() x num_columns()`.
  ConstMultiVectorType start() const { return start_; }

  /// \brief Values of all variables, `num_variables() x num_columns()`: \p X_free and those of the
  /// locked ones. One launch, no fence.
  void scatter(const ExecutionSpace& exec, const ConstMultiVectorType& X_free,
               const MultiVectorType& X) const;

  /// \brief Bytes of device memory that the rows hold.
  std::size_t memory_bytes() const;

 private:
  void number_variables(const ExecutionSpace& exec, const Variables& variables);
  void update_values(const ExecutionSpace& exec, const Variables& variables);
  void finish(const ExecutionSpace& exec);
  void compute_targets(const ExecutionSpace& exec);
  Impl::VariablePlaces places() const {
    return {free_.from_natural.data(), locked_.from_natural.data(), num_variables(), num_columns_};
  }

  Ordinal num_rows_, num_columns_;
  bool normalize_;
  IndexMap<memory_space> free_, locked_;
  Impl::CsrArrays<Scalar, memory_space> free_part_, locked_part_;
  Vector<double, memory_space> factors_;  // of the rows
  MultiVector<Scalar, memory_space> right_hand_sides_, targets_;
  MultiVector<Scalar, memory_space> start_, locked_values_;
};

}  // namespace Tomokkos

#include <impl/Tomokkos_EquationRows_impl.hpp>
