// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on the document of a configuration around its reading: settings of the command line before,
// the limit of memory and positions for errors afterwards.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Applies each `--set key.path=value` to a configuration (`apply_setting`).
///
/// A section that is given as one word, such as `sinogram: scan.npy`, is written out before a
/// setting of one of its keys: `--set problem.sinogram.negative=clamp` keeps the file.
void apply_settings(ConfigNode& root, const std::vector<std::string>& settings);

/// \brief Limits the memory that this process allocates from now on. Kokkos must be initialised.
void impose(const MemoryLimit& limit);

/// \brief Text for messages about lack of memory: ` (run.memory_limit: 8 GB)`. Empty if the
/// configuration \p root sets no limit.
std::string memory_limit_note(const ConfigNode& root);

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
