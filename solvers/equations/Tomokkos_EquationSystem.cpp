// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_EquationSystem.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Equations stored in arrays; a variable may have several terms.
template <class Scalar, class MemorySpace>
struct StoredEquations {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<const Ordinal*, MemorySpace> variables;
  Kokkos::View<const Scalar*, MemorySpace> values;
  Kokkos::View<const Scalar*, MemorySpace> right_hand_sides;
  Kokkos::View<const double*, MemorySpace> scales;
  Ordinal num_columns;

  KOKKOS_FUNCTION void operator()(const Offset row, EquationWriter<Scalar>& equation) const {
    for (Offset k = offsets(row); k < offsets(row + 1); ++k) equation.add(variables(k), values(k));
    for (Ordinal j = 0; j < num_columns; ++j)
      equation.right_hand_side(right_hand_sides(row * num_columns + j), j);
    equation.scale(scales(row));
  }
};

/// \brief Copies \p source to memory of \p exec; complete after a fence.
template <class T, class ExecutionSpace>
Kokkos::View<T*, typename ExecutionSpace::memory_space> to_memory_of(const ExecutionSpace& exec,
                                                                     const std::string& label,
                                                                     const std::vector<T>& source) {
  const auto target = allocate<Kokkos::View<T*, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::EquationSystem::" + label, source.size());
  Kokkos::deep_copy(
      exec, target,
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          source.data(), source.size()));
  return target;
}

}  // namespace Impl

template <class Scalar>
EquationSystem<Scalar>::EquationSystem(Ordinal num_variables, const EquationOptions& options,
                                       Ordinal num_columns)
    : num_variables_(num_variables), num_columns_(num_columns), options_(options) {
  require(num_variables >= 0, "the number of variables must not be negative");
  require(num_columns >= 1, "the number of right-hand sides must be at least 1");
  values_.resize(place(num_variables, 0));
  locked_.resize(static_cast<std::size_t>(num_variables));
}

template <class Scalar>
void EquationSystem<Scalar>::require_variable(const char* call, Ordinal variable) const {
  if (variable < 0 || variable >= num_variables_)
    throw Refused(std::string(call) + ": variable " + std::to_string(variable) +
                  " does not exist; there are " + std::to_string(num_variables_) +
                  " variables, numbered from 0");
}

template <class Scalar>
void EquationSystem<Scalar>::require_column(const char* call, Ordinal column) const {
  if (column < 0 || column >= num_columns_)
    throw Refused(std::string(call) + ": right-hand side " + std::to_string(column) +
                  " does not exist; the number of right-hand sides is " +
                  std::to_string(num_columns_) + ", numbered from 0");
}

template <class Scalar>
void EquationSystem<Scalar>::require_finite(const char* call, double value) const {
  if (!std::isfinite(value))
    throw Refused(std::string(call) + ": " + std::to_string(value) + " is not finite");
}

template <class Scalar>
void EquationSystem<Scalar>::require_open(const char* call) const {
  if (!open_)
    throw Refused(std::string(call) + " was called outside an equation; call begin_row before it");
}

template <class Scalar>
void EquationSystem<Scalar>::require_closed(const char* call) const {
  if (open_)
    throw Refused(std::string(call) + " was called inside equation " + std::to_string(num_rows()) +
                  "; call end_row before it");
}

template <class Scalar>
void EquationSystem<Scalar>::set_variable(Ordinal variable, Scalar value, Ordinal column) {
  require_variable("set_variable", variable);
  require_column("set_variable", column);
  require_finite("set_variable", static_cast<double>(value));
  values_[place(variable, column)] = value;
}

template <class Scalar>
Scalar EquationSystem<Scalar>::variable(Ordinal variable, Ordinal column) const {
  require_variable("variable", variable);
  require_column("variable", column);
  return values_[place(variable, column)];
}

