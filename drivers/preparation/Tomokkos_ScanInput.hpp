// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a scan: its data determine open values of views, detectors, angles and rotation centre.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunInput.hpp>
#include <string>

namespace Tomokkos {

/// \brief Calls \p function and reports its refusals as bad input of \p key.
template <class Function>
auto as_config_error(const std::string& key, Function&& function) {
  try {
    return function();
  } catch (const ConfigError&) {
    throw;  // already contains its key
  } catch (const Error& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

/// \brief Reads the measured data of a scan, if any, and determines the values that \p geometry
/// leaves open.
///
/// \param slab slices to read; empty: all that \p problem selects
/// \throws the errors of `read_input`
void read_scan(const ScanConfig& geometry, const ProblemSection& problem, const RunSection& run,
               const SolverNeeds& needs, const std::optional<Slab>& slab, RunInput& input);

}  // namespace Tomokkos
