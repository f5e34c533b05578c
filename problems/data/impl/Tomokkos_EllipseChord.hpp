// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <impl/Tomokkos_PlacedEllipse.hpp>

namespace Tomokkos::Impl {

/// Returns the length of a (cut) ellipse along the line with unit normal (nx, ny) at distance u
/// from its centre.
double chord(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny, double u);

/// Returns the integral of `chord` over u in [from, to], in closed form.
double chord_integral(const PlacedEllipse& ellipse, const Shadow& shadow, double nx, double ny,
                      double from, double to);

}  // namespace Tomokkos::Impl
