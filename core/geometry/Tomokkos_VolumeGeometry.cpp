// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
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
