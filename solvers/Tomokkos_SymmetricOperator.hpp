// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_RaySymmetry.hpp>

namespace Tomokkos {

/// \brief The system matrix of a scan with the symmetries of the square as an operator, by one ray
/// of each orbit: `y = A x` is a product of the stored rays with the eight images of x
/// (`RaySymmetry`), and so is `A^T y`. Natural rays and pixels, those that masks keep.
///
/// The stored rays are any operator (CSR with a stored transpose, packed rows, ray tiles), whose
/// products with 8 s vectors take s of this one; it decides how its transpose is done, and whether
/// the bits repeat. A range of rays costs a product with all: a view has rays of other orbits than
/// its neighbours.
///
/// Copies share the arrays and the workspace, so an operator serves one execution-space instance at
/// a time.
template <class ExecutionSpace, class Scalar>
class SymmetricOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \brief \p stored with rows and columns as \p symmetry numbers them. Throws
  /// `DimensionMismatch`; `Error` when it cannot be transposed.
  SymmetricOperator(RaySymmetry<memory_space> symmetry, AnyOperator<ExecutionSpace, Scalar> stored);

  Ordinal num_rows() const { return symmetry_.num_rays(); }
  Ordinal num_cols() const { return symmetry_.num_pixels(); }
  const RaySymmetry<memory_space>& symmetry() const { return symmetry_; }
  const AnyOperator<ExecutionSpace, Scalar>& stored() const { return stored_; }

  std::size_t memory_bytes() const;
  /// \brief Of a product with \p vectors vectors: that of the stored rays with eight times as many,
  /// x and y, the images written and those of the measurements read, and where each belongs.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the images of \p vectors vectors, `8 (num_cols + num_stored)` values each,
  /// and what the stored rays need. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

 private:
  using Images = MultiVectorView<Scalar, memory_space>;
  Images pixel_images(std::size_t vectors) const;
  Images ray_images(std::size_t vectors) const;
  std::size_t map_bytes(int vectors) const;

  RaySymmetry<memory_space> symmetry_;
  AnyOperator<ExecutionSpace, Scalar> stored_;
  mutable Vector<Scalar, memory_space> pixel_images_;
  mutable Vector<Scalar, memory_space> ray_images_;
};

}  // namespace Tomokkos
