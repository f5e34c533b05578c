// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos::Bench {

/// \brief Matrix with a power law in rows and columns: R-MAT with the probabilities of Graph500
/// (0.57, 0.19, 0.19, 0.05).
struct PowerLaw {
  int scale = 16;               ///< `2^scale` rows and columns
  double entries_per_row = 16;  ///< mean number per row before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief Matrix with entries spread evenly over all positions.
struct Uniform {
  Ordinal rows = 1;
  Ordinal columns = 1;
  double entries_per_row = 16;  ///< mean number per row before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief Matrix of a least-squares conformal map (LSCM) of a plane mesh: a rectangle of `nx` x
/// `ny` squares, each cut into two triangles, with its inner vertices moved at random.
///
/// Two rows per triangle, two unknowns `u, v` (adjacent columns) per vertex, none pinned: with the
/// corners j of a triangle counterclockwise and `W_j` the complex opposite edge over the square
/// root of twice the area, `sum_j Re(W_j) u_j - Im(W_j) v_j` and `sum_j Im(W_j) u_j + Re(W_j) v_j`.
struct ConformalMap {
  Ordinal nx = 1, ny = 1;
  double jitter = 0.2;  ///< largest displacement of a vertex, in sides of a square; below 0.25
  std::uint64_t seed = 1;
};

/// \brief Square band matrix with one dense row in its middle.
struct DenseRow {
  Ordinal rows = 1;
  Ordinal bandwidth = 5;  ///< number of entries of the other rows, around the diagonal
  std::uint64_t seed = 1;
};

/// \brief System of a least-squares conformal map of a generated surface, pinned at the two
/// vertices of its border that are farthest apart.
///
/// Symmetric positive definite. All four entries of every 2 x 2 block are stored, as the equations
/// of triangles produce them.
struct Lscm {
  MeshShape shape = MeshShape::hills;
  Offset vertices = 1000;  ///< approximate number; there are twice as many unknowns, less four
  std::uint64_t seed = 1;
};

/// \brief System of discrete smooth interpolation of a generated surface.
///
/// Symmetric positive definite. A share of the vertices is fixed; each of the others has one
/// unknown. The same matrix serves x, y and z.
struct Smoothing {
  MeshShape shape = MeshShape::hills;
  Offset vertices = 1000;  ///< approximate number
  double locked = 0.1;     ///< share of the fixed vertices, which the seed selects
  std::uint64_t seed = 1;
};

/// \brief Block-circulant matrix of k x k blocks. `generate` makes its first block row.
///
/// The entries of a row are spread evenly over its in-sector columns, in random blocks. If
/// `entries_per_row` equals `block_cols`, each in-sector column has one entry, so that a product
/// adds `block_cols` vectors of k values in each row.
struct Circulant {
  Ordinal block_rows = 1;
  Ordinal block_cols = 1;
  Ordinal blocks = 1;
  Offset entries_per_row = 1;
  std::uint64_t seed = 1;
};

/// \brief Largest number of entries, before duplicates are merged, that `generate` accepts.
inline constexpr double max_generated_entries = 4e9;

/// \brief Returns the number of entries before duplicates are merged.
inline double entry_count(const PowerLaw& spec) {
  return std::ldexp(spec.entries_per_row, spec.scale);
}
/// \brief Returns the number of entries before duplicates are merged.
inline double entry_count(const Uniform& spec) { return spec.entries_per_row * spec.rows; }
/// \brief Returns the number of entries before duplicates are merged.
inline double entry_count(const ConformalMap& spec) {
  return 24.0 * static_cast<double>(spec.nx) * static_cast<double>(spec.ny);
}
/// \brief Returns an upper bound of the number of entries before duplicates are merged.
inline double entry_count(const DenseRow& spec) {
  return static_cast<double>(spec.rows) * (static_cast<double>(spec.bandwidth) + 1);
}

/// \brief Returns the number of entries before duplicates are merged: seven blocks per vertex.
inline double entry_count(const Lscm& spec) { return 28.0 * static_cast<double>(spec.vertices); }

/// \brief Returns the number of entries before duplicates are merged: a vertex, its neighbours and
/// their neighbours.
inline double entry_count(const Smoothing& spec) {
  return 20.0 * static_cast<double>(spec.vertices);
}

/// \brief Returns the number of entries in the first block row.
inline double entry_count(const Circulant& spec) {
  return static_cast<double>(spec.entries_per_row) * spec.block_rows;
}

/// \brief Returns the number of rows of the matrix.
inline double row_count(const PowerLaw& spec) { return std::ldexp(1.0, spec.scale); }
/// \brief Returns the number of rows of the matrix.
inline double row_count(const Uniform& spec) { return spec.rows; }
/// \brief Returns the number of rows of the matrix.
inline double row_count(const ConformalMap& spec) {
  return 4.0 * static_cast<double>(spec.nx) * static_cast<double>(spec.ny);
}
/// \brief Returns the number of rows of the first block row.
inline double row_count(const Circulant& spec) { return spec.block_rows; }
/// \brief Returns the number of rows of the matrix.
inline double row_count(const DenseRow& spec) { return spec.rows; }
/// \brief Returns the approximate number of rows, enlarged by the memory that the mesh needs during
/// the conversion.
inline double row_count(const Lscm& spec) { return 60.0 * static_cast<double>(spec.vertices); }
/// \brief Returns the approximate number of rows, enlarged by the memory of the conversion.
inline double row_count(const Smoothing& spec) { return 20.0 * static_cast<double>(spec.vertices); }

/// \brief Generates the matrix with sorted rows, merged duplicates and values in [0.5, 1.5).
///
/// A seed gives the same matrix on every machine; the scalar does not change the pattern. Uses one
/// host thread: about a second for ten million entries.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const PowerLaw& spec);

/// \brief Generates the matrix as for `PowerLaw`: sorted rows, values in [0.5, 1.5).
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Uniform& spec);

/// \brief Generates the first block row with sorted rows and values in [0.5, 1.5).
///
/// Column b block_cols + l is column l of block b. The result is the same on every machine.
///
/// \throws Error when a row has more entries than columns
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Circulant& spec);

/// \brief Generates the matrix with sorted rows of six entries. The pattern is the same on every
/// machine.
///
/// \throws Error when the jitter could turn a triangle over, or there are too many vertices
template <class Scalar>
HostCsrMatrix<Scalar> generate(const ConformalMap& spec);

/// \brief Generates the matrix with sorted rows and values in [0.5, 1.5). It is the same on every
/// machine.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const DenseRow& spec);

/// \brief Generates the matrix with sorted rows and the vertices in the order of the mesh.
///
/// Throws as `generate_mesh` does.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Lscm& spec);

/// \brief Generates the matrix with sorted rows and the vertices that are not fixed in the order of
/// the mesh.
///
/// Throws as `generate_mesh` and `lock_share` do.
///
/// \throws Error when all vertices are fixed
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Smoothing& spec);

}  // namespace Tomokkos::Bench