template <class Scalar>
void EquationSystem<Scalar>::lock(Ordinal variable) {
  require_variable("lock", variable);
  locked_[static_cast<std::size_t>(variable)] = 1;
}

template <class Scalar>
void EquationSystem<Scalar>::unlock(Ordinal variable) {
  require_variable("unlock", variable);
  locked_[static_cast<std::size_t>(variable)] = 0;
}

template <class Scalar>
bool EquationSystem<Scalar>::is_locked(Ordinal variable) const {
  require_variable("is_locked", variable);
  return locked_[static_cast<std::size_t>(variable)] != 0;
}

template <class Scalar>
void EquationSystem<Scalar>::begin_row() {
  require_closed("begin_row");
  require(num_rows() < std::numeric_limits<Ordinal>::max(),
          "the number of equations exceeds the range of a 32-bit index");
  open_right_hand_sides_.assign(static_cast<std::size_t>(num_columns_), Scalar(0));
  open_scale_ = 1;
  open_ = true;
}

template <class Scalar>
void EquationSystem<Scalar>::coefficient(Ordinal variable, Scalar value) {
  require_open("coefficient");
  require_variable("coefficient", variable);
  require_finite("coefficient", static_cast<double>(value));
  term_variables_.push_back(variable);
  term_values_.push_back(value);
}

template <class Scalar>
void EquationSystem<Scalar>::right_hand_side(Scalar value, Ordinal column) {
  require_open("right_hand_side");
  require_column("right_hand_side", column);
  require_finite("right_hand_side", static_cast<double>(value));
  open_right_hand_sides_[static_cast<std::size_t>(column)] = value;
}

template <class Scalar>
void EquationSystem<Scalar>::row_scaling(double factor) {
  require_open("row_scaling");
  require_finite("row_scaling", factor);
  open_scale_ = factor;
}

template <class Scalar>
void EquationSystem<Scalar>::end_row() {
  require_open("end_row");
  offsets_.push_back(static_cast<Offset>(term_values_.size()));
  right_hand_sides_.insert(right_hand_sides_.end(), open_right_hand_sides_.begin(),
                           open_right_hand_sides_.end());
  scales_.push_back(open_scale_);
  open_ = false;
}

template <class Scalar>
void EquationSystem<Scalar>::row(std::span<const Term> terms,
                                 std::span<const Scalar> right_hand_sides, double factor) {
  require_closed("row");
  if (!right_hand_sides.empty())
    require_equal("right-hand sides of a row", static_cast<long long>(right_hand_sides.size()),
                  "those of the system", num_columns_);
  // Check all terms before anything is stored.
  for (const Term& term : terms) {
    require_variable("row", term.variable);
    require_finite("row", static_cast<double>(term.value));
  }
  for (const Scalar value : right_hand_sides) require_finite("row", static_cast<double>(value));
  require_finite("row", factor);
  begin_row();
  for (const Term& term : terms) coefficient(term.variable, term.value);
  for (std::size_t j = 0; j < right_hand_sides.size(); ++j)
    right_hand_side(right_hand_sides[j], static_cast<Ordinal>(j));
  row_scaling(factor);
  end_row();
}

template <class Scalar>
void EquationSystem<Scalar>::row(std::initializer_list<Term> terms,
                                 std::initializer_list<Scalar> right_hand_sides, double factor) {
  row(std::span<const Term>(terms.begin(), terms.size()),
      std::span<const Scalar>(right_hand_sides.begin(), right_hand_sides.size()), factor);
}

template <class Scalar>
void EquationSystem<Scalar>::row(std::initializer_list<Term> terms, Scalar right_hand_side,
                                 double factor) {
  row(terms, {right_hand_side}, factor);
}

template <class Scalar>
void EquationSystem<Scalar>::clear_rows() {
  offsets_.assign(1, 0);
  term_variables_.clear();
  term_values_.clear();
  right_hand_sides_.clear();
  scales_.clear();
  open_ = false;
}

