// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data of a scan settle its views and detectors, its angles and its rotation centre.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunInput.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Calls \p function. What it refuses is bad input of the key.
template <class Function>
auto as_config_error(const std::string& key, Function&& function) {
  try {
    return function();
  } catch (const ConfigError&) {
    throw;  // names its key
  } catch (const Error& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

/// \brief Reads the measured data of a scan, if there are any, and settles what \p geometry left
/// open.
///
/// \throw as `read_input`.
void settle(const ScanConfig& geometry, const RunConfig& config, RunInput& input);

/// \brief The angles that \p geometry lists, or takes from a file, in radians.
///
/// \param measured data with angles of their own; nullptr: there are none
std::vector<double> read_listed_angles(const ScanConfig& geometry,
                                       const MeasuredSinogram* measured);

}  // namespace Tomokkos
