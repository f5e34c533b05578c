// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in the order in which a sweep visits them: `visits` lists natural rows; empty: 0, 1, ...
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Replaces the natural order of rows by the order of the visits; no effect if this is the
/// natural order.
///
/// \param mask rows that the matrix contains; empty: all
template <class ExecutionSpace>
void set_visit_order(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                     const std::vector<char>& mask,
                     MatrixOrder<typename ExecutionSpace::memory_space>& order);

/// \brief Reorders the rows of the naturally ordered matrix \p A in order of visit and sets the
/// map. Leaves A unchanged if it already has this order. Both matrices exist for a moment.
///
/// \param mask rows that A contains; empty: all
///
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
void number_rows_by_visit(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                          const std::vector<char>& mask,
                          OrderedMatrix<ExecutionSpace, Scalar>& matrix);

/// \brief Numbers stored orbits of rays in order of visit. Moves no entry.
template <class ExecutionSpace>
void number_rays_by_visit(const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
                          const std::vector<char>& mask,
                          RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
                          MatrixOrder<typename ExecutionSpace::memory_space>& order);

/// \brief Rows of a matrix in \p order in the sequence in which a sweep visits them, in memory of
/// \p exec, without masked rows. Empty: 0, 1, ... ...
template <class ExecutionSpace>
Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space> rows_by_visit(
    const ExecutionSpace& exec, const std::vector<Ordinal>& visits,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order);

}  // namespace Tomokkos
