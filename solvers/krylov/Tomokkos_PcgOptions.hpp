// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices of `PcgParams` that have names in configurations.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief Form of the recursion. All forms give the same iterates up to rounding.
enum class PcgScheme {
  /// `single_reduction` for systems on a GPU that are so small that waiting dominates, and for
  /// systems distributed over ranks; otherwise `standard`. See `choose_pcg_variant`.
  automatic,
  /// Hestenes and Stiefel: the curvature, then the new residual, with one reduction each.
  standard,
  /// Chronopoulos and Gear (1989): one reduction, one more vector, up to 10 % more iterations in
  /// finite precision. For systems whose reductions take longer than their products. It loses
  /// digits earlier: with condition numbers near 1e16 it may not converge where `standard` does.
  single_reduction
};

template <>
struct EnumNames<PcgScheme> {
  static constexpr std::array<std::pair<PcgScheme, std::string_view>, 3> names{
      {{PcgScheme::automatic, "automatic"},
       {PcgScheme::standard, "standard"},
       {PcgScheme::single_reduction, "single_reduction"}}};
};

/// \brief Launch mode of the kernels of an iteration on a GPU.
enum class PcgLaunches {
  automatic,  ///< by the size of the system: `choose_pcg_variant`
  direct,     ///< kernel by kernel
  recorded,   ///< `check_every` iterations as one graph, if the system allows it
  /// `check_every` iterations in one kernel whose teams wait for each other on the device (CUDA,
  /// `single_reduction`). For one right-hand side, a CSR matrix, and Jacobi or no preconditioner.
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

/// \brief Form of the recursion and launch mode of a solve. Neither is `automatic` once chosen.
struct PcgVariant {
  PcgScheme scheme = PcgScheme::automatic;
  PcgLaunches launches = PcgLaunches::automatic;
};

/// \brief Properties of a system on which the choice of the variant depends.
struct PcgSystemTraits {
  Offset entries = 0;           ///< entries of a vector, all right-hand sides together
  Offset nonzeros = 0;          ///< nonzeros of the matrix, if the device supports resident teams
  bool can_record = false;      ///< the device records launches, and the system allows it
  bool can_reside = false;      ///< the device supports resident teams, and the system suits them
  bool needs_change = false;    ///< a rule needs a quantity that only `standard` measures
  bool is_distributed = false;  ///< several ranks, for which every reduction waits
};

/// \brief Returns the variant of a system: the requested one where possible, otherwise by the size
/// of the system. A pure function of its arguments.
PcgVariant choose_pcg_variant(const PcgVariant& requested, const PcgSystemTraits& at);

}  // namespace Tomokkos
