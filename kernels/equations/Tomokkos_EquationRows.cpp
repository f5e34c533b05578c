// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of `EquationRows` that is compiled once, with all of its arithmetic.
//
// Kernels that number the variables, normalise the rows, and subtract the locked variables.
#include <Tomokkos_EquationRows.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Numbers the free (or locked) variables in their order and marks the others.
template <class MemorySpace>
struct NumberVariables {
  VectorView<const char, MemorySpace> locked;
  bool number_locked;
  Ordinal num_variables;
  Kokkos::View<Ordinal*, MemorySpace> from_natural;

  KOKKOS_FUNCTION void operator()(const Ordinal variable, Ordinal& count, const bool final) const {
    const bool is_locked = locked.extent(0) > 0 && locked(variable) != 0;
    const bool mine = is_locked == number_locked;
    if (final) from_natural(variable) = mine ? count : not_mapped;
    if (mine) ++count;
  }
};

template <class MemorySpace>
struct InvertNumbers {
  Kokkos::View<const Ordinal*, MemorySpace> from_natural;
  Kokkos::View<Ordinal*, MemorySpace> to_natural;

  KOKKOS_FUNCTION void operator()(const Ordinal variable) const {
    if (from_natural(variable) >= 0) to_natural(from_natural(variable)) = variable;
  }
};

/// Copies the values of some variables; zeros if no values are given.
template <class Scalar, class MemorySpace>
struct PickValues {
  Kokkos::View<const Ordinal*, MemorySpace> variables;
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(to.extent(1));
    to.data()[index] =
        from.data() == nullptr ? Scalar(0) : from(variables(index / columns), index % columns);
  }
};

/// Finds the first entry that is an infinity or a NaN, or becomes one when its row is multiplied by
/// its factor. Visits the given rows, or all of them.
template <class Scalar, class MemorySpace>
struct FirstNotFinite {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  MultiVectorView<const Scalar, MemorySpace> values;
  VectorView<const double, MemorySpace> factors;  // empty: none

  KOKKOS_FUNCTION void operator()(const Offset index, Offset& first) const {
    const Offset columns = static_cast<Offset>(values.extent(1));
    const Offset place = index / columns;
    const Offset row = rows.data() == nullptr ? place : rows(place);
    const Offset at = row * columns + index % columns;
    Scalar value = values.data()[at];
    if (factors.data() != nullptr)
      value = static_cast<Scalar>(factors(row) * static_cast<double>(value));
    if (!(value - value == Scalar(0)) && at < first) first = at;
  }
};

/// Divides rows by their norms if requested, multiplies them by their factors, and checks them.
template <class Scalar, class MemorySpace>
struct ScaleEquations {
  CsrArrays<Scalar, MemorySpace> free, locked;
  MultiVectorView<Scalar, MemorySpace> right_hand_sides;
  VectorView<double, MemorySpace> factors;
  bool normalize;

  using Arrays = CsrArrays<Scalar, MemorySpace>;

