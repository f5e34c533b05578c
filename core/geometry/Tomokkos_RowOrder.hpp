// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_Types.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {

// Orders in which a sweep of a row-action method visits the rays of a scan. Pure functions on the
// host. Each returns a permutation, identical on every run and machine.

/// \brief Order in which a sweep visits the views.
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

/// \brief Order in which a sweep visits the rays of a view.
enum class WithinView {
  sequential,  ///< 0, 1, ...
  strided      ///< 0, w, 2 w, ..., then 1, w + 1, ..., up to w - 1
};

template <>
struct EnumNames<WithinView> {
  static constexpr std::array<std::pair<WithinView, std::string_view>, 2> names{
      {{WithinView::sequential, "sequential"}, {WithinView::strided, "strided"}}};
};

/// \brief Returns the views 0, ..., \p views - 1 in order of visit.
///
/// - `random`: a shuffle (Fisher and Yates) by `CounterRandom` under \p seed;
/// - `golden`: visit k should be at view `floor(views frac(k g))` with `g = (sqrt(5) - 1) / 2`,
///   stored as a multiple of 2^-64. If that view has been visited, the next unvisited view follows,
///   wrapping around at the end. Successive views are about 0.38 of the range apart, and the
///   visited views are nearly evenly distributed at any time;
/// - `multilevel`: H. Guan and R. Gordon, "A projection access order for speedy convergence of
///   ART: a multilevel scheme for computed tomography", Phys. Med. Biol. 39 (1994) 2005-2022. For a
///   power of two P: 0, P/2; P/4, 3 P/4; P/8, 5 P/8, 3 P/8, 7 P/8. Each level visits the views of
///   the levels before it in their order, shifted by half of their distance: the number of the
///   visit with its bits reversed. For other numbers P, the positions are those of the next power
///   of two Q. Position q stands for view `floor(q P / Q)`, and repeated views are skipped: the
///   number of levels is the same, and each level is within one view of an even division.
///
/// \param seed only for `random`
///
/// \throws Error for a negative number of views
std::vector<Ordinal> view_visits(Ordinal views, ViewOrder order, std::uint64_t seed = 1);

/// \brief Returns the rays 0, ..., \p detectors - 1 of a view in order of visit.
///
/// \param stride w of `strided`: at least 1; any value from \p detectors on gives the same order
///
/// \throws Error for a negative number of detectors or a stride under 1
std::vector<Ordinal> ray_visits(Ordinal detectors, WithinView order, Ordinal stride = 1);

/// \brief Returns the rows of a sweep (row = view * detectors + ray) in order of visit: views by
/// `view_visits`, the rays of each view by `ray_visits`.
///
/// \throws Error like these functions, and for more rows than `Ordinal` can index
std::vector<Ordinal> row_visits(Ordinal views, Ordinal detectors, ViewOrder view_order,
                                WithinView within_view = WithinView::sequential, Ordinal stride = 1,
                                std::uint64_t seed = 1);

/// \brief Computes the smallest stride w such that rays d and d + w of a parallel beam share no
/// pixel at any angle.
///
/// The pixels of a ray lie in a band around it. `line`: pixels whose square the ray crosses, a band
/// at most as wide as the diagonal `sqrt(2) p`. `linear`: pixels whose centre is less than p away
/// along a row or a column, a band of at most `2 p`. `strip`: the diagonal plus the width s of the
/// beam. Two rays at distance w s share no pixel if w s is at least the width of the band. So the
/// rays of one pass of `strided` are independent, and a view has about w levels of dependency.
///
/// For a fan beam, pass the spacing at the centre of rotation. Rays on the side of the source are
/// closer together and some of them share pixels; this only adds levels.
///
/// \param pixel side p of a pixel
/// \param spacing distance s of neighbouring rays, in the same unit
/// \throws Error unless both are positive and finite
Ordinal independent_stride(Projector projector, double pixel, double spacing);

}  // namespace Tomokkos
