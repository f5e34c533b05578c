// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_EquationRowsParts_impl.hpp>

namespace Tomokkos {
namespace Impl {

void throw_equation_fault(Offset fault, const VariablePlaces& places, Ordinal faulty) {
  const std::string row = "equation " + std::to_string(fault / equation_fault_kinds);
  const std::string what = std::to_string(faulty);
  switch (static_cast<EquationFault>(fault % equation_fault_kinds)) {
    case EquationFault::variable:
      throw Error(row + ": variable " + what + " is none of the " +
                  std::to_string(places.num_variables) + " variables, which begin at 0");
    case EquationFault::column:
      throw Error(row + ": right-hand side " + what + " is none of the " +
                  std::to_string(places.num_columns) + ", which begin at 0");
    case EquationFault::repetition:
      throw Error(row + " was written with other coefficients when it was asked for once more");
    case EquationFault::pattern:
      throw Error(row + ": variable " + what +
                  " had no coefficient when the pattern was found; build the equations anew");
    case EquationFault::not_finite:
      throw Error(row +
                  " has a coefficient, a right-hand side or a factor that is not finite, or "
                  "that leaves the range of its numbers when it is scaled");
    case EquationFault::zero_row:
      throw Error(row + " has no coefficient but zeros, which cannot be normalised");
    case EquationFault::none:
      break;
  }
  throw Error(row + " is faulty");
}

}  // namespace Impl

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class EquationRows<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
