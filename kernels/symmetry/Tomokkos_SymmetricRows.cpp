// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairRows.hpp>
#include <Tomokkos_SymmetricRows.hpp>
#include <impl/Tomokkos_KaczmarzSchedule_impl.hpp>

namespace Tomokkos {
namespace {

template <class Scalar, class MemorySpace>
using OfPairs = SymmetricRows<Scalar, MemorySpace, PairRows<Scalar, MemorySpace>>;

}  // namespace

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                   \
  TOMOKKOS_INSTANTIATE_ROW_ACTIONS(SPACE, SCALAR, SymmetricRows<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_ROW_ACTIONS(SPACE, SCALAR, OfPairs<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
