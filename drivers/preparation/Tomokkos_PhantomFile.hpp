// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images of the user that are projected: problem.phantom as a file.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Images of a phantom from a file.
struct PhantomImages {
  bool is_stack = false;  ///< `[first, first + count)` of a stack; otherwise the file is one image
  Ordinal first = 0, count = 1;
};

/// \brief Compares the shape of the file of \p problem.phantom with the volume and chooses images
/// of a stack as `problem.slices` says. Reads the header only.
///
/// \throw DimensionMismatch naming both shapes; ConfigError about `problem.slices`; InputError.
PhantomImages choose_phantom_images(const ProblemSection& problem);

/// \brief Reads the chosen \p images, one after the other. In a volume one image reaches through
/// all slices. Throws as `read_npy`.
std::vector<double> read_phantom_images(const ProblemSection& problem, const PhantomImages& images);

}  // namespace Tomokkos
