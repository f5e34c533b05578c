// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {

// In which order a sweep of a row-action method visits the rays of a scan. Pure functions on the
// host; each returns a permutation, the same on every run and machine.

/// \brief In which order a sweep visits the views.
enum class ViewOrder {
  sequential,  ///< 0, 1, ...
  random,      ///< a permutation drawn from a seed
  golden,      ///< steps of the golden ratio
  multilevel   ///< by halves of the range: Guan and Gordon (1994)
};

template <>
struct EnumNames<ViewOrder> {
  static constexpr std::array<std::pair<ViewOrder, std::string_view>, 4> names{
      {{ViewOrder::sequential, "sequential"},
       {ViewOrder::random, "random"},
       {ViewOrder::golden, "golden"},
       {ViewOrder::multilevel, "multilevel"}}};
};

/// \brief In which order a sweep visits the rays of a view.
enum class WithinView {
  sequential,  ///< 0, 1, ...
  strided      ///< 0, w, 2 w, ..., then 1, w + 1, ..., up to w - 1
};

template <>
struct EnumNames<WithinView> {
  static constexpr std::array<std::pair<WithinView, std::string_view>, 2> names{
      {{WithinView::sequential, "sequential"}, {WithinView::strided, "strided"}}};
};

/// \brief The views 0, ..., \p views - 1 in order of visit.
///
/// - `random`: a shuffle (Fisher and Yates) by `CounterRandom` under \p seed;
/// - `golden`: visit k is due at view `floor(views frac(k g))` with `g = (sqrt(5) - 1) / 2`, held
///   as a multiple of 2^-64; where that one has been visited, at the next one after it that has
///   not, the first view following the last. Successive views are about 0.38 of the range apart,
///   and at any time those visited lie nearly evenly;
/// - `multilevel`: H. Guan and R. Gordon, "A projection access order for speedy convergence of ART:
///   a multilevel scheme for computed tomography", Phys. Med. Biol. 39 (1994) 2005-2022. For a
///   power of two P: 0, P/2; P/4, 3 P/4; P/8, 5 P/8, 3 P/8, 7 P/8; each level visits what the
///   levels before it have visited, in their order, moved by half of their distance: the bits of
///   the visits read backwards. For other numbers P the positions are those of the next power of
///   two Q, position q of it stands for view `floor(q P / Q)`, and a view that comes again is
///   passed over: as many levels, each within one view of the even division.
///
/// \param seed of `random`; no other order looks at it
///
/// Throws `Error` for a negative number of views.
std::vector<Ordinal> view_visits(Ordinal views, ViewOrder order, std::uint64_t seed = 1);

/// \brief The rays 0, ..., \p detectors - 1 of a view in order of visit.
///
/// \param stride w of `strided`: at least 1, and no more than \p detectors make a difference
///
/// Throws `Error` for a negative number of detectors and for a stride under 1.
std::vector<Ordinal> ray_visits(Ordinal detectors, WithinView order, Ordinal stride = 1);

/// \brief The rows of a sweep (row = view * detectors + ray) in order of visit: view after view by
/// `view_visits`, the rays of each by `ray_visits`.
///
/// Throws `Error` as these two, and for more rows than `Ordinal` counts.
std::vector<Ordinal> row_visits(Ordinal views, Ordinal detectors, ViewOrder view_order,
                                WithinView within_view = WithinView::sequential, Ordinal stride = 1,
                                std::uint64_t seed = 1);

/// \brief The smallest stride w such that rays d and d + w of a parallel beam share no pixel,
/// whatever the angle.
///
/// A ray reaches pixels in a band about it: `line` those whose square it crosses, which across the
/// ray is at most the diagonal `sqrt(2) p` wide; `linear` those with a centre less than p beside it
/// on either side along a row or a column, a band of at most `2 p`; `strip` the diagonal and the
/// width s of its beam. Two rays w s apart share none once w s is at least that wide. So the rays
/// of one pass of `strided` are independent, and a view has about w levels of dependency.
///
/// For a fan beam give the spacing at the centre of rotation: rays on the side of the source are
/// nearer to each other, and some of them share pixels, which costs levels and nothing else.
///
/// \param pixel side p of a pixel
/// \param spacing distance s of neighbouring rays, in the same unit; both positive, or `Error`
Ordinal independent_stride(Projector projector, double pixel, double spacing);

}  // namespace Tomokkos
