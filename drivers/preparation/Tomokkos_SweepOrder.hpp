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
/// \throws ConfigError with the position
void check_sweep(const ConfigReader& solver, const ProblemSection& problem,
                 const SweepConfig& sweep);

/// \brief Order of a sweep with all choices made.
struct SweepOrder {
  std::vector<Ordinal> rows;  ///< natural row indices in order of visit; empty: 0, 1, ...
  Ordinal stride = 1;
  Ordinal block_rows = 1;

  /// \brief Describes the order with every choice made, for the report.
  Description report(const SolverSection& solver) const;
};

/// \brief Makes the order of \p config. Views and detectors must be known.
///
/// \throws ConfigError if they are not, or if a stride of `auto` has no geometry
SweepOrder make_sweep_order(const RunConfig& config, const RunInput& input);

/// \brief Replaces the natural order of rows by the order of the visits; no effect if this is the
/// natural order.
///
/// \param mask rows that the matrix contains; empty: all
template <class ExecutionSpace>
void set_visit_order(const ExecutionSpace& exec, const SweepOrder& sweep,
                     const std::vector<char>& mask,
                     MatrixOrder<typename ExecutionSpace::memory_space>& order);

/// \brief Reorders the rows of the naturally ordered matrix \p A in order of visit and sets the
/// map. Leaves A unchanged if it already has this order. Both matrices exist for a moment.
///
/// \param mask rows that A contains; empty: all
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
void number_rows_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          OrderedMatrix<ExecutionSpace, Scalar>& matrix);

/// \brief Numbers stored orbits of rays in order of visit. Moves no entry.
template <class ExecutionSpace>
void number_rays_by_visit(const ExecutionSpace& exec, const SweepOrder& sweep,
                          const std::vector<char>& mask,
                          RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                          MatrixOrder<typename ExecutionSpace::memory_space>& order);

/// \brief Rows of a matrix in \p order in the sequence in which a sweep visits them, in memory of
/// \p exec, without masked rows. Empty: 0, 1, ... ...
template <class ExecutionSpace>
Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space> rows_by_visit(
    const ExecutionSpace& exec, const SweepOrder& sweep,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order);

}  // namespace Tomokkos
