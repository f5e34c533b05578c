// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions for errors that occur after the configuration has been read.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <string>

namespace Tomokkos {

/// \brief Adds the position of the key at the beginning of \p message: `problem.noise: ...` becomes
/// `scan.yaml:6:10: problem.noise: ...`. If \p root lacks the key, uses the position of its
/// section. Leaves other messages unchanged.
std::string with_place(const ConfigNode& root, const std::string& message);

/// \brief Calls \p work and returns its result. Adds positions to errors about input, and the
/// configured limit to errors about memory.
template <class Work>
auto add_places_to_errors(const ConfigNode& root, const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(with_place(root, error.what()));
  } catch (const InputError& error) {
    throw InputError(with_place(root, error.what()));
  } catch (const DimensionMismatch& error) {
    throw DimensionMismatch(with_place(root, error.what()));
  } catch (const MemoryError& error) {
    throw MemoryError(with_place(root, error.what()) + memory_limit_note(root));
  }
}

}  // namespace Tomokkos
