// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks for input that is valid but almost certainly a mistake, and whether geometry, image and
// data of a measured scan suit each other.
#pragma once

#include <Tomokkos_DataEnds.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace Tomokkos {

/// \brief Kinds of suspicions, with the names used by `run.allow`.
enum class SuspicionKind {
  angles,           ///< angles that are probably in another unit
  theta,            ///< angles of a scan file that are probably not degrees
  flat_fields,      ///< counts or transmission without the open beam
  files,            ///< many files, or many images of a file, that are not one scan
  rotation_center,  ///< rotation centre that the data do not confirm
  data,             ///< many rays without a measurement or a logarithm, or views without signal
  transposed,       ///< views and detectors are probably exchanged
  views             ///< views that hardly see the image, or lack rays that fbp needs
};

template <>
struct EnumNames<SuspicionKind> {
  static constexpr auto names = names_up_to<SuspicionKind::views>(
      "angles", "theta", "flat_fields", "files", "rotation_center", "data", "transposed", "views");
};

/// \brief Suspicion with numerical evidence and the likely remedy, both for messages.
struct Suspicion {
  SuspicionKind kind;
  std::string place;  ///< key of the configuration that is concerned
  std::string evidence;
  std::string remedy;

  /// \brief Returns place, evidence and remedy as one text.
  std::string text() const { return place + ": " + evidence + "; " + remedy; }
};

/// \brief Checks evenly spaced angles given as \p start and \p range without a unit, which are read
/// as radians. Suspicious: a range of more than two turns, or a start beyond two turns.
///
/// Pass 0 for a value that was given with its unit.
std::optional<Suspicion> suspect_range(double start, double range);

/// \brief Checks listed \p angles without a unit, which are read as radians. Suspicious: a span of
/// more than two turns. The message says that they look like degrees if they span 30 or more in
/// steps of multiples of 0.05.
std::optional<Suspicion> suspect_angles(std::span<const double> angles);

/// \brief Checks angles of a scan file that are read as degrees because they have no unit.
/// Suspicious: at least 30 views whose span is within one step of pi or 2 pi.
///
/// \param path place of the angles in the file
std::optional<Suspicion> suspect_theta(std::span<const double> theta, const std::string& path);

/// \brief Checks a rotation centre. Suspicious: opposite views do not confirm it, or the two
/// methods differ by more than half an element.
std::optional<Suspicion> suspect_rotation_center(const RotationCenter& found);

/// \brief Checks by their values whether data that are used as line integrals are counts or a
/// transmission, of any type.
///
/// Suspicious are whole numbers, all of them, of which one exceeds 1000, and pictures of absorption
/// upside down. These are known by levels of each view: of the ends of the detector (the outer
/// sixteenths), of its middle, and the lowest and highest values (quantiles 0.02 and 0.98). In the
/// median over the views
///
/// - both ends are above the middle (by 1 %) and near the highest values (or by 20 % and in the
///   upper part of all values), and the lowest values are not negative; or
/// - one end is at the highest values, equal in all views, the other end is in the object with no
///   slope of the mean view there (a half acquisition), and the lowest values are far from 0.
///
/// Line integrals of a whole object are near 0 at one end at least. Those of a region of interest
/// fall towards the ends, and those of a tilted slab vary as much at the ends as elsewhere. Of a
/// stack, more than half of the slices with a clear object must be suspicious. 33 slices and 128
/// views of each are examined.
///
/// \param values slices x views x detectors; NaN is not measured
/// \param name name of the data, for the message
std::optional<Suspicion> suspect_counts(std::span<const double> values, std::size_t slices,
                                        std::size_t views, std::size_t detectors,
                                        const std::string& name);

/// \brief Largest fraction of rays without a measurement that is removed without a message.
inline constexpr double largest_missing_share = 0.02;

/// \brief Checks transmissions. Suspicious: a whole view without signal, such as a dark frame among
/// the views.
///
/// \param views the first views without signal, in ascending order
/// \param count number of views without signal
/// \param all number of views
/// \param slice slice of these views
std::optional<Suspicion> suspect_dark_views(std::span<const std::size_t> views, std::size_t count,
                                            std::size_t all, std::size_t slice);

/// \brief Checks data. Suspicious: more than `largest_missing_share` of the rays is missing.
///
/// \param without_beam number of rays without an open beam
/// \param not_a_number number of rays that are NaN
/// \param rays number of all rays
std::optional<Suspicion> suspect_missing_data(std::size_t without_beam, std::size_t not_a_number,
                                              std::size_t rays);

/// \brief Checks that the views of a scan suit filtered back projection. Suspicious: directions are
/// missing (`ViewShares::has_missing_directions`), no view sees the surroundings of the axis, or
/// the opposite rays are missing that would measure what a displaced detector does not see of the
/// object.
///
/// \param ends data at the ends of the detector, which tell whether the object reaches beyond it;
/// nullptr: it fills the circle in the image
/// \param place key that asks for a filtered back projection, and \p remedy, what to do instead
/// \pre `view_shares` accepts the scan
std::optional<Suspicion> suspect_views(const VolumeGeometry& volume, const ScanGeometry& scan,
                                       const DataEnds* ends, const std::string& place,
                                       const std::string& remedy);

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
