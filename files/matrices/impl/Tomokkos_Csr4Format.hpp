// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout of csr4 files, used by reader and writer: packed, host byte order, `PCSR`, u8 version, u8
// flags, u16, u32 rows, u32 columns, u64 nnz, u32 S, S bytes of scanner, u64[rows] end offsets, nnz
// x {u32 column, float value}.
#pragma once

#include <cstdint>

namespace Tomokkos::Impl {

inline constexpr char csr4_magic[] = {'P', 'C', 'S', 'R'};
inline constexpr std::uint8_t csr4_version = 4;
inline constexpr std::uint64_t csr4_header_bytes = 28;
inline constexpr std::uint32_t csr4_smallest_scanner = 60;

/// Column and value, as in the file.
struct Csr4Entry {
  std::uint32_t column;
  float value;
};
static_assert(sizeof(Csr4Entry) == 8);

/// Number of entries that are read or written at once.
inline constexpr std::uint64_t csr4_chunk = 1 << 15;

}  // namespace Tomokkos::Impl
