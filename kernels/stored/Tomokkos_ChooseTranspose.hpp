// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstdint>
#include <limits>

namespace Tomokkos {

/// \brief Bytes that the ways of `A^T x` take beside the matrix, and those that are left.
struct TransposeNeeds {
  std::uint64_t stored_bytes = 0;   ///< the copy, and what makes it
  std::uint64_t private_bytes = 0;  ///< the images; the largest number where there are none
  /// The windows, and what makes them; the largest number where there are none.
  std::uint64_t windowed_bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t available_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Ranges of rows that a pass over A is cut into, as ordered subsets are; 1: all rows at once.
  int ranges = 1;
};

/// \brief Ranges from which on a stored transpose is not the fastest.
inline constexpr int many_ranges = 8;
/// \brief Ranges from which on `windowed` is not, either: every group of rows is looked at.
inline constexpr int very_many_ranges = 32;

/// \brief The fastest way of `A^T x` that there is room for: `stored`; on hosts `private`, on GPUs
/// `windowed`; `atomic`.
///
/// With `many_ranges` another order, since a range has to be looked for in every row of a stored
/// transpose, whatever it holds: on hosts `private`, on GPUs `atomic`, or `windowed` where there
/// are not so many of them or bits must repeat. Measured on an H200 (451e6 nonzeros), all ranges:
/// 720 of them stored 215 ms, windowed 82, atomic 34; 20 of them 7.9, 4.9 and 5.5. On two threads
/// of a host (21e6), 12 ranges and 180: private 0.37 and 0.13 of stored; many threads have as many
/// images, which every range adds up. docs/library/transposed_products.md has the commands.
///
/// A pure function. Measured as shares of the bandwidth on tomography: on an H200 stored 0.95 on
/// the bytes of the copy, atomic 0.26; on hosts stored 0.89, private 0.31, atomic 0.10.
///
/// \param deterministic the bits must repeat: never `atomic`; `stored` where nothing fits, whose
/// allocation says what it needs
TransposeMethod choose_transpose(const DeviceTraits& device, const TransposeNeeds& needs,
                                 bool deterministic);

/// \brief Images of `private` that are summed where any number of threads must give the same bits.
inline constexpr int deterministic_images = 16;

/// \brief Images of `private` on \p device: as many as threads, or `deterministic_images`.
constexpr int private_image_count(const DeviceTraits& device, bool deterministic) {
  return deterministic ? deterministic_images : device.concurrency;
}

}  // namespace Tomokkos
