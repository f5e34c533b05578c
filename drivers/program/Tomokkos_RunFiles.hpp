// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files that a run reads, and those that it may write.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief All files that the keys of \p config name, and the file of the configuration itself.
std::vector<std::filesystem::path> input_files(const RunConfig& config);

/// \brief True for names that results of any run have: `reconstruction_00010.npy`,
/// `chart.obj`, `checkpoint.npz`.
bool is_result_name(const std::filesystem::path& name);

/// \brief True when a run of \p config may write a file called \p name into its folder.
bool may_write(const RunConfig& config, const std::filesystem::path& name);

/// \brief Throws `ConfigError` naming the first file in the output folder that the run reads and
/// would replace. Links are followed. `checkpoint.npz`, which a resumed run continues, is no input.
void require_inputs_stay(const RunConfig& config);

/// \brief Throws `ConfigError` when the output folder holds a checkpoint of a later iteration than
/// the last one of \p config: what was computed would be replaced by less. A file that is no
/// checkpoint is passed over.
void require_no_later_checkpoint(const RunConfig& config);

/// \brief Results in \p folder that \p written does not name: those of an earlier run.
std::vector<std::filesystem::path> earlier_results(
    const std::filesystem::path& folder, const std::vector<std::filesystem::path>& written);

}  // namespace Tomokkos
