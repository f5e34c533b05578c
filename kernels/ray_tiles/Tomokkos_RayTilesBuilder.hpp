// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTilesLayout.hpp>

namespace Tomokkos {

/// \brief Builds ray tiles from blocks of successive CSR rows, for a matrix that does not fit into
/// memory as CSR.
///
/// Each block is passed twice, first to `count`, then to `fill`. Only one block has to exist at a
/// time. Columns ascend within each row.
///
///     RayTilesBuilder<Space, float> builder(exec, rows, columns, nonzeros, options);
///     for (...) builder.count(exec, block);
///     for (...) builder.fill(exec, block);   // the same blocks
///     const auto A = builder.finish(exec);
///
/// \throws Error for values that are not finite, for values beyond 65504 with `half`, and if the
///   filled blocks differ from the counted ones
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
class RayTilesBuilder {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Block = CsrMatrix<Scalar, memory_space>;
  using Matrix = RayTilesMatrix<Scalar, memory_space, Values>;

  /// \brief Prepares an empty matrix of this shape.
  ///
  /// \param nonzeros expected number of entries; an estimate will do. It determines `group_rows` if
  ///   the options leave that 0.
  RayTilesBuilder(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                  const RayTilesOptions& options = {});

  /// \brief Counts the next rows. Two passes over their columns, one over their values.
  void count(const ExecutionSpace& exec, const Block& block);

  /// \brief Returns the counts so far. Call it before rows are filled in.
  RayTilesSize size(const ExecutionSpace& exec) const { return layout_.size(exec); }

  /// \brief Fills in the next rows, after all rows have been counted.
  void fill(const ExecutionSpace& exec, const Block& block);

  /// \brief Returns the matrix after all rows have been filled in. Any instance may read it.
  Matrix finish(const ExecutionSpace& exec);

 private:
  void begin_filling(const ExecutionSpace& exec);

  RayTilesLayout<ExecutionSpace> layout_;
  Matrix result_;
  double least_ = 0, largest_ = 0;
  Ordinal filled_ = 0;
  Offset filled_entries_ = 0;
  bool fills_ = false;
  Kokkos::View<std::uint16_t*, memory_space> indices_;
  Kokkos::View<Scalar*, memory_space> values_;
  Kokkos::View<std::uint32_t*, memory_space> words_;
};

}  // namespace Tomokkos
