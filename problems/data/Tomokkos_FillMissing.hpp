// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values for rays without a measurement, for methods that need the data of all rays.
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <set>
#include <span>
#include <string>

namespace Tomokkos {

/// \brief Rays of one or more slices that were filled by interpolation.
struct FilledRays {
  std::size_t values = 0;      ///< filled values of all slices
  std::size_t of = 0;          ///< all values of the slices
  std::set<Ordinal> views;     ///< without any measurement in some slice
  std::set<Ordinal> elements;  ///< missing in all other views of some slice

  /// \brief Adds what was filled in other slices of the same scan.
  void add(const FilledRays& others);
  /// \brief Describes how many rays were filled and which: "60 of 2400 values (elements 30 to 32)".
  std::string describe() const;
};

/// \brief Fills missing values of \p data by linear interpolation.
///
/// A value is taken from its measured neighbours along the detector; at an end of the detector it
/// is the nearest measured one. A view without any measurement is interpolated between its
/// neighbours in the order of the angles; before the first and after the last measured view it
/// repeats that view.
///
/// \param data slice after slice, views x detectors each; NaN: missing
/// \param mask zero for rays that are missing in all slices; empty: none
/// \return nothing filled if a slice has no measurement at all: its data stay as they are
FilledRays fill_missing(const ScanGeometry& scan, std::span<const char> mask,
                        std::span<double> data);

}  // namespace Tomokkos
