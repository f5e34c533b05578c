// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SymmetricRows.hpp>
#include <impl/Tomokkos_KaczmarzSchedule_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> symmetric_row_squared_norms(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A) {
  return Impl::row_squared_norms(exec, A);
}

template <class ExecutionSpace, class Scalar>
KaczmarzSchedule<ExecutionSpace> make_symmetric_kaczmarz_schedule(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms) {
  return Impl::make_kaczmarz_schedule(exec, A, order, squared_norms);
}

template <class ExecutionSpace, class Scalar>
void symmetric_kaczmarz_sweep_levels(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A,
    const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzCoefficients<Scalar>& coefficients, const InputVector<ExecutionSpace, Scalar>& b,
    const OutputVector<ExecutionSpace, Scalar>& x, KaczmarzVariant way) {
  Impl::require_sweep_shapes(A, schedule, b, x);
  Impl::kaczmarz_sweep_levels(exec, A, schedule, coefficients, b.data(), x.data(), way);
}

template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space> symmetric_largest_block_counts(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A, const RowSubsets& blocks,
    const Ranks* ranks) {
  return Impl::largest_block_counts(exec, A, blocks, ranks);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  template Vector<double, SPACE::memory_space> symmetric_row_squared_norms<SPACE, SCALAR>(     \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&);                        \
  template KaczmarzSchedule<SPACE> make_symmetric_kaczmarz_schedule<SPACE, SCALAR>(            \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&,                         \
      const VectorView<const Ordinal, SPACE::memory_space>&,                                   \
      const Vector<double, SPACE::memory_space>&);                                             \
  template void symmetric_kaczmarz_sweep_levels<SPACE, SCALAR>(                                \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&,                         \
      const KaczmarzSchedule<SPACE>&, const KaczmarzCoefficients<SCALAR>&,                     \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                    \
      const VectorView<SCALAR, SPACE::memory_space>&, KaczmarzVariant);                        \
  template Vector<Ordinal, SPACE::memory_space> symmetric_largest_block_counts<SPACE, SCALAR>( \
      const SPACE&, const SymmetricRows<SCALAR, SPACE::memory_space>&, const RowSubsets&,      \
      const Ranks*);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
