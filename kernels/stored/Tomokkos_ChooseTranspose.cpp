// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>

namespace Tomokkos {

TransposeMethod choose_transpose(const DeviceTraits& device, const TransposeNeeds& needs,
                                 bool deterministic) {
  if (needs.ranges >= many_ranges) {
    if (!device.gpu && needs.private_bytes <= needs.available_bytes)
      return TransposeMethod::private_images;
    if (device.gpu && !deterministic && needs.ranges >= very_many_ranges)
      return TransposeMethod::atomic;
    if (device.gpu && needs.windowed_bytes <= needs.available_bytes)
      return TransposeMethod::windowed;
  }
  if (needs.stored_bytes <= needs.available_bytes) return TransposeMethod::stored;
  if (!device.gpu && needs.private_bytes <= needs.available_bytes)
    return TransposeMethod::private_images;
  if (device.gpu && needs.windowed_bytes <= needs.available_bytes) return TransposeMethod::windowed;
  return deterministic ? TransposeMethod::stored : TransposeMethod::atomic;
}

}  // namespace Tomokkos
