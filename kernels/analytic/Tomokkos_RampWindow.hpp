// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Window that multiplies the ramp filter. All but the first damp high frequencies.
enum class RampWindow { ram_lak, shepp_logan, cosine, hamming, hann };

template <>
struct EnumNames<RampWindow> {
  static constexpr auto names =
      names_up_to<RampWindow::hann>("ram_lak", "shepp_logan", "cosine", "hamming", "hann");
};

}  // namespace Tomokkos
