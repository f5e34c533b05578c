// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief Window that multiplies the ramp filter. All but the first damp high frequencies.
enum class RampWindow { ram_lak, shepp_logan, cosine, hamming, hann };

template <>
struct EnumNames<RampWindow> {
  static constexpr std::array<std::pair<RampWindow, std::string_view>, 5> names{{
      {RampWindow::ram_lak, "ram_lak"},
      {RampWindow::shepp_logan, "shepp_logan"},
      {RampWindow::cosine, "cosine"},
      {RampWindow::hamming, "hamming"},
      {RampWindow::hann, "hann"},
  }};
};

}  // namespace Tomokkos
