// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that a run prints before a long phase.
#pragma once

#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <filesystem>
#include <string>

namespace Tomokkos {

/// \brief Prints that \p phase begins if about \p nonzeros entries make it a long phase.
void announce(Progress& progress, const std::string& phase, double nonzeros);

/// \brief Prints that \p file is being read if it is large. An empty path means no file.
void announce_reading(Progress& progress, const std::filesystem::path& file);

/// \brief Prints that the matrix of a reconstruction is being read or built if that takes long.
///
/// \param phase name of the phase, such as `building the matrix`
void announce_matrix(Progress& progress, const std::filesystem::path& file, const RunInput& input,
                     const std::string& phase);

/// \brief Name of the phase that prepares the products with a matrix.
std::string preparation_of(const OperatorWish& wish, bool uses_transpose);

}  // namespace Tomokkos
