// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Checks that the problem has the views that \p sweep orders.
///
/// \throw ConfigError with the position
void check_sweep(const ConfigReader& solver, const ProblemSection& problem,
                 const SweepConfig& sweep);

/// \brief What a sweep of a run does.
struct SweepOrder {
  std::vector<Ordinal> rows;  ///< natural, in order of visit; empty: 0, 1, ...
  Ordinal stride = 1;
  Ordinal block_rows = 1;

  /// \brief For the report: the order with every choice made.
  Description report(const SolverSection& solver) const;
};

/// \brief The order of \p config, once views and detectors are known.
///
/// \throw ConfigError where they are not, and where a stride of `auto` has no geometry to come
/// from.
SweepOrder make_sweep_order(const RunConfig& config, const RunInput& input);

/// \brief \p A, naturally ordered, with its rows in order of visit, and the map that tells so; A
/// itself, and its map, where that is its own order. Both are there for a moment.
///
/// \param mask which rows A still has; empty: all
///
/// \throw MemoryError.
template <class ExecutionSpace, class Scalar>
void number_rows_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          OrderedMatrix<ExecutionSpace, Scalar>& matrix);

/// \brief The same for stored orbits of rays: no entry moves.
template <class ExecutionSpace>
void number_rays_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                          MatrixOrder<typename ExecutionSpace::memory_space>& order);

/// \brief The rows of a matrix in \p order as a sweep visits them, in memory of \p exec, without
/// those that a mask has taken out; empty: 0, 1, ...
template <class ExecutionSpace>
Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space> rows_by_visit(
    const ExecutionSpace& exec, const SweepOrder& sweep,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order);

}  // namespace Tomokkos
