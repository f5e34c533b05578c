// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Properties that must be equal in a checkpoint and the run that resumes it. They ensure
/// the same bits as in an uninterrupted run.
struct CheckpointIdentity {
  ConfigNode configuration;  ///< effective configuration
  int threads = 0;           ///< host threads; 0 if the bits do not depend on their number
  int ranks = 1;             ///< number of processes that share the rows
  std::string rank_weights;  ///< shares of several ranks, as text
  std::string rank_image;    ///< distribution of the image over several ranks
  std::string matrix;        ///< shape and fingerprint
  std::string data;
  std::string multiplicative;  ///< fingerprints of the terms of the model; empty: none
  std::string background;
};

/// \brief Text of the shape and the \p fingerprint of a matrix.
std::string describe_matrix(Ordinal rows, Ordinal columns, Offset nonzeros,
                            std::uint64_t fingerprint);

/// \brief Shares of ranks as text, `[1, 0.5]`.
std::string describe_weights(const std::vector<double>& weights);

/// \brief Checks that the run has the same configuration and number of threads as the run that
/// wrote the checkpoint \p file.
///
/// \throws InputError with the first key that differs and both values
///
/// The number of iterations, the output, and the paths of files whose contents are compared may
/// differ.
void require_same_configuration(const std::filesystem::path& file, const CheckpointIdentity& saved,
                                const CheckpointIdentity& run);

/// \brief Checks the shares of the ranks and the distribution of the image.
///
/// \throws InputError if they differ
void require_same_ranks(const std::filesystem::path& file, const CheckpointIdentity& saved,
                        const CheckpointIdentity& run);

/// \brief Checks the matrix.
///
/// \throws InputError if it differs
void require_same_matrix(const std::filesystem::path& file, const CheckpointIdentity& saved,
                         const CheckpointIdentity& run);

/// \brief Checks the data and the terms of the model.
///
/// \throws InputError if they differ
void require_same_data(const std::filesystem::path& file, const CheckpointIdentity& saved,
                       const CheckpointIdentity& run);

}  // namespace Tomokkos
