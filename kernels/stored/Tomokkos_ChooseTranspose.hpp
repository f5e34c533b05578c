// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstdint>
#include <limits>

namespace Tomokkos {

/// \brief Bytes needed by the methods for `A^T x` in addition to the matrix, and bytes available.
struct TransposeNeeds {
  std::uint64_t stored_bytes = 0;   ///< copy of the transpose, including the memory to build it
  std::uint64_t private_bytes = 0;  ///< images; the largest number if the format has none
  /// Windows, including the memory to build them; the largest number if the format has none.
  std::uint64_t windowed_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t available_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Number of row ranges that a pass over A is cut into, for example ordered subsets; 1: all rows
  /// at once.
  int ranges = 1;
};

/// \brief Number of ranges from which a stored transpose is no longer the fastest method.
inline constexpr int many_ranges = 8;
/// \brief Number of ranges from which `windowed` is no longer the fastest either, because it
/// inspects every group of rows.
inline constexpr int very_many_ranges = 32;

/// \brief Returns the fastest method for `A^T x` that fits in memory.
///
/// The order is `stored`; then `private` on hosts and `windowed` on GPUs; then `atomic`. Pure
/// function.
///
/// From `many_ranges` ranges on, the order changes, because a stored transpose has to find a range
/// in every one of its rows. Hosts then use `private`. GPUs use `atomic`, or `windowed` if there
/// are fewer than `very_many_ranges` ranges or the bits must repeat. Measured on an H200 (451e6
/// nonzeros), time for all ranges: 720 ranges stored 215 ms, windowed 82, atomic 34; 20 ranges 7.9,
/// 4.9 and 5.5. Measured on two threads of a host (21e6), 12 and 180 ranges: private takes 0.37 and
/// 0.13 of the time of stored. With many threads there are as many images, and every range adds
/// them up. docs/library/transposed_products.md has the commands.
///
/// Shares of the bandwidth measured on tomography matrices: on an H200 stored 0.95 on the bytes of
/// the copy, atomic 0.26; on hosts stored 0.89, private 0.31, atomic 0.10.
///
/// \param deterministic true if the bits must repeat: never chooses `atomic`. If nothing fits,
/// chooses `stored`, whose allocation reports the memory it needs.
TransposeMethod choose_transpose(const DeviceTraits& device, const TransposeNeeds& needs,
                                 bool deterministic);

/// \brief Number of images of `private` if any number of threads must give the same bits.
inline constexpr int deterministic_images = 16;

/// \brief Returns the number of images of `private` on \p device: one per thread, or
/// `deterministic_images`.
constexpr int private_image_count(const DeviceTraits& device, bool deterministic) {
  return deterministic ? deterministic_images : device.concurrency;
}

}  // namespace Tomokkos
