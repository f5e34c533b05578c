// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Smoothing.hpp>
#include <Tomokkos_SolveSystem.hpp>
#include <span>

namespace Tomokkos {

/// \brief Smooths \p mesh: moves its free vertices to the solution of `MeshSmoothing`, with the
/// operator, the solver and the observers of any linear system. The columns of the solution are
/// the coordinates of the free vertices.
///
/// Each rank makes the whole system on its device and keeps contiguous rows of it.
///
/// \param rings neighbours of the vertices of \p mesh
/// \param locked nonzero for the vertices that keep their positions
/// \throws the errors of `MeshSmoothing`, naming the mesh, and of `solve_placed`; the mesh is then
/// unchanged
template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> smooth(const ExecutionSpace& exec, TriangleMesh& mesh,
                            const VertexRings& rings, std::span<const char> locked,
                            const SystemSettings& settings,
                            const SystemObserver<ExecutionSpace, Scalar>& observer = {},
                            const SystemRanks<ExecutionSpace>& ranks = {});

/// \brief Assembles the system of a smoothing of the mesh \p name.
///
/// \throws InputError naming the mesh
template <class ExecutionSpace, class Scalar>
MeshSmoothing<ExecutionSpace, Scalar> assemble_smoothing(const ExecutionSpace& exec,
                                                         const TriangleMesh& mesh,
                                                         const VertexRings& rings,
                                                         std::span<const char> locked,
                                                         const std::string& name);

}  // namespace Tomokkos
