// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps from the mesh of a problem to its linear system, for runs and for commands that need the
// matrix alone.
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_Lscm.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_MeshSource.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Surface that is flattened. Its triangles have one orientation.
struct ChartSurface {
  LoadedMesh loaded;
  MeshTopology topology;
  Ordinal turned = 0;  ///< number of triangles that were turned over
  ChartPins pins;
};

/// \brief Reads or generates the mesh of a chart, gives its triangles one orientation and chooses
/// the pins.
///
/// \throws InputError for a mesh that cannot be flattened; ConfigError for pins that it does not
/// have; the errors of `load_mesh`
ChartSurface load_chart_surface(const ProblemSection& problem, bool single_precision);

/// \brief Returns the free vertices of a chart in the order of \p ordering. Empty: natural order.
std::vector<Ordinal> chart_order(const ChartSurface& surface, const OrderingOptions& ordering);

/// \brief Assembles two equations for every triangle of a chart. The unknowns have the order of \p
/// conformal.
template <class ExecutionSpace, class Scalar>
AssembledEquations<ExecutionSpace, Scalar> assemble_chart(const ExecutionSpace& exec,
                                                          const ChartSurface& surface,
                                                          const ConformalSystem& conformal);

/// \brief Selects the vertices that a smoothing keeps fixed; nonzero for these. \p seed draws a
/// share of them.
///
/// \throws ConfigError if there is no border to fix; InputError as `check_locks` and `read_locks`
std::vector<char> choose_locks(const LocksConfig& locks, std::uint64_t seed,
                               const LoadedMesh& loaded, const VertexRings& rings);

/// \brief Assembles the system of a smoothing.
///
/// \throws InputError naming the mesh
template <class ExecutionSpace, class Scalar>
MeshSmoothing<ExecutionSpace, Scalar> assemble_smoothing(const ExecutionSpace& exec,
                                                         const LoadedMesh& loaded,
                                                         const VertexRings& rings,
                                                         const std::vector<char>& locked);

/// \brief Brings the matrix of a smoothing into the order \p ordering.
///
/// \throws ConfigError with the position of `operator.ordering`
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_smoothing(
    const ExecutionSpace& exec, const OrderingOptions& ordering,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
