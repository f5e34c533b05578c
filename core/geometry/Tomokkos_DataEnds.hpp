// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data at the two ends of the detector: truncated data do not reach zero there.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <span>

namespace Tomokkos {

/// \brief Smallest mean of the data at an end, relative to the peaks of the same views, at which
/// they count as truncated. A background below it does not.
inline constexpr double truncation_level = 0.05;

/// \brief Number of elements at an end of the detector whose mean is compared with the median of
/// the outermost three.
KOKKOS_INLINE_FUNCTION constexpr Ordinal end_elements(Ordinal detectors) {
  return detectors < 64 ? 1 : (detectors > 256 ? 8 : detectors / 32);
}

/// \brief Number of views on either side of a view whose levels and peaks are summed with its own,
/// against noise.
KOKKOS_INLINE_FUNCTION constexpr Ordinal neighbouring_views(Ordinal views) { return views / 16; }

/// \brief Level of the data at one end of the detector.
struct DataEnd {
  Ordinal views = 0;  ///< in so many views the data are truncated at this end
  double level = 0;   ///< largest level there, relative to the peaks of the views

  bool is_truncated() const { return views > 0; }
};

struct DataEnds {
  DataEnd low, high;  ///< at the first and at the last element
};

/// \brief Returns the level at an end: the smaller one of the mean over `end_elements` and the
/// median of the outermost three. A single bright element does not count, and neither does an
/// object that ends just inside the detector.
KOKKOS_INLINE_FUNCTION double end_level(double mean, const double (&outermost)[3]) {
  const double a = outermost[0], b = outermost[1], c = outermost[2];
  const double low = a < b ? a : b, high = a < b ? b : a;
  const double median = c < low ? low : (c > high ? high : c);
  return mean < median ? mean : median;
}

/// \brief Returns how high the data of one or more slices are at the ends of the detector: of
/// each end, the slice that is truncated in most views, and the largest level.
///
/// \param data slice after slice, views x detectors each; NaN: not measured, the nearest measured
///   elements count instead
/// \param mask zero for rays that are left out, like NaN; empty: none
DataEnds data_ends(std::span<const double> data, Ordinal views, Ordinal detectors,
                   std::span<const char> mask = {});

}  // namespace Tomokkos
