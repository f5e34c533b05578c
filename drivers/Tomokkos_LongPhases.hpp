// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run says before a phase that takes long.
#pragma once

#include <Tomokkos_Progress.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <filesystem>
#include <string>

namespace Tomokkos {

/// \brief Says that a phase begins, if its matrix of about \p nonzeros makes it a long one.
void announce(Progress& progress, const std::string& phase, double nonzeros);

/// \brief Says that \p file is read, if it is a large one; an empty path is no file.
void announce_reading(Progress& progress, const std::filesystem::path& file);

/// \brief Says that the matrix of a reconstruction is read or built.
///
/// \param phase such as `building the matrix`; not said of a file
void announce_matrix(Progress& progress, const RunConfig& config, const RunInput& input,
                     const std::string& phase);

/// \brief What is done with a matrix before it can be multiplied, as a phase.
std::string preparation_of(const RunConfig& config);

}  // namespace Tomokkos
