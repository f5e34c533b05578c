// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that a run may write, and those that it must not replace.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <filesystem>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief Calls \p check with each file in the output folder that the run may write.
///
/// \throws ConfigError that names output.directory for an `InputError` of \p check
void check_replaced_files(const ProblemSection& problem, const OutputSection& output,
                          const std::function<void(const std::filesystem::path&)>& check);

/// \brief Checks that the run replaces nothing but results: none of its \p inputs, no file that has
/// been read, whatever links lead to it, and no file of another kind, unless the report in the
/// folder names it. Called before and after the data are read, since only the data know the files
/// that they are composed of.
///
/// \throws ConfigError with the first such file
void require_replaceable_outputs(const ProblemSection& problem, const OutputSection& output,
                                 const std::vector<std::filesystem::path>& inputs);

/// \brief Checks that a volume, which keeps its progress in `checkpoint.npz`, replaces no
/// checkpoint of another run in \p folder.
///
/// \throws ConfigError unless \p overwrites, and for a file of another kind
void require_no_other_checkpoint(const std::filesystem::path& folder, bool overwrites);

/// \brief Refuses to replace a checkpoint by an earlier iteration. Ignores files that are not
/// checkpoints.
///
/// \throws ConfigError if the checkpoint in \p folder is from a later iteration than the last one
/// of \p iterations
void require_no_later_checkpoint(const std::filesystem::path& folder, int iterations);

/// \brief Results of earlier runs in \p folder: result files that are not in \p written.
std::vector<std::filesystem::path> earlier_results(
    const std::filesystem::path& folder, const std::vector<std::filesystem::path>& written);

}  // namespace Tomokkos
