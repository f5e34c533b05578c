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

/// \brief What a checkpoint and the run that takes it up must agree in to give the bits of a run
/// that was not interrupted.
struct CheckpointIdentity {
  ConfigNode configuration;  ///< the effective one
  int threads = 0;           ///< of the host; 0: the bits do not depend on them
  int ranks = 1;             ///< processes that share the rows
  std::string rank_weights;  ///< of several, as text
  std::string rank_image;    ///< of several, how it is spread
  std::string matrix;        ///< shape and fingerprint
  std::string data;
  std::string multiplicative;  ///< of the terms; empty: there is none
  std::string background;
};

/// \brief 64 bits of \p values as text; values that differ in a bit differ in it.
template <class Scalar>
std::string fingerprint_of(std::span<const Scalar> values);

/// \brief \p fingerprint of a matrix with its shape, as text.
std::string describe_matrix(Ordinal rows, Ordinal columns, Offset nonzeros,
                            std::uint64_t fingerprint);

/// \brief Shares of ranks as text, `[1, 0.5]`.
std::string describe_weights(const std::vector<double>& weights);

/// \brief Throws `InputError` naming the first key of the configuration in which the run differs
/// from the one that wrote the checkpoint \p file, with both values; also for another number of
/// threads.
///
/// The number of iterations may differ, what is written, and where files lie whose contents are
/// compared.
void require_same_configuration(const std::filesystem::path& file, const CheckpointIdentity& saved,
                                const CheckpointIdentity& run);

/// \brief Throws `InputError` for other shares of the ranks, or another spread of the image.
void require_same_ranks(const std::filesystem::path& file, const CheckpointIdentity& saved,
                        const CheckpointIdentity& run);

/// \brief Throws `InputError` for another matrix.
void require_same_matrix(const std::filesystem::path& file, const CheckpointIdentity& saved,
                         const CheckpointIdentity& run);

/// \brief Throws `InputError` for other data, or other terms of the model.
void require_same_data(const std::filesystem::path& file, const CheckpointIdentity& saved,
                       const CheckpointIdentity& run);

}  // namespace Tomokkos
