// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_FormScaling_impl.hpp>
#include <impl/Tomokkos_SpmvForms_impl.hpp>

namespace Tomokkos {

#define TOMOKKOS_PRODUCTS(SPACE, SCALAR, ...)                                                 \
  template void spmv_form<SPACE, SCALAR, __VA_ARGS__>(                                        \
      const SPACE&, const __VA_ARGS__&, SCALAR,                                               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                      \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                   \
  template void spmv_form_dot<SPACE, SCALAR, __VA_ARGS__>(                                    \
      const SPACE&, const __VA_ARGS__&, const VectorView<const SCALAR, SPACE::memory_space>&, \
      const VectorView<SCALAR, SPACE::memory_space>&,                                         \
      const VectorView<double, SPACE::memory_space>&);                                        \
  template void form_diagonal<SPACE, SCALAR, __VA_ARGS__>(                                    \
      const SPACE&, const __VA_ARGS__&, const VectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_SCALING(SPACE, VALUE, SCALAR, FROM, FORM)                           \
  template FORM<VALUE, SPACE::memory_space> form_scaled<VALUE, SPACE, SCALAR, FROM>( \
      const SPACE&, const FORM<FROM, SPACE::memory_space>&,                          \
      const VectorView<const SCALAR, SPACE::memory_space>&);
// Values, and vectors, in float or double; values in float with vectors in double, made of either.
#define TOMOKKOS_FORM(SPACE, FORM)                                   \
  TOMOKKOS_PRODUCTS(SPACE, double, FORM<float, SPACE::memory_space>) \
  TOMOKKOS_SCALING(SPACE, float, double, float, FORM)                \
  TOMOKKOS_SCALING(SPACE, float, double, double, FORM)
#define TOMOKKOS_BLOCK_FORM(SPACE, FORM)                              \
  TOMOKKOS_FORM(SPACE, FORM)                                          \
  TOMOKKOS_PRODUCTS(SPACE, float, FORM<float, SPACE::memory_space>)   \
  TOMOKKOS_PRODUCTS(SPACE, double, FORM<double, SPACE::memory_space>) \
  TOMOKKOS_SCALING(SPACE, float, float, float, FORM)                  \
  TOMOKKOS_SCALING(SPACE, double, double, double, FORM)
#define TOMOKKOS_INSTANTIATE(SPACE)                   \
  template Offset spmv_form_dot_sums<SPACE>(Ordinal); \
  TOMOKKOS_FORM(SPACE, CsrMatrix)                     \
  TOMOKKOS_BLOCK_FORM(SPACE, ComplexCsrMatrix)        \
  TOMOKKOS_BLOCK_FORM(SPACE, SharedCsrMatrix)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_BLOCK_FORM
#undef TOMOKKOS_FORM
#undef TOMOKKOS_SCALING
#undef TOMOKKOS_PRODUCTS

}  // namespace Tomokkos