template <class Scalar>
template <class ExecutionSpace>
Impl::StoredEquations<Scalar, typename ExecutionSpace::memory_space> EquationSystem<Scalar>::stored(
    const ExecutionSpace& exec) const {
  return {Impl::to_memory_of(exec, "offsets", offsets_),
          Impl::to_memory_of(exec, "variables", term_variables_),
          Impl::to_memory_of(exec, "values", term_values_),
          Impl::to_memory_of(exec, "right_hand_sides", right_hand_sides_),
          Impl::to_memory_of(exec, "scales", scales_),
          num_columns_};
}

template <class Scalar>
template <class ExecutionSpace>
AssembledEquations<ExecutionSpace, Scalar> EquationSystem<Scalar>::assemble(
    const ExecutionSpace& exec) const {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_closed("assemble");
  const auto locked = Impl::to_memory_of(exec, "locked", locked_);
  const auto values = Impl::to_memory_of(exec, "variables", values_);
  const EquationVariables<Scalar, MemorySpace> variables{
      num_variables_, num_columns_, locked,
      MultiVectorView<const Scalar, MemorySpace>(values.data(), num_variables_, num_columns_)};
  return {exec, num_rows(), variables, stored(exec), options_};
}

template <class Scalar>
template <class ExecutionSpace>
void EquationSystem<Scalar>::require_same_locks(
    const ExecutionSpace& exec, const IndexMap<typename ExecutionSpace::memory_space>& free) const {
  std::vector<Ordinal> places(static_cast<std::size_t>(num_variables_));
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          places.data(), places.size()),
      free.from_natural);
  Impl::fence(exec, "equations: the list of free variables must have arrived");
  for (std::size_t i = 0; i < places.size(); ++i)
    if ((places[i] == not_mapped) != (locked_[i] != 0))
      throw Refused("refill: variable " + std::to_string(i) + " is " +
                    (locked_[i] != 0 ? "locked" : "free") +
                    ", but it was not when the system was assembled; assemble the system again");
}

template <class Scalar>
template <class ExecutionSpace>
void EquationSystem<Scalar>::refill(const ExecutionSpace& exec,
                                    AssembledEquations<ExecutionSpace, Scalar>& assembled) const {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_closed("refill");
  require_equal("number of equations", num_rows(), "those of the assembled system",
                assembled.rows().num_rows());
  require_equal("number of variables", num_variables_, "those of the assembled system",
                assembled.rows().num_variables());
  require_equal("right-hand sides", num_columns_, "those of the assembled system",
                assembled.rows().num_columns());
  require_same_locks(exec, assembled.rows().free_variables());
  assembled.refill(exec, stored(exec));
  const auto values = Impl::to_memory_of(exec, "variables", values_);
  assembled.set_locked_values(exec, MultiVectorView<const Scalar, MemorySpace>(
                                        values.data(), num_variables_, num_columns_));
}

template <class Scalar>
template <class ExecutionSpace>
void EquationSystem<Scalar>::update_values(
    const ExecutionSpace& exec,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X) {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "number of variables",
                num_variables_);
  require_equal("columns of X", static_cast<long long>(X.extent(1)), "right-hand sides",
                num_columns_);
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values_.data(), values_.size()),
      as_vector(X));
  Impl::fence(exec, "equations: the values must have arrived");
}

#define TOMOKKOS_INSTANTIATE(Scalar) template class EquationSystem<Scalar>;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                               \
  template AssembledEquations<ExecutionSpace, Scalar> EquationSystem<Scalar>::assemble(            \
      const ExecutionSpace&) const;                                                                \
  template void EquationSystem<Scalar>::refill(const ExecutionSpace&,                              \
                                               AssembledEquations<ExecutionSpace, Scalar>&) const; \
  template void EquationSystem<Scalar>::update_values(                                             \
      const ExecutionSpace&, const MultiVectorView<const Scalar, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
