// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks whether geometry, image and data of a measured scan suit each other.
#pragma once

#include <Tomokkos_Suspicions.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace Tomokkos {

/// \brief Checks the angles of a scan. Suspicious: ten views or more within 5 deg.
std::optional<Suspicion> suspect_small_span(std::span<const double> radians);

/// \brief Checks transmissions. Suspicious: more than `largest_missing_share` of the values are at
/// or below 0, and were raised to the smallest transmission.
///
/// \param clamped number of these values, and \p values, number of all values
std::optional<Suspicion> suspect_clamped(std::size_t clamped, std::size_t values);

/// \brief Checks a rotation centre that the user gave. Suspicious: it lies outside the detector; or
/// in its outer tenth, while the data of an object within the detector have another one, by more
/// than a tenth of the detector, on which both methods of `find_rotation_center` agree.
///
/// \param slice a slice of the data, views x detectors
/// \param place key that gives the centre
std::optional<Suspicion> suspect_given_center(const ScanGeometry& scan,
                                              std::span<const double> slice,
                                              const std::string& place);

/// \brief Checks whether detector and image see each other. Suspicious: a detector that sees less
/// than a hundredth of the image; or 90 % of the rays miss an image of which a part is outside the
/// field of the detector, or an image whose pixels are less than a twentieth of an element.
///
/// A small image inside the field is a region of interest, a large one local tomography.
std::optional<Suspicion> suspect_coverage(const VolumeGeometry& volume, const ScanGeometry& scan);

/// \brief Warning of values beyond 1000 times the 99.9th percentile of the absolute values of their
/// slice; empty: there are none, or that percentile is 0.
///
/// \param values slices of \p rays values; NaN is ignored
std::string describe_outliers(std::span<const double> values, std::size_t rays);

/// \brief Warning of a fan beam over less than half a turn and the angle of the fan; otherwise
/// empty. Scans by vectors and curved detectors are not judged.
std::string describe_short_fan(const ScanGeometry& scan);

}  // namespace Tomokkos
