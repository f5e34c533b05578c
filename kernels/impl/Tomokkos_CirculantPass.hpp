// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>

namespace Tomokkos::Impl {

/// Values behind the last row of X replicated, and of sums that lie like it: kernels read as many
/// beyond the sums of a row, of which they make nothing.
inline constexpr Offset circulant_overread = 256;

/// A product with a block-circulant matrix as its kernels see it: a row of X has `width` = k s
/// values, in X replicated `pitch s`, and an entry e begins at `positions(e) s` of X replicated.
template <class Scalar>
struct CirculantPass {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  const Scalar* values;
  Ordinal block_rows;
  Ordinal pitch;  // of positions
  Ordinal blocks;
  int vectors;
  const Scalar* x;  // X, or X replicated
  Scalar* y;        // Y, rows of `width` values
  Scalar alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal width() const { return blocks * vectors; }
};

/// Takes a position apart without a division.
class CirculantSplit {
 public:
  explicit CirculantSplit(Ordinal pitch)
      : pitch_(static_cast<std::uint32_t>(pitch)),
        inverse_(static_cast<std::uint32_t>((std::uint64_t{1} << 32) / pitch_ -
                                            (pitch_ == 1 ? 1 : 0))) {}

  /// The in-sector column of \p position, which becomes the block.
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t operator()(std::uint32_t& position) const {
    // At most one too small, since the inverse is.
    std::uint32_t column = static_cast<std::uint32_t>((std::uint64_t{position} * inverse_) >> 32);
    position -= column * pitch_;
    if (position >= pitch_) {
      position -= pitch_;
      ++column;
    }
    return column;
  }

 private:
  std::uint32_t pitch_, inverse_;
};

}  // namespace Tomokkos::Impl
