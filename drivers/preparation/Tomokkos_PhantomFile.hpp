// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phantoms from a file: the images of problem.phantom.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Images of a phantom from a file.
struct PhantomImages {
  bool is_stack = false;  ///< true: images `[first, first + count)` of a stack; false: the file is
                          ///< a single image
  Ordinal first = 0, count = 1;
};

/// \brief Compares the shape of the phantom's file with the volume and selects images of a stack by
/// `problem.slices`. Reads only the header.
///
/// \throws DimensionMismatch with both shapes; ConfigError about `problem.slices`; InputError
PhantomImages choose_phantom_images(const ProblemSection& problem);

/// \brief Reads the selected \p images, which follow each other. Throws the errors of `read_npy`.
std::vector<double> read_phantom_images(const ProblemSection& problem, const PhantomImages& images);

}  // namespace Tomokkos
