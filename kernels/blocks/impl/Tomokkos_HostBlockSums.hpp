// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the blocks of a block row that a host thread keeps in vector registers. Each entry of
// a block has a sum of its own, and these are added once at the end of the block row. No addition
// therefore waits for the one before it in the same block.
#pragma once

#include <Tomokkos_Types.hpp>
#include <cstring>
#include <impl/Tomokkos_HostPacks.hpp>
#include <utility>

namespace Tomokkos::Impl {
inline namespace TOMOKKOS_HOST_PACKS_OF {

#if defined(TOMOKKOS_HOST_PACKS) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
#define TOMOKKOS_HOST_BLOCK_SUMS
#endif
#endif

#ifdef TOMOKKOS_HOST_BLOCK_SUMS

/// Longest register that is used. Measured on a Xeon with AVX-512, blocks of a mesh in the
/// second-level cache: registers of 64 bytes are as fast for double and 6 times slower for 4x4
/// blocks of float.
inline constexpr int block_register_bytes = host_pack_bytes < 32 ? host_pack_bytes : 32;

/// \brief True for blocks whose sums are kept in vector registers. Those of 8x8 blocks of double
/// take 16 registers, which is slower than a plain loop (0.8 times, same machine).
template <class Scalar, int B>
constexpr bool has_host_block_sums = B == 3
                                         ? 4 * static_cast<int>(sizeof(Scalar)) <= host_pack_bytes
                                         : B* B* static_cast<int>(sizeof(Scalar)) <=
                                               8 * block_register_bytes;

template <class Scalar, int N>
struct BlockRegister {
  typedef Scalar Vector __attribute__((vector_size(N * sizeof(Scalar))));
};

template <class Vector, class Scalar>
[[gnu::always_inline]] inline void load_register(const Scalar* from, Vector& to) {
  std::memcpy(&to, from, sizeof to);
}

/// \brief Repeats the values of \p from until \p to is full.
template <class From, class To, int... Lane>
[[gnu::always_inline]] inline void repeat_register(const From& from, To& to,
                                                   std::integer_sequence<int, Lane...>) {
  constexpr int values = static_cast<int>(sizeof(From) / sizeof(from[0]));
  to = __builtin_shufflevector(from, from, (Lane % values)...);
}

/// \brief Adds the values of a to those \p Step lanes away, and likewise those of b. Lanes without
/// the bit \p Step of the result belong to a, the others to b.
template <int Step, class Vector, int... Lane>
[[gnu::always_inline]] inline void add_pairs(const Vector& a, const Vector& b, Vector& result,
                                             std::integer_sequence<int, Lane...>) {
  constexpr int n = static_cast<int>(sizeof...(Lane));
  const Vector here = __builtin_shufflevector(a, b, ((Lane & Step) != 0 ? n + Lane : Lane)...);
  const Vector there =
      __builtin_shufflevector(a, b, ((Lane & Step) != 0 ? n + (Lane ^ Step) : Lane ^ Step)...);
  result = here + there;
}

/// \brief Sums over B x B blocks. B is a power of two.
template <class Scalar, int B>
class HostBlockSums {
  static constexpr int fitting = block_register_bytes / static_cast<int>(sizeof(Scalar));
  static constexpr int lanes = B * B < fitting ? B * B : fitting;
  static constexpr int registers = B * B / lanes;
  /// Columns of a row in a register, and registers of a row.
  static constexpr int width = lanes < B ? lanes : B;
  static constexpr int parts = B / width;

  using Vector = typename BlockRegister<Scalar, lanes>::Vector;
  using Row = typename BlockRegister<Scalar, width>::Vector;
  using Lanes = std::make_integer_sequence<int, lanes>;

 public:
  /// Blocks whose sums are independent. Block rows of 2x2 blocks are too short for pairs.
  static constexpr int in_flight = B >= 4 ? 2 : 1;

  /// \brief Adds the products of block \p slot of those in flight, \p block row by row, and \p x.
  [[gnu::always_inline]] void add(int slot, const Scalar* block, const Scalar* x) {
    Vector factors[parts];
#pragma GCC unroll 8
    for (int part = 0; part < parts; ++part) {
      Row row;
      load_register(x + part * width, row);
      repeat_register(row, factors[part], Lanes());
    }
#pragma GCC unroll 32
    for (int i = 0; i < registers; ++i) {
      Vector values;
      load_register(block + i * lanes, values);
      sums_[slot][i] += values * factors[i % parts];
    }
  }

  /// \brief Adds the sums of every row.
  [[gnu::always_inline]] void add_rows(Scalar (&result)[B]) const {
    constexpr int rows_per_register = lanes / width;
    constexpr int rows = B / rows_per_register;  // registers with the rows
    Vector totals[rows];
#pragma GCC unroll 32
    for (int row = 0; row < rows; ++row) {
      totals[row] = sums_[0][row * parts];
#pragma GCC unroll 8
      for (int part = 0; part < parts; ++part)
#pragma GCC unroll 2
        for (int slot = 0; slot < in_flight; ++slot)
          if (part + slot > 0) totals[row] += sums_[slot][row * parts + part];
    }
    // Several registers are added together, so that each lane of the last one holds a row.
    constexpr int group = rows < width ? rows : width;
#pragma GCC unroll 32
    for (int first = 0; first < rows; first += group) {
      add_lanes<1, group>(totals + first);
#pragma GCC unroll 8
      for (int i = 0; i < group; ++i)
#pragma GCC unroll 8
        for (int r = 0; r < rows_per_register; ++r)
          result[(first + i) * rows_per_register + r] = totals[first][r * width + i];
    }
  }

 private:
  /// Adds the columns of the rows in \p count registers. Lane i of the first one then belongs to
  /// register i, for each of its rows.
  template <int step, int count>
  [[gnu::always_inline]] static void add_lanes(Vector* totals) {
    if constexpr (step < width) {
      constexpr int left = count > 1 ? count / 2 : 1;
#pragma GCC unroll 8
      for (int i = 0; i < left; ++i)
        add_pairs<step>(totals[2 * i], totals[count > 1 ? 2 * i + 1 : 0], totals[i], Lanes());
      add_lanes<2 * step, left>(totals);
    }
  }

  Vector sums_[in_flight][registers] = {};
};

/// \brief Sums over 3 x 3 blocks: a register of four lanes for each row. The fourth lane holds a
/// neighbour in the block and is not used.
template <class Scalar>
class HostBlockSums<Scalar, 3> {
  using Vector = typename BlockRegister<Scalar, 4>::Vector;

 public:
  static constexpr int in_flight = 1;

  [[gnu::always_inline]] void add(int, const Scalar* block, const Scalar* x) {
    const Vector front = {x[0], x[1], x[2], 0}, back = {0, x[0], x[1], x[2]};
    Vector row;
    load_register(block, row);
    sums_[0] += row * front;
    load_register(block + 3, row);
    sums_[1] += row * front;
    // The last row ends with the block.
    load_register(block + 5, row);
    sums_[2] += row * back;
  }

  [[gnu::always_inline]] void add_rows(Scalar (&result)[3]) const {
    for (int r = 0; r < 2; ++r) result[r] = sums_[r][0] + sums_[r][1] + sums_[r][2];
    result[2] = sums_[2][1] + sums_[2][2] + sums_[2][3];
  }

 private:
  Vector sums_[3] = {};
};

#else

template <class Scalar, int B>
constexpr bool has_host_block_sums = false;

/// \brief Never used; see `has_host_block_sums`.
template <class Scalar, int B>
class HostBlockSums;

#endif

}  // namespace TOMOKKOS_HOST_PACKS_OF
}  // namespace Tomokkos::Impl
