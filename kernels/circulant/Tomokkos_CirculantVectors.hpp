// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// X and Y of products with a block-circulant matrix in other layouts: X replicated, and both block
// by block.
#pragma once

#include <Tomokkos_Views.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantPass.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_DivideBy.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <limits>

namespace Tomokkos::Impl {

/// Number of zeros after the last row of X replicated. Kernels read up to this many values, less
/// one, beyond the k s values of an entry, without a mask. The sums of a row are divided into
/// passes of up to 8 warps.
inline constexpr Offset circulant_padding = 256;

/// \brief Returns the number of values of X replicated for \p vectors vectors, rounded up to packs.
inline Offset replicated_size(Ordinal block_cols, Ordinal pitch, int vectors) {
  const Offset values = Offset{block_cols} * pitch * vectors + circulant_padding;
  return (values + pack_size - 1) / pack_size * pack_size;
}

/// Writes a pack of X replicated on a GPU.
template <class Scalar>
struct ReplicatePack {
  const Scalar* x;
  Scalar* to;
  Ordinal width, used, row;  // values of a row of X; of X replicated without and with its zeros
  Offset size;               // of all rows
  DivideBy by_row;
  bool narrow;  // all indices fit into 32 bits

  KOKKOS_FUNCTION void operator()(const Offset pack) const {
    const Offset first = pack * pack_size;
    Offset column =
        narrow ? Offset{by_row.quotient(static_cast<std::uint32_t>(first))} : first / row;
    auto place = static_cast<Ordinal>(first - column * row);
    alignas(16) Scalar values[pack_size];
    for (int c = 0; c < pack_size; ++c) {
      const bool copied = first + c < size && place < used;
      values[c] = copied ? x[column * width + (place < width ? place : place - width)] : Scalar(0);
      if (++place == row) {
        place = 0;
        ++column;
      }
    }
    store_block<Scalar, pack_size>(values, to + first);
  }
};

/// Writes a row of X replicated on a host; after the last row, the zeros.
template <class Scalar>
struct ReplicateRow {
  const Scalar* x;
  Scalar* to;
  Ordinal width, used, row;
  Offset size, padded_size;

  void operator()(const Offset column) const {
    Scalar* const copy = to + column * row;
    if (column * row == size) {
      std::fill(copy, to + padded_size, Scalar(0));
      return;
    }
    const Scalar* const from = x + column * width;
    std::copy_n(from, width, copy);
    std::copy_n(from, used - width, copy + width);
    std::fill(copy + used, copy + row, Scalar(0));
  }
};

/// \brief Sets `to` to X replicated: row l has `X(l, j mod k)` at j, for j up to 2 k - 2.
template <class ExecutionSpace, class Scalar>
void replicate(const ExecutionSpace& exec, Ordinal block_cols, Ordinal blocks, Ordinal pitch,
               int vectors, const Scalar* x, Scalar* to) {
  const Ordinal width = blocks * vectors, used = 2 * width - vectors, row = pitch * vectors;
  const Offset size = Offset{block_cols} * row;
  const Offset padded = replicated_size(block_cols, pitch, vectors);
  const char* const label = "Tomokkos::spmv::block_circulant::replicate";
  if constexpr (is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(block_cols) + 1),
                         ReplicateRow<Scalar>{x, to, width, used, row, size, padded});
  } else {
    const bool narrow = padded <= Offset{std::numeric_limits<std::uint32_t>::max()};
    Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(padded / pack_size)),
                         ReplicatePack<Scalar>{x, to, width, used, row, size,
                                               DivideBy(static_cast<std::uint32_t>(row)), narrow});
  }
}

/// \brief Writes X in the order of C, block column by block column; after all k, the first ones
/// again.
template <class Scalar>
struct UnrollBlocks {
  const Scalar* x;
  Scalar* to;
  Ordinal block_cols, blocks;
  int vectors;

  KOKKOS_FUNCTION void operator()(const Offset place) const {
    const Offset column = place / vectors % block_cols, block = place / vectors / block_cols;
    to[place] = x[(column * blocks + block % blocks) * vectors + place % vectors];
  }
};

/// \brief Computes `Y = alpha (Y in the order of C) + beta Y`.
template <class Scalar>
struct GatherBlocks {
  const Scalar* from;
  Scalar* y;
  Ordinal block_rows, blocks;
  int vectors;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset place) const {
    const Offset row = place / vectors / blocks, block = place / vectors % blocks;
    const Scalar sum = from[(block * block_rows + row) * vectors + place % vectors];
    y[place] = combine(alpha, sum, beta, y[place]);
  }
};

/// \brief Copies one of several vectors to a separate vector.
template <class Scalar>
struct TakeVector {
  const Scalar* x;
  Scalar* to;
  int vectors, vector;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to[i] = x[i * vectors + vector]; }
};

/// \brief Computes `Y(:, vector) = alpha sum + beta Y(:, vector)`.
template <class Scalar>
struct CombineVector {
  const Scalar* sum;
  Scalar* y;
  int vectors, vector;
  Scalar alpha, beta;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    Scalar& to = y[i * vectors + vector];
    to = combine(alpha, sum[i], beta, to);
  }
};

}  // namespace Tomokkos::Impl
