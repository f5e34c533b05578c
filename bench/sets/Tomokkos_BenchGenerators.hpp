// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos::Bench {

/// \brief A matrix with a power law in rows and columns: R-MAT with the probabilities of Graph500
/// (0.57, 0.19, 0.19, 0.05).
struct PowerLaw {
  int scale = 16;               ///< `2^scale` rows and columns
  double entries_per_row = 16;  ///< before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief Entries spread evenly over all positions.
struct Uniform {
  Ordinal rows = 1;
  Ordinal columns = 1;
  double entries_per_row = 16;  ///< before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief The matrix of a least-squares conformal map (LSCM) of a plane mesh: a rectangle of `nx` x
/// `ny` squares, each cut into two triangles, whose inner vertices are moved about.
///
/// Two rows per triangle, two unknowns `u, v` (adjacent columns) per vertex, none pinned: with the
/// corners j of a triangle counterclockwise and `W_j` the complex opposite edge over the square
/// root of twice the area, `sum_j Re(W_j) u_j - Im(W_j) v_j` and `sum_j Im(W_j) u_j + Re(W_j) v_j`.
struct ConformalMap {
  Ordinal nx = 1, ny = 1;
  double jitter = 0.2;  ///< largest move of a vertex, in sides of a square; below 0.25
  std::uint64_t seed = 1;
};

/// \brief A square band matrix with one dense row in its middle.
struct DenseRow {
  Ordinal rows = 1;
  Ordinal bandwidth = 5;  ///< entries of the other rows, around the diagonal
  std::uint64_t seed = 1;
};

/// \brief The system of a least-squares conformal map: of a generated surface, pinned at the
/// farthest pair of its border. Symmetric positive definite, all four entries of every 2 x 2 block
/// stored, as equations of triangles leave them.
struct Lscm {
  MeshShape shape = MeshShape::hills;
  Offset vertices = 1000;  ///< about so many; the unknowns are twice as many, less four
  std::uint64_t seed = 1;
};

/// \brief The system of discrete smooth interpolation: of a generated surface, a share of whose
/// vertices keeps its place. One unknown for each of the others; x, y and z have this one matrix.
/// Symmetric positive definite.
struct Smoothing {
  MeshShape shape = MeshShape::hills;
  Offset vertices = 1000;  ///< about so many
  double locked = 0.1;     ///< share of the vertices, chosen by the seed
  std::uint64_t seed = 1;
};

/// \brief A block-circulant matrix: k x k blocks, of which `generate` makes the first row.
///
/// The entries of a row are spread evenly over its in-sector columns, in blocks at random: with
/// `entries_per_row` of `block_cols` each column has one, so that a product adds `block_cols`
/// vectors of k values in each row.
struct Circulant {
  Ordinal block_rows = 1;
  Ordinal block_cols = 1;
  Ordinal blocks = 1;
  Offset entries_per_row = 1;
  std::uint64_t seed = 1;
};

/// \brief The most entries, before duplicates are merged, that `generate` takes.
inline constexpr double max_generated_entries = 4e9;

/// \brief Entries of the matrix before duplicates are merged.
inline double entry_count(const PowerLaw& spec) {
  return std::ldexp(spec.entries_per_row, spec.scale);
}
/// \brief Likewise.
inline double entry_count(const Uniform& spec) { return spec.entries_per_row * spec.rows; }
/// \brief Likewise.
inline double entry_count(const ConformalMap& spec) {
  return 24.0 * static_cast<double>(spec.nx) * static_cast<double>(spec.ny);
}
/// \brief Likewise, an upper bound.
inline double entry_count(const DenseRow& spec) {
  return static_cast<double>(spec.rows) * (static_cast<double>(spec.bandwidth) + 1);
}

/// \brief Likewise: seven blocks a vertex.
inline double entry_count(const Lscm& spec) { return 28.0 * static_cast<double>(spec.vertices); }

/// \brief Likewise: a vertex, its neighbours and theirs.
inline double entry_count(const Smoothing& spec) {
  return 20.0 * static_cast<double>(spec.vertices);
}

/// \brief Of the first row of blocks.
inline double entry_count(const Circulant& spec) {
  return static_cast<double>(spec.entries_per_row) * spec.block_rows;
}

/// \brief Rows of the matrix.
inline double row_count(const PowerLaw& spec) { return std::ldexp(1.0, spec.scale); }
/// \brief Likewise.
inline double row_count(const Uniform& spec) { return spec.rows; }
/// \brief Likewise.
inline double row_count(const ConformalMap& spec) {
  return 4.0 * static_cast<double>(spec.nx) * static_cast<double>(spec.ny);
}
/// \brief Of the first row of blocks.
inline double row_count(const Circulant& spec) { return spec.block_rows; }
/// \brief Likewise.
inline double row_count(const DenseRow& spec) { return spec.rows; }
/// \brief Likewise, about; with what the mesh takes while it becomes a matrix.
inline double row_count(const Lscm& spec) { return 60.0 * static_cast<double>(spec.vertices); }
/// \brief Likewise.
inline double row_count(const Smoothing& spec) { return 20.0 * static_cast<double>(spec.vertices); }

/// \brief The matrix, rows sorted, duplicates merged; values in [0.5, 1.5). The same on every
/// machine for one seed; the scalar does not change the pattern.
///
/// On one host thread: about a second for ten million entries.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const PowerLaw& spec);

/// \brief Likewise.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Uniform& spec);

/// \brief The first row of blocks, rows sorted, values in [0.5, 1.5): column b block_cols + l is
/// column l of block b. The same on every machine. Throws `Error` for more entries in a row than it
/// has columns.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Circulant& spec);

/// \brief The matrix, rows sorted: six entries a row. The pattern is the same on every machine.
/// Throws `Error` for a jitter that could turn a triangle over, or too many vertices.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const ConformalMap& spec);

/// \brief The matrix, rows sorted, values in [0.5, 1.5). The same on every machine.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const DenseRow& spec);

/// \brief The matrix, rows sorted, the vertices as the mesh numbers them. Throws what
/// `generate_mesh` throws.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Lscm& spec);

/// \brief Likewise, the vertices that are not locked. Throws `Error` where none is left, and what
/// `generate_mesh` and `lock_share` throw.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Smoothing& spec);

}  // namespace Tomokkos::Bench
