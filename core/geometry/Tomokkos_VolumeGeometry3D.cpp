// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {

void check(const VolumeGeometry3D& volume) {
  const std::string shape = Impl::text("{} x {} x {}", volume.slices, volume.rows, volume.columns);
  if (volume.slices < 1 || volume.rows < 1 || volume.columns < 1)
    throw Refused("the volume has " + shape +
                  " voxels (slices x rows x columns); each must be at least 1");
  const auto require_side = [](const char* name, double side) {
    if (!(std::isfinite(side) && side > 0))
      throw Refused(Impl::text("the {} of the volume is {}; it must be positive and finite", name,
                               std::to_string(side)));
  };
  require_side("pixel size", volume.pixel);
  require_side("slice thickness", volume.thickness);
  constexpr std::int64_t most = std::numeric_limits<Ordinal>::max();
  // Each step multiplies only two numbers, so 64 bits are sufficient.
  const std::int64_t plane = volume.slice().num_pixels();
  if (plane > most / volume.slices)
    throw Refused(
        Impl::text("a volume of {} has more voxels than a matrix can have columns; the limit is {}",
                   shape, most));
}

}  // namespace Tomokkos
