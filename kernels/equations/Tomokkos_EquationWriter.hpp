// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_IndexMap.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>

namespace Tomokkos {

namespace Impl {

/// \brief What may be wrong with an equation.
enum class EquationFault : int {
  none,
  variable,    ///< of a coefficient is none of the variables
  column,      ///< of a right-hand side is none of the columns
  repetition,  ///< of the functor wrote other coefficients than before
  pattern,     ///< does not hold the coefficient
  not_finite,
  zero_row  ///< cannot be normalised
};

/// \brief The variables' places among the free and among the locked ones, `not_mapped` where they
/// are the other.
struct VariablePlaces {
  const Ordinal* free;
  const Ordinal* locked;
  Ordinal num_variables;
  Ordinal num_columns;
};

/// \brief The free or the locked coefficients of one equation.
template <class Scalar>
struct EquationPart {
  Ordinal* columns = nullptr;
  Scalar* values = nullptr;
  Offset capacity = 0;
  Offset length = 0;
};

/// \brief What an equation's writer does with coefficients.
enum class WriterMode { count, list, fill };

/// \brief One equation while it is written.
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

/// \brief What a functor writes one equation `sum_j a_j x_j = b` with.
template <class Scalar>
class EquationWriter {
 public:
  /// \brief Made by `EquationRows`.
  KOKKOS_INLINE_FUNCTION explicit EquationWriter(Impl::EquationEntries<Scalar>& entries)
      : entries_(entries) {}

  /// \brief Adds \p coefficient to that of \p variable: several for one variable are summed, in the
  /// order in which they come.
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

  /// \brief Sets b in \p column of the right-hand sides; 0 where it is not set.
  KOKKOS_INLINE_FUNCTION void right_hand_side(Scalar value, Ordinal column = 0) {
    if (column < 0 || column >= entries_.places.num_columns)
      return entries_.fail(Impl::EquationFault::column, column);
    if (entries_.mode == Impl::WriterMode::fill) entries_.right_hand_sides[column] = value;
  }

  /// \brief Sets the factor of the equation, left side and right side: the square root of its
  /// weight in least squares. 1 where it is not set; after normalisation where rows are normalised.
  KOKKOS_INLINE_FUNCTION void scale(double factor) { entries_.scale = factor; }

 private:
  Impl::EquationEntries<Scalar>& entries_;
};

}  // namespace Tomokkos
