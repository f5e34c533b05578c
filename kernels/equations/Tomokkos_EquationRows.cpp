// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of `EquationRows` that is compiled once, with all of its arithmetic.
#include <Tomokkos_EquationRows.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Text.hpp>
#include <impl/Tomokkos_EquationKernels.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// \brief Throws when \p X is not \p rows x \p columns.
template <class View>
void require_shape(const char* name, const View& X, Ordinal rows, Ordinal columns) {
  require_equal(std::string("rows of ") + name, static_cast<long long>(X.extent(0)),
                "what the equations have", rows);
  require_equal(std::string("columns of ") + name, static_cast<long long>(X.extent(1)),
                "right-hand sides", columns);
}

/// \brief Throws for an infinity or a NaN in \p values, of \p rows or (nullptr) of all, also after
/// their rows were multiplied by \p factors (nullptr: by none).
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

/// \brief The map of the free or of the locked variables.
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
  require(variables.num_variables >= 0, "there is no negative number of variables");
  require(variables.num_columns >= 1, "equations have at least one right-hand side");
  if (variables.locked.data() != nullptr)
    require_equal("length of locked", static_cast<long long>(variables.locked.extent(0)),
                  "number of variables", variables.num_variables);
  free_ = Impl::number_variables_of(exec, variables.num_variables, variables.locked, false);
  locked_ = Impl::number_variables_of(exec, variables.num_variables, variables.locked, true);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::take_values(const ExecutionSpace& exec,
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
  form_targets(exec);
}

template <class ExecutionSpace, class Scalar>
void EquationRows<ExecutionSpace, Scalar>::form_targets(const ExecutionSpace& exec) {
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
  form_targets(exec);
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
  form_targets(exec);
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
      throw Refused(Impl::text("{}: variable {} is none of the {} variables, which begin at 0", row,
                               what, places.num_variables));
    case EquationFault::column:
      throw Refused(Impl::text("{}: right-hand side {} is none of the {}, which begin at 0", row,
                               what, places.num_columns));
    case EquationFault::repetition:
      throw Refused(row + " was written with other coefficients when it was asked for once more");
    case EquationFault::pattern:
      throw Refused(row + ": variable " + what +
                    " had no coefficient when the pattern was found; build the equations anew");
    case EquationFault::not_finite:
      throw Refused(row +
                    " has a coefficient, a right-hand side or a factor that is not finite, or "
                    "that leaves the range of its numbers when it is scaled");
    case EquationFault::zero_row:
      throw Refused(row + " has no coefficient but zeros, which cannot be normalised");
    case EquationFault::none:
      break;
  }
  throw Refused(row + " is faulty");
}

}  // namespace Impl

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class EquationRows<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
