// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {

double VolumeGeometry::radius() const {
  return 0.5 * pixel * std::hypot(static_cast<double>(rows), static_cast<double>(columns));
}

void check(const VolumeGeometry& volume) {
  const std::string shape = Impl::text("{} x {}", volume.rows, volume.columns);
  if (volume.rows < 1 || volume.columns < 1)
    throw Refused("the volume has " + shape + " pixels (rows x columns); both must be at least 1");
  // Lengths and their squares must be representable in float.
  if (!(volume.pixel >= 1e-15 && volume.pixel <= 1e15))
    throw Refused("the pixel size of the volume is " + describe_number(volume.pixel) +
                  "; give it in a unit in which it lies between 1e-15 and 1e15");
  if (volume.num_pixels() > std::numeric_limits<Ordinal>::max())
    throw Refused(Impl::text("a volume of {} has {} pixels, but a matrix has at most {} columns",
                             shape, volume.num_pixels(), std::numeric_limits<Ordinal>::max()));
}

}  // namespace Tomokkos
