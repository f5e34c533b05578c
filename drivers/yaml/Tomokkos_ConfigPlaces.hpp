// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors that turn up when the configuration has long been read.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <string>

namespace Tomokkos {

/// \brief \p message with the place in front of the key that it begins with: `problem.noise: ...`
/// becomes `scan.yaml:6:10: problem.noise: ...`. Of a key that \p root lacks the place of the
/// section; a message that begins with none stays.
std::string with_place(const ConfigNode& root, const std::string& message);

/// \brief Returns what \p work does; errors of its about input get their places, and those about
/// memory the limit that the user has set.
template <class Work>
auto with_places_in_errors(const ConfigNode& root, const Work& work) {
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
