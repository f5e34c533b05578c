// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of `PcgParams` that have names in configurations.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief How the recursion is arranged. All give the same iterates up to rounding.
enum class PcgScheme {
  /// `single_reduction` for systems of a GPU that are so small that waiting is what takes time,
  /// and for those that are spread over ranks, `standard` for all others: `choose_pcg_variant`.
  automatic,
  /// Hestenes and Stiefel: the curvature, then the new residual, in one reduction each.
  standard,
  /// Chronopoulos and Gear (1989): one reduction, a vector more, up to a tenth more iterations in
  /// finite precision. For systems whose reductions take longer than their products.
  single_reduction
};

template <>
struct EnumNames<PcgScheme> {
  static constexpr std::array<std::pair<PcgScheme, std::string_view>, 3> names{
      {{PcgScheme::automatic, "automatic"},
       {PcgScheme::standard, "standard"},
       {PcgScheme::single_reduction, "single_reduction"}}};
};

/// \brief How the work of an iteration reaches a GPU.
enum class PcgLaunches {
  automatic,  ///< by the size of the system: `choose_pcg_variant`
  direct,     ///< kernel by kernel
  recorded,   ///< `check_every` iterations as one graph, where the system allows it
  /// `check_every` iterations by one kernel whose teams wait for each other on the device (CUDA,
  /// `single_reduction`): for one right-hand side, a CSR matrix, Jacobi or no preconditioner.
  resident
};

template <>
struct EnumNames<PcgLaunches> {
  static constexpr std::array<std::pair<PcgLaunches, std::string_view>, 4> names{
      {{PcgLaunches::automatic, "automatic"},
       {PcgLaunches::direct, "direct"},
       {PcgLaunches::recorded, "recorded"},
       {PcgLaunches::resident, "resident"}}};
};

/// \brief How a system is iterated; nothing in it is `automatic` once it was chosen.
struct PcgVariant {
  PcgScheme scheme = PcgScheme::automatic;
  PcgLaunches launches = PcgLaunches::automatic;
};

/// \brief What the choice of a way depends on.
struct PcgCircumstances {
  Offset entries = 0;           ///< of a vector, all right-hand sides together
  Offset nonzeros = 0;          ///< of the matrix, where the device could have resident teams
  bool can_record = false;      ///< the device records launches, and the system lets it
  bool can_reside = false;      ///< the device has resident teams, and the system suits them
  bool needs_change = false;    ///< a rule asks for what only `standard` measures
  bool is_distributed = false;  ///< over several ranks, which every reduction waits for
};

/// \brief The way of a system: what was asked for where that can be had, by the size of the system
/// otherwise. A pure function of its arguments.
PcgVariant choose_pcg_variant(const PcgVariant& asked, const PcgCircumstances& at);

}  // namespace Tomokkos
