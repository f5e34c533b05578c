// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input that is legal but almost certainly a mistake.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_RotationCenter.hpp>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Kinds of suspicions, as `run.allow` names them.
enum class SuspicionKind {
  angles,           ///< numbers without a unit that are no radians
  theta,            ///< angles of a scan file that are no degrees
  flat_fields,      ///< counts without the open beam
  rotation_center,  ///< a centre that nothing supports
  data,             ///< many rays without a measurement
  transposed        ///< views and detectors exchanged
};

template <>
struct EnumNames<SuspicionKind> {
  static constexpr std::array<std::pair<SuspicionKind, std::string_view>, 6> names{
      {{SuspicionKind::angles, "angles"},
       {SuspicionKind::theta, "theta"},
       {SuspicionKind::flat_fields, "flat_fields"},
       {SuspicionKind::rotation_center, "rotation_center"},
       {SuspicionKind::data, "data"},
       {SuspicionKind::transposed, "transposed"}}};
};

/// \brief A suspicion with the evidence for it in numbers and the likely cure, both for messages.
struct Suspicion {
  SuspicionKind kind;
  std::string place;  ///< key of a configuration that it is about
  std::string evidence;
  std::string cure;

  /// \brief Place, evidence and cure in one text.
  std::string text() const { return place + ": " + evidence + "; " + cure; }
};

/// \brief Suspects evenly spaced angles written as \p start and \p range without a unit, which
/// makes them radians: a range of more than two turns, or a start beyond two turns.
///
/// A part that was written with its unit is passed as 0.
std::optional<Suspicion> suspect_range(double start, double range);

/// \brief Suspects listed \p angles without a unit, taken as radians, that span more than two
/// turns. Numbers that span 30 or more in steps of multiples of 0.05 are said to look like degrees.
std::optional<Suspicion> suspect_angles(std::span<const double> angles);

/// \brief Suspects angles of a scan file that are taken as degrees for lack of a unit: at least 30
/// views whose span lies within one step of pi or 2 pi.
std::optional<Suspicion> suspect_theta(std::span<const double> theta);

/// \brief Suspects a centre that opposite views do not support, and one on which the two methods
/// disagree by more than half an element.
std::optional<Suspicion> suspect_rotation_center(const RotationCenter& found);

/// \brief The largest share of rays without a measurement that is taken out without a word.
inline constexpr double largest_missing_share = 0.02;

/// \brief Suspects data of which more than `largest_missing_share` is missing.
///
/// \param without_beam, not_a_number missing rays, by reason; \param rays all of them
std::optional<Suspicion> suspect_missing_data(std::size_t without_beam, std::size_t not_a_number,
                                              std::size_t rays);

}  // namespace Tomokkos
