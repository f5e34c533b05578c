// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SpmvBlockCirculant.hpp>

namespace Tomokkos {

CirculantVariant choose_circulant_variant(bool gpu, Ordinal blocks, double mean_row_length,
                                          double reuse, int vectors) {
  (void)gpu, (void)blocks, (void)mean_row_length, (void)reuse, (void)vectors;
  return CirculantVariant::replicated;
}

}  // namespace Tomokkos
