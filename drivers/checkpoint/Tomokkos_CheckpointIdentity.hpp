// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Text of the shape and the \p fingerprint of a matrix.
std::string describe_matrix(Ordinal rows, Ordinal columns, Offset nonzeros,
                            std::uint64_t fingerprint);

/// \brief Shares of ranks as text, `[1, 0.5]`.
std::string describe_weights(const std::vector<double>& weights);

/// \brief Checks that the run has the same configuration and number of threads and processes as the
/// run that wrote the checkpoint \p file.
///
/// \param texts of the checkpoint and of the run: `configuration` (YAML), `threads` (0 if the bits
/// do not depend on their number), `ranks` \throws InputError with the first key that differs and
/// both values
///
/// The number of iterations, the output, and the paths of files whose contents are compared may
/// differ.
void require_same_configuration(const std::filesystem::path& file, const CheckpointTexts& saved,
                                const CheckpointTexts& run);

/// \brief Checks the shares of the ranks and the distribution of the image: `rank_weights`,
/// `rank_image`.
///
/// \throws InputError if they differ
void require_same_ranks(const std::filesystem::path& file, const CheckpointTexts& saved,
                        const CheckpointTexts& run);

/// \brief Checks the `matrix`.
///
/// \throws InputError if it differs
void require_same_matrix(const std::filesystem::path& file, const CheckpointTexts& saved,
                         const CheckpointTexts& run);

/// \brief Checks the fingerprints of the `data` and of the terms of the model, `multiplicative` and
/// `background`, which may be absent.
///
/// \throws InputError if they differ
void require_same_data(const std::filesystem::path& file, const CheckpointTexts& saved,
                       const CheckpointTexts& run);

/// \brief Configuration in the \p texts of the checkpoint \p file.
///
/// \throws InputError
ConfigNode configuration_of(const std::filesystem::path& file, const CheckpointTexts& texts);

/// \brief The text \p name; empty if it is absent.
std::string text_of(const CheckpointTexts& texts, const std::string& name);

}  // namespace Tomokkos
