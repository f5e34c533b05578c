// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>

namespace Tomokkos {

namespace Impl {

/// \brief Faults of an equation.
enum class EquationFault : int {
  none,
  variable,    ///< a coefficient has a variable that does not exist
  column,      ///< a right-hand side has a column that does not exist
  repetition,  ///< the functor wrote different coefficients than before
  pattern,     ///< the pattern does not contain a coefficient
  not_finite,
  zero_row  ///< a row of zeros cannot be normalised
};

/// \brief Numbers of the variables among the free and among the locked ones; `not_mapped` for
/// variables of the other kind.
struct VariablePlaces {
  const Ordinal* free;
  const Ordinal* locked;
  Ordinal num_variables;
  Ordinal num_columns;
};

/// \brief Free or locked coefficients of one equation.
template <class Scalar>
struct EquationPart {
  Ordinal* columns = nullptr;
  Scalar* values = nullptr;
  Offset capacity = 0;
  Offset length = 0;
};

/// \brief Operation of an equation's writer on coefficients.
enum class WriterMode { count, list, fill };

/// \brief State of one equation while it is written.
template <class Scalar>
struct EquationEntries {
  WriterMode mode;
  VariablePlaces places;
  EquationPart<Scalar> free, locked;
  Scalar* right_hand_sides = nullptr;
  double scale = 1;
  EquationFault fault = EquationFault::none;
  Ordinal faulty = 0;

  KOKKOS_INLINE_FUNCTION void fail(EquationFault what, Ordinal index) {
    if (fault != EquationFault::none) return;
    fault = what;
    faulty = index;
  }
};

}  // namespace Impl

/// \brief Interface with which a functor writes one equation `sum_j a_j x_j = b`.
template <class Scalar>
class EquationWriter {
 public:
  /// \brief Used by `EquationRows`.
  KOKKOS_INLINE_FUNCTION explicit EquationWriter(Impl::EquationEntries<Scalar>& entries)
      : entries_(entries) {}

  /// \brief Adds \p coefficient to that of \p variable. Several for one variable are summed in the
  /// order of the calls.
  KOKKOS_INLINE_FUNCTION void add(Ordinal variable, Scalar coefficient) {
    const Impl::VariablePlaces& places = entries_.places;
    if (variable < 0 || variable >= places.num_variables)
      return entries_.fail(Impl::EquationFault::variable, variable);
    const bool is_free = places.free[variable] >= 0;
    const Ordinal column = is_free ? places.free[variable] : places.locked[variable];
    Impl::EquationPart<Scalar>& part = is_free ? entries_.free : entries_.locked;
    if (entries_.mode == Impl::WriterMode::count) {
      ++part.length;
    } else if (entries_.mode == Impl::WriterMode::list) {
      if (part.length == part.capacity)
        entries_.fail(Impl::EquationFault::repetition, variable);
      else
        part.columns[part.length++] = column;
    } else {
      const Offset k = Impl::find_column(part.columns, 0, part.capacity, column);
      if (k < 0)
        entries_.fail(Impl::EquationFault::pattern, variable);
      else
        part.values[k] += coefficient;
    }
  }

  /// \brief Sets b in \p column of the right-hand sides; 0 if it is not set.
  KOKKOS_INLINE_FUNCTION void right_hand_side(Scalar value, Ordinal column = 0) {
    if (column < 0 || column >= entries_.places.num_columns)
      return entries_.fail(Impl::EquationFault::column, column);
    if (entries_.mode == Impl::WriterMode::fill) entries_.right_hand_sides[column] = value;
  }

  /// \brief Multiplies both sides of the equation by \p factor, which is 1 unless it is set.
  ///
  /// In least squares it is the square root of the weight of the equation. Rows that are to be
  /// normalised are normalised first. The last call counts.
  KOKKOS_INLINE_FUNCTION void scale(double factor) { entries_.scale = factor; }

 private:
  Impl::EquationEntries<Scalar>& entries_;
};

}  // namespace Tomokkos
