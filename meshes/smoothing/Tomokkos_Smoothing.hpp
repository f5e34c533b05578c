// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_VertexRings.hpp>
#include <optional>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Equations of discrete smooth interpolation, for `EquationRows`. Vertex k with the
/// neighbours N(k), `n = |N(k)|`, has the equation
///
///     sqrt(w_k / (1 + 1/n)) (x_k - sum over j in N(k) of x_j / n) = 0
///
/// These are uniform Laplacian rows of unit norm (over free and locked coefficients), multiplied by
/// the square root of the weight. Vertices on a border use all of their neighbours. A vertex
/// without neighbours has an empty row.
template <class Scalar, class MemorySpace>
struct SmoothingEquations {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<const Ordinal*, MemorySpace> neighbours;
  Kokkos::View<const double*, MemorySpace> weights;  ///< empty: all 1

  KOKKOS_FUNCTION void operator()(const Offset row, EquationWriter<Scalar>& equation) const {
    const Offset begin = offsets(row), end = offsets(row + 1);
    if (begin == end) return;
    const double share = 1.0 / static_cast<double>(end - begin);
    const double unit = 1.0 / sqrt(1.0 + share);
    equation.add(static_cast<Ordinal>(row), static_cast<Scalar>(unit));
    for (Offset k = begin; k < end; ++k)
      equation.add(neighbours(k), static_cast<Scalar>(-unit * share));
    if (weights.extent(0) > 0) equation.scale(sqrt(weights(row)));
  }
};

/// \brief Discrete smooth interpolation of a mesh: linear system for the positions of the free
/// vertices that minimise
///
///     sum over vertices k of w_k |row k times x|^2
///
/// with the rows of `SmoothingEquations`, while locked vertices keep their positions.
///
/// The coordinates are three right-hand sides of one matrix with about 18 nonzeros per row.
/// Coordinates are relative to the centre of the mesh, because large ones would be rounded in
/// `float`.
template <class ExecutionSpace, class Scalar>
class MeshSmoothing {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using EquationsType = AssembledEquations<ExecutionSpace, Scalar>;

  /// \brief Assembles the system on \p exec. Complete on return.
  ///
  /// \param locked nonzero for the vertices that keep their positions
  /// \param weights one per vertex, finite and positive; empty: all 1
  /// \throws InputError like `check_locks`
  /// \throws Error for an invalid weight, naming its vertex
  /// \throws DimensionMismatch if the lengths do not match
  /// \throws MemoryError if there is too little memory
  MeshSmoothing(const ExecutionSpace& exec, const TriangleMesh& mesh, const VertexRings& rings,
                std::span<const char> locked, std::span<const double> weights = {});

  /// \brief Matrix, right-hand sides and start (the original mesh), each `num_free x 3`.
  const EquationsType& equations() const { return *equations_; }

  /// \brief Moves the free vertices of \p mesh to the values \p X of all variables,
  /// `num_vertices x 3`. Locked vertices keep every bit. Fences.
  ///
  /// \throws DimensionMismatch if the shape does not match
  void move_vertices(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, memory_space>& X,
                     TriangleMesh& mesh) const;

 private:
  Point3 origin_{};
  std::vector<char> locked_;
  std::optional<EquationsType> equations_;
};

/// \brief Smooths \p mesh by conjugate gradients in one call. Returns one result for each of x, y
/// and z.
///
/// Vertices move to the last iterate even if the solver did not converge. Throws like
/// `MeshSmoothing` and `Pcg`.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> smooth(const ExecutionSpace& exec, TriangleMesh& mesh,
                                std::span<const char> locked, const PcgParams& params = {});

/// \brief Computes the quantity that smoothing minimises, for x, y and z: the sum over vertices of
/// w_k |row k times x|^2. Runs on the calling thread.
///
/// \throws DimensionMismatch if the lengths do not match
Point3 roughness(const TriangleMesh& mesh, const VertexRings& rings,
                 std::span<const double> weights = {});

}  // namespace Tomokkos
