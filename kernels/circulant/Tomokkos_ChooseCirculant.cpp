// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SpmvBlockCirculant.hpp>

namespace Tomokkos {
namespace {

// GPU: k s products with a vector read the matrix k s times. With more than two, idle lanes of a
// warp, which have no sum, cost less. Derived from bytes, not measured.
constexpr Offset gpu_narrow_width = 2;

// Host: measured on a Xeon with AVX-512, with rows of 30 and 300 entries, in nanoseconds an entry
// of basic_mv and replicated: 0.6 to 0.7 and 2.9 with one block, 1.2 to 2.2 and 2.6 to 2.9 with
// four, 2.6 to 4.5 and 1.9 to 2.8 with eight. Rows of three entries: 4.5 and 3.7 with two blocks.
constexpr Ordinal host_few_blocks = 4;
constexpr double host_short_row = 8;

}  // namespace

CirculantVariant choose_circulant_variant(bool gpu, Ordinal blocks, double mean_row_length,
                                          int vectors) {
  const bool by_vectors =
      gpu ? Offset{blocks} * vectors <= gpu_narrow_width
          : blocks <= host_few_blocks && vectors == 1 && mean_row_length >= host_short_row;
  return by_vectors ? CirculantVariant::basic_mv : CirculantVariant::replicated;
}

}  // namespace Tomokkos
