// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {

double VolumeGeometry::radius() const {
  if (has_square_pixels())
    return 0.5 * pixel * std::hypot(static_cast<double>(rows), static_cast<double>(columns));
  return 0.5 * std::hypot(pixel_height() * rows, pixel * columns);
}

void check(const VolumeGeometry& volume) {
  const std::string shape = Impl::text("{} x {}", volume.rows, volume.columns);
  if (volume.rows < 1 || volume.columns < 1)
    throw Refused("the volume has " + shape + " pixels (rows x columns); both must be at least 1");
  // Lengths and their squares must be representable in float.
  if (!(volume.pixel >= 1e-15 && volume.pixel <= 1e15))
    throw Refused("the pixel size of the volume is " + describe_number(volume.pixel) +
                  "; give it in a unit in which it lies between 1e-15 and 1e15");
  const double ratio = volume.pixel_height() / volume.pixel;
  if (!(ratio >= 1e-3 && ratio <= 1e3))
    throw Refused("the pixels of the volume are " + describe_number(volume.pixel_height()) +
                  " high and " + describe_number(volume.pixel) +
                  " wide; the ratio must be between 1 / 1000 and 1000");
  const double off = std::hypot(volume.center_x, volume.center_y);
  if (!(off <= 1e9 * volume.radius()))
    throw Refused("the centre of the volume is (" + describe_number(volume.center_x) + ", " +
                  describe_number(volume.center_y) +
                  "); it must be finite and comparable to the size of the volume");
  if (volume.num_pixels() > std::numeric_limits<Ordinal>::max())
    throw Refused(Impl::text("a volume of {} has {} pixels, but a matrix has at most {} columns",
                             shape, volume.num_pixels(), std::numeric_limits<Ordinal>::max()));
}

}  // namespace Tomokkos
