// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of `PcgParams` that have names in configurations.
#pragma once

#include <Tomokkos_EnumNames.hpp>

namespace Tomokkos {

/// \brief How the recursion is arranged. Both give the same iterates up to rounding.
enum class PcgScheme {
  /// Hestenes and Stiefel: the curvature, then the new residual, in one reduction each.
  standard,
  /// Chronopoulos and Gear (1989): one reduction, a vector more, up to a tenth more iterations in
  /// finite precision. For systems whose reductions take longer than their products.
  single_reduction
};

template <>
struct EnumNames<PcgScheme> {
  static constexpr std::array<std::pair<PcgScheme, std::string_view>, 2> names{
      {{PcgScheme::standard, "standard"}, {PcgScheme::single_reduction, "single_reduction"}}};
};

/// \brief How the launches of an iteration reach a GPU.
enum class PcgLaunches {
  automatic,  ///< by the size of the system: `Impl::pcg_records`
  direct,     ///< one by one
  recorded    ///< `check_every` iterations as one graph, where the system allows it
};

template <>
struct EnumNames<PcgLaunches> {
  static constexpr std::array<std::pair<PcgLaunches, std::string_view>, 3> names{
      {{PcgLaunches::automatic, "automatic"},
       {PcgLaunches::direct, "direct"},
       {PcgLaunches::recorded, "recorded"}}};
};

}  // namespace Tomokkos
