// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_Lscm.hpp>
#include <Tomokkos_SolveSystem.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Chart of a surface, one point per vertex, and its linear system.
template <class Scalar>
struct FlattenedMesh {
  std::vector<Point2> chart;
  SolvedSystem<Scalar> solved;
};

/// \brief Flattens \p mesh by a least squares conformal map with two \p pins.
///
/// The matrix is stored in \p form; `settings.task.wish` has its order, and for
/// `ChartForm::equations` its format. Each rank builds the whole system on its host, and holds
/// contiguous rows of it on its device.
///
/// \pre `check_parameterizable` accepts the mesh
/// \throws InputError naming a vertex whose angles are too small for \p Scalar; the errors of
/// `conformal_system` and `solve_placed`
template <class ExecutionSpace, class Scalar>
FlattenedMesh<Scalar> flatten(const ExecutionSpace& exec, const TriangleMesh& mesh,
                              const ChartPins& pins, ChartForm form, const SystemSettings& settings,
                              const SystemObserver<ExecutionSpace, Scalar>& observer = {},
                              const SystemRanks<ExecutionSpace>& ranks = {});

/// \brief Builds the system of a chart on the host, with its free vertices in the order of
/// \p ordering.
ConformalSystem ordered_conformal_system(const TriangleMesh& mesh, const ChartPins& pins,
                                         const OrderingOptions& ordering);

/// \brief Assembles two equations for every triangle of a chart. The unknowns have the order of
/// \p conformal.
template <class ExecutionSpace, class Scalar>
AssembledEquations<ExecutionSpace, Scalar> assemble_chart(const ExecutionSpace& exec,
                                                          const TriangleMesh& mesh,
                                                          const ChartPins& pins,
                                                          const ConformalSystem& conformal);

}  // namespace Tomokkos
