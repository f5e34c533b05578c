// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_EquationWriter.hpp>

namespace Tomokkos {

/// \brief Variables of a set of equations, for `num_columns` right-hand sides.
template <class Scalar, class MemorySpace>
struct EquationVariables {
  Ordinal num_variables = 0;
  /// Number of right-hand sides, and of values of each variable.
  Ordinal num_columns = 1;
  /// Nonzero for variables that are locked to their values; empty: no variable is locked.
  VectorView<const char, MemorySpace> locked = {};
  /// Values, `num_variables x num_columns`: fixed values of locked variables, initial guess of free
  /// ones. Empty: zeros.
  MultiVectorView<const Scalar, MemorySpace> values = {};
};

/// \brief Linear equations `F x_f + L x_l = b` over free and locked variables, as sparse rows with
/// several right-hand sides b.
///
/// A functor that is called for every row on the execution space supplies the coefficients. If it
/// names a variable several times in a row, the coefficients are added. With `normalize` a row is
/// first divided by the 2-norm of its coefficients, those of free and of locked variables together.
/// With or without `normalize`, a row is then multiplied by its factor (`EquationWriter::scale`). b
/// is scaled with its row.
///
/// This suffices for least squares with `Cgls`: `free_part()` is the matrix and `targets()` are the
/// right-hand sides. `AssembledEquations` makes systems for solvers that need square matrices.
///
/// All sums are in a fixed order and without atomics on values: the bits are the same for any
/// number of threads. Memory: `4 + sizeof(Scalar)` bytes a coefficient; 24 a row and
/// `sizeof(Scalar)` for each of its right-hand sides (twice if there are locked variables); 12 a
/// variable. Copies share it.
template <class ExecutionSpace, class Scalar>
class EquationRows {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  using Variables = EquationVariables<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  /// \brief Builds the rows from \p equations, a functor with
  /// `KOKKOS_FUNCTION void operator()(Offset row, EquationWriter<Scalar>& equation) const`.
  ///
  /// The functor is called three times for each row (to count, to list and to fill) and must write
  /// the same every time. Rows may be empty. The object is complete on return.
  ///
  /// \throws Error naming the row (and the variable) for a variable or a column that does not
  ///   exist, for values that are not finite, and for a row of zeros that is to be normalised
  /// \throws DimensionMismatch
  /// \throws MemoryError
  template <class Equations>
  EquationRows(const ExecutionSpace& exec, Ordinal num_rows, const Variables& variables,
               const Equations& equations, bool normalize = false);

  /// \brief Replaces coefficients, right-hand sides and factors, and keeps the pattern.
  /// Coefficients that are no longer written become 0. The rows have the same bits as new ones.
  ///
  /// Calls \p equations once for each row; allocates nothing.
  ///
  /// \throws Error as the constructor does, and for a coefficient that is not in the pattern. The
  ///   values are then unusable until they are filled again.
  template <class Equations>
  void refill(const ExecutionSpace& exec, const Equations& equations);

  /// \brief Replaces the right-hand sides, `num_rows() x num_columns()`, which are scaled like
  /// their rows.
  ///
  /// \throws Error naming an entry that is not finite, before or after scaling; in that case
  ///   nothing has changed
  void set_right_hand_sides(const ExecutionSpace& exec, const ConstMultiVectorType& B);

  /// \brief Replaces the values of the locked variables by those in \p X, which has the values of
  /// all variables, `num_variables() x num_columns()`.
  ///
  /// \throws Error as `set_right_hand_sides` does
  void set_locked_values(const ExecutionSpace& exec, const ConstMultiVectorType& X);

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_variables() const { return free_.natural_size(); }
  Ordinal num_free() const { return free_.size(); }
  Ordinal num_columns() const { return num_columns_; }
  bool normalizes() const { return normalize_; }

  /// \brief Numbers of the free variables, and of the locked ones.
  const IndexMap<memory_space>& free_variables() const { return free_; }
  const IndexMap<memory_space>& locked_variables() const { return locked_; }

  /// \brief F, `num_rows() x num_free()`, rows sorted; written zeros are stored.
  matrix_type free_part() const { return free_part_.matrix(num_rows_, free_.size()); }
  /// \brief L, `num_rows()` x number of locked variables.
  matrix_type locked_part() const { return locked_part_.matrix(num_rows_, locked_.size()); }
  /// \brief Right-hand sides for the free variables, `b - L x_l`, `num_rows() x num_columns()`.
  ConstMultiVectorType targets() const { return targets_; }
  /// \brief Initial values of the free variables, `num_free() x num_columns()`.
  ConstMultiVectorType start() const { return start_; }

  /// \brief Writes the values of all variables, `num_variables() x num_columns()`: \p X_free, and
  /// those of the locked ones. One launch, no fence.
  void scatter(const ExecutionSpace& exec, const ConstMultiVectorType& X_free,
               const MultiVectorType& X) const;

  /// \brief Bytes of device memory used by the rows.
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
