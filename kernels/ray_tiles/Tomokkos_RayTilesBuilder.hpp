// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTilesLayout.hpp>

namespace Tomokkos {

/// \brief Makes ray tiles of a matrix from blocks of successive rows in CSR, rows sorted, that come
/// twice and need not be there at the same time: a matrix that does not fit memory as CSR.
///
///     RayTilesBuilder<Space, float> builder(exec, rows, columns, nonzeros, options);
///     for (...) builder.count(exec, block);
///     for (...) builder.fill(exec, block);   // the same blocks
///     const auto A = builder.finish(exec);
///
/// Throws `Error` for values that are not finite, for `half` for values beyond 65504, and for
/// blocks that are not those that were counted; `MemoryError` with the bytes.
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
class RayTilesBuilder {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Block = CsrMatrix<Scalar, memory_space>;
  using Matrix = RayTilesMatrix<Scalar, memory_space, Values>;

  /// \brief \p nonzeros, which may be an estimate, decides `group_rows` where that is 0.
  RayTilesBuilder(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                  const RayTilesOptions& options = {});

  /// \brief The next rows. Two passes over their columns, one over their values.
  void count(const ExecutionSpace& exec, const Block& block);

  /// \brief What has been counted; before rows are filled in.
  RayTilesSize size(const ExecutionSpace& exec) const { return layout_.size(exec); }

  /// \brief The same again, all rows counted.
  void fill(const ExecutionSpace& exec, const Block& block);

  /// \brief The matrix, all rows filled. Any instance may read it.
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