  KOKKOS_FUNCTION static void add_squares(const Arrays& part, Offset row, double unit,
                                          double& sum) {
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k) {
      const double value = static_cast<double>(part.values(k)) / unit;
      sum = multiply_add(value, value, sum);
    }
  }
  KOKKOS_FUNCTION static void keep_largest(const Arrays& part, Offset row, double& largest) {
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k) {
      const double size = fabs(static_cast<double>(part.values(k)));
      if (size > largest) largest = size;
    }
  }
  /// Computes the norm of a row. If the squares leave the range of double, it scales the entries by
  /// the largest.
  KOKKOS_FUNCTION double norm(Offset row) const {
    double sum = 0;
    add_squares(free, row, 1, sum);
    add_squares(locked, row, 1, sum);
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
    double largest = 0;
    keep_largest(free, row, largest);
    keep_largest(locked, row, largest);
    if (largest == 0 || !(largest - largest == 0)) return largest;
    sum = 0;
    add_squares(free, row, largest, sum);
    add_squares(locked, row, largest, sum);
    return largest * sqrt(sum);
  }
  KOKKOS_FUNCTION static bool multiply(Scalar& value, double factor) {
    value = static_cast<Scalar>(factor * static_cast<double>(value));
    return value - value == Scalar(0);
  }
  KOKKOS_FUNCTION static bool multiply(const Arrays& part, Offset row, double factor) {
    bool finite = true;
    for (Offset k = part.row_offsets(row); k < part.row_offsets(row + 1); ++k)
      finite = multiply(part.values(k), factor) && finite;
    return finite;
  }

  KOKKOS_FUNCTION void operator()(const Offset row, Offset& first) const {
    double factor = factors(row);
    EquationFault fault = EquationFault::none;
    if (normalize) {
      const double length = norm(row);
      if (length == 0) fault = EquationFault::zero_row;
      factor = length == 0 ? 0 : factor / length;
    }
    factors(row) = factor;
    bool finite = multiply(free, row, factor);
    finite = multiply(locked, row, factor) && finite;
    for (Offset j = 0; j < static_cast<Offset>(right_hand_sides.extent(1)); ++j)
      finite = multiply(right_hand_sides(row, j), factor) && finite;
    if (fault == EquationFault::none && !finite) fault = EquationFault::not_finite;
    if (fault == EquationFault::none) return;
    const Offset found = row * equation_fault_kinds + static_cast<Offset>(fault);
    if (found < first) first = found;
  }
};

/// Computes one entry of `T = B - L X`.
template <class Scalar, class MemorySpace>
struct SubtractLocked {
  CsrArrays<Scalar, MemorySpace> locked;
  MultiVectorView<const Scalar, MemorySpace> X, B;
  MultiVectorView<Scalar, MemorySpace> T;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(T.extent(1));
    const Offset row = index / columns, j = index % columns;
    double sum = B(row, j);
    for (Offset k = locked.row_offsets(row); k < locked.row_offsets(row + 1); ++k)
      sum = multiply_add(-static_cast<double>(locked.values(k)),
                         static_cast<double>(X(locked.columns(k), j)), sum);
    T(row, j) = static_cast<Scalar>(sum);
  }
};

template <class Scalar, class MemorySpace>
struct ScaleRightHandSides {
  MultiVectorView<const Scalar, MemorySpace> from;
  VectorView<const double, MemorySpace> factors;
  MultiVectorView<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset row = index / static_cast<Offset>(to.extent(1));
    to.data()[index] = static_cast<Scalar>(factors(row) * static_cast<double>(from.data()[index]));
  }
};

/// Writes all variables from the free and the locked ones.
template <class Scalar, class MemorySpace>
struct ScatterVariables {
  Kokkos::View<const Ordinal*, MemorySpace> free_places, locked_places;
  MultiVectorView<const Scalar, MemorySpace> free, locked;
  MultiVectorView<Scalar, MemorySpace> all;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(all.extent(1));
    const Offset variable = index / columns, j = index % columns;
    const Ordinal place = free_places(variable);
    all(variable, j) = place >= 0 ? free(place, j) : locked(locked_places(variable), j);
  }
};

/// \brief Throws if \p X is not \p rows x \p columns.
template <class View>
void require_shape(const char* name, const View& X, Ordinal rows, Ordinal columns) {
  require_equal(std::string("rows of ") + name, static_cast<long long>(X.extent(0)),
                "the number required by the equations", rows);
  require_equal(std::string("columns of ") + name, static_cast<long long>(X.extent(1)),
                "right-hand sides", columns);
}

