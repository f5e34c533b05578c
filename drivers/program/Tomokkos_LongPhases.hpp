// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that a run prints before a phase that takes long.
#pragma once

#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <filesystem>
#include <string>

namespace Tomokkos {

/// \brief Prints that \p phase begins, if its matrix of about \p nonzeros makes it a long one.
void announce(Progress& progress, const std::string& phase, double nonzeros);

/// \brief Prints that \p file is read, if it is a large one. An empty path stands for no file.
void announce_reading(Progress& progress, const std::filesystem::path& file);

/// \brief Prints that the matrix of a reconstruction is read from its file or built, if that takes
/// long.
///
/// \param phase names the building, such as `building the matrix`
void announce_matrix(Progress& progress, const RunConfig& config, const RunInput& input,
                     const std::string& phase);

/// \brief Names the phase that makes a matrix ready to be multiplied.
std::string preparation_of(const RunConfig& config);

}  // namespace Tomokkos