/// \brief Throws for an infinity or a NaN in \p values. Checks the given \p rows, or all of them
/// (nullptr), also after multiplication of the rows by \p factors (nullptr: none).
template <class ExecutionSpace, class Scalar, class MemorySpace>
void require_finite(const ExecutionSpace& exec, const std::string& what,
                    const Kokkos::View<const Ordinal*, MemorySpace>& rows,
                    const MultiVectorView<const Scalar, MemorySpace>& values,
                    const VectorView<const double, MemorySpace>& factors = {}) {
  const std::size_t count = rows.data() == nullptr ? values.extent(0) : rows.extent(0);
  if (count == 0) return;
  Offset first = no_equation_fault;
  Kokkos::parallel_reduce(
      "Tomokkos::equations::finite", element_range(exec, count * values.extent(1)),
      FirstNotFinite<Scalar, MemorySpace>{rows, values, factors}, Kokkos::Min<Offset>(first));
  if (first == no_equation_fault) return;
  const auto columns = static_cast<Offset>(values.extent(1));
  throw Refused(Impl::text(
      "the {} {}{} is not finite{}", what, first / columns,
      columns > 1 ? Impl::text(", column {},", first % columns) : "",
      factors.data() == nullptr ? "" : ", or leaves the range of its numbers when it is scaled"));
}

/// \brief Returns the map of the free or of the locked variables.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> number_variables_of(
    const ExecutionSpace& exec, Ordinal num_variables,
    const VectorView<const char, typename ExecutionSpace::memory_space>& locked,
    bool number_locked) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Indices = Kokkos::View<Ordinal*, MemorySpace>;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, num_variables);
  const auto from_natural =
      allocate<Indices>(exec, "Tomokkos::IndexMap::from_natural", num_variables);
  Ordinal count = 0;
  Kokkos::parallel_scan(
      "Tomokkos::equations::number", all,
      NumberVariables<MemorySpace>{locked, number_locked, num_variables, from_natural}, count);
  fence(exec, "equations: number of variables of a kind");
  const auto to_natural = allocate<Indices>(exec, "Tomokkos::IndexMap::to_natural", count);
  Kokkos::parallel_for("Tomokkos::equations::invert", all,
                       InvertNumbers<MemorySpace>{from_natural, to_natural});
  return {to_natural, from_natural};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::number_variables(const ExecutionSpace& exec,
                                                            const Variables& variables) {
  require(variables.num_variables >= 0, "the number of variables is negative");
  require(variables.num_columns >= 1, "equations need at least one right-hand side");
  if (variables.locked.data() != nullptr)
    require_equal("length of locked", static_cast<long long>(variables.locked.extent(0)),
                  "number of variables", variables.num_variables);
  free_ = Impl::number_variables_of(exec, variables.num_variables, variables.locked, false);
  locked_ = Impl::number_variables_of(exec, variables.num_variables, variables.locked, true);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::update_values(const ExecutionSpace& exec,
                                                         const Variables& variables) {
  using Kernel = Impl::PickValues<Scalar, memory_space>;
  if (variables.values.data() != nullptr) {
    Impl::require_shape("the variables' values", variables.values, variables.num_variables,
                        num_columns_);
    Impl::require_finite<ExecutionSpace, Scalar, memory_space>(exec, "value of variable", {},
                                                               variables.values);
  }
  const auto pick = [&](const char* label, const IndexMap<memory_space>& map) {
    const auto values =
        allocate<MultiVector<Scalar, memory_space>>(exec, label, map.size(), num_columns_);
    Kokkos::parallel_for("Tomokkos::equations::pick", Impl::element_range(exec, values.size()),
                         Kernel{map.to_natural, variables.values, values});
    return values;
  };
  start_ = pick("Tomokkos::EquationRows::start", free_);
  locked_values_ = pick("Tomokkos::EquationRows::locked_values", locked_);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::finish(const ExecutionSpace& exec) {
  Offset first = Impl::no_equation_fault;
  Kokkos::parallel_reduce("Tomokkos::equations::scale",
                          Impl::element_range(exec, static_cast<std::size_t>(num_rows_)),
                          Impl::ScaleEquations<Scalar, memory_space>{
                              free_part_, locked_part_, right_hand_sides_, factors_, normalize_},
                          Kokkos::Min<Offset>(first));
  if (first != Impl::no_equation_fault) Impl::throw_equation_fault(first, places(), 0);
  compute_targets(exec);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::compute_targets(const ExecutionSpace& exec) {
  if (locked_.size() > 0)
    Kokkos::parallel_for("Tomokkos::equations::targets", Impl::element_range(exec, targets_.size()),
                         Impl::SubtractLocked<Scalar, memory_space>{locked_part_, locked_values_,
                                                                    right_hand_sides_, targets_});
  Impl::fence(exec, "equations: the rows are complete");
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::set_right_hand_sides(const ExecutionSpace& exec,
                                                                const ConstMultiVectorType& B) {
  Impl::require_shape("the right-hand sides", B, num_rows_, num_columns_);
  Impl::require_finite<ExecutionSpace, Scalar, memory_space>(exec, "right-hand side of row", {}, B,
                                                             factors_);
  Kokkos::parallel_for(
      "Tomokkos::equations::right_hand_sides", Impl::element_range(exec, right_hand_sides_.size()),
      Impl::ScaleRightHandSides<Scalar, memory_space>{B, factors_, right_hand_sides_});
  compute_targets(exec);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::set_locked_values(const ExecutionSpace& exec,
                                                             const ConstMultiVectorType& X) {
  Impl::require_shape("the variables' values", X, num_variables(), num_columns_);
  if (locked_.size() == 0) return;
  Impl::require_finite<ExecutionSpace, Scalar, memory_space>(exec, "value of variable",
                                                             locked_.to_natural, X);
  Kokkos::parallel_for(
      "Tomokkos::equations::pick", Impl::element_range(exec, locked_values_.size()),
      Impl::PickValues<Scalar, memory_space>{locked_.to_natural, X, locked_values_});
  compute_targets(exec);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::scatter(const ExecutionSpace& exec,
                                                   const ConstMultiVectorType& X_free,
                                                   const MultiVectorType& X) const {
  Impl::require_shape("the free variables' values", X_free, num_free(), num_columns_);
  Impl::require_shape("the variables' values", X, num_variables(), num_columns_);
  Kokkos::parallel_for("Tomokkos::equations::scatter", Impl::element_range(exec, X.size()),
                       Impl::ScatterVariables<Scalar, memory_space>{
                           free_.from_natural, locked_.from_natural, X_free, locked_values_, X});
}

template <class ExecutionSpace, class Scalar>
std::size_t EquationRows<ExecutionSpace, Scalar>::memory_bytes() const {
  const auto values = start_.size() + locked_values_.size() + right_hand_sides_.size() +
                      (locked_.size() > 0 ? targets_.size() : 0);
  const auto indices = static_cast<std::size_t>(num_variables()) * 3;
  return free_part().memory_bytes() + locked_part().memory_bytes() + values * sizeof(Scalar) +
         indices * sizeof(Ordinal) + factors_.extent(0) * sizeof(double);
}

namespace Impl {

void throw_equation_fault(Offset fault, const VariablePlaces& places, Ordinal faulty) {
  const std::string row = Impl::text("equation {}", fault / equation_fault_kinds);
  const std::string what = std::to_string(faulty);
  switch (static_cast<EquationFault>(fault % equation_fault_kinds)) {
    case EquationFault::variable:
      throw Refused(
          Impl::text("{}: variable {} does not exist; the {} variables are numbered from 0", row,
                     what, places.num_variables));
    case EquationFault::column:
      throw Refused(Impl::text("{}: right-hand side {} does not exist; the {} are numbered from 0",
                               row, what, places.num_columns));
    case EquationFault::repetition:
      throw Refused(row +
                    " was written with different coefficients when the functor was called again");
    case EquationFault::pattern:
      throw Refused(row + ": variable " + what +
                    " has no coefficient in the pattern; rebuild the equations");
    case EquationFault::not_finite:
      throw Refused(row +
                    " has a coefficient, a right-hand side or a factor that is not finite, or "
                    "that leaves the range of its numbers when it is scaled");
    case EquationFault::zero_row:
      throw Refused(row + " has only zero coefficients and cannot be normalised");
    case EquationFault::none:
      break;
  }
  throw Refused(row + " is invalid");
}

}  // namespace Impl

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class EquationRows<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
