// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of ray tiles as hosts read them: values of 16 bits are converted for a whole chunk at
// once.
#pragma once

#include <Tomokkos_Half.hpp>
#include <impl/Tomokkos_RayTilesStreams.hpp>

namespace Tomokkos::Impl {

inline constexpr unsigned chunk_entries = tile_chunk * tile_pack;

/// Converts the binary16 values in the upper bits of the words of a chunk.
inline void floats_of_halves(const std::uint32_t* words, float* to) {
#if defined(__F16C__)
  for (unsigned i = 0; i < chunk_entries; i += 4) {
    const __m128i upper =
        _mm_srli_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(words + i)), 16);
    _mm_storeu_ps(to + i, _mm_cvtph_ps(_mm_packus_epi32(upper, upper)));
  }
#else
  for (unsigned i = 0; i < chunk_entries; ++i)
    to[i] = float_from_half(static_cast<std::uint16_t>(words[i] >> 16));
#endif
}

/// Converts the codes in the upper bits of the words of a chunk; padding (index `tile`) becomes 0.
inline void floats_of_codes(const std::uint32_t* words, float least, float step, unsigned tile,
                            float* to) {
  for (unsigned i = 0; i < chunk_entries; ++i) {
    const float value = least + step * static_cast<float>(static_cast<int>(words[i] >> 16));
    // A factor instead of a choice: compilers vectorise a product, but not the choice.
    to[i] = value * ((words[i] & 0x7fffU) == tile ? 0.0F : 1.0F);
  }
}

/// Chunk of a block; the values of padding are 0.
template <class Scalar, StoredPrecision Values>
class HostChunk {
 public:
  HostChunk(const TileBlock<Scalar, Values>& block, unsigned chunk, Ordinal)
      : indices_(block.indices + std::size_t{chunk} * chunk_entries),
        values_(block.values + std::size_t{chunk} * chunk_entries) {}

  bool begins_segment(unsigned pack) const {
    return (indices_[pack * tile_pack] & segment_flag) != 0;
  }
  unsigned index(unsigned pack, int i) const {
    const unsigned bits = indices_[pack * tile_pack + static_cast<unsigned>(i)];
    return i == 0 ? bits & ~segment_flag : bits;
  }
  Scalar value(unsigned pack, int i) const {
    return values_[pack * tile_pack + static_cast<unsigned>(i)];
  }

 private:
  const std::uint16_t* indices_;
  const Scalar* values_;
};

template <class Scalar, StoredPrecision Values>
requires(Values != StoredPrecision::plain) class HostChunk<Scalar, Values> {
 public:
  HostChunk(const TileBlock<Scalar, Values>& block, unsigned chunk, Ordinal tile)
      : words_(block.words + std::size_t{chunk} * chunk_entries) {
    if constexpr (Values == StoredPrecision::half) {
      floats_of_halves(words_, values_);
    } else {
      floats_of_codes(words_, block.least, block.step, static_cast<unsigned>(tile), values_);
    }
  }

  bool begins_segment(unsigned pack) const {
    return (words_[pack * tile_pack] & segment_flag) != 0;
  }
  unsigned index(unsigned pack, int i) const {
    return words_[pack * tile_pack + static_cast<unsigned>(i)] & (i == 0 ? 0x7fffU : 0xffffU);
  }
  float value(unsigned pack, int i) const {
    return values_[pack * tile_pack + static_cast<unsigned>(i)];
  }

 private:
  const std::uint32_t* words_;
  float values_[chunk_entries];
};

/// Calls `opens(segment)` for each segment of a part of a block, and `takes(chunk, pack)` for each
/// of its packs. After the last segment of the block, it also calls `takes` for the padding of the
/// chunk. Inlined so that sums stay in registers.
template <class Scalar, StoredPrecision Values, class Opens, class Takes>
[[gnu::always_inline]] inline void for_host_packs(const TileBlock<Scalar, Values>& block,
                                                  const BlockPart& part, Ordinal tile,
                                                  const Opens& opens, const Takes& takes) {
  unsigned segment = part.first_segment;
  unsigned others = segment - block.chunk_segments[part.first_chunk];
  for (unsigned c = part.first_chunk; c < part.last_chunk; ++c) {
    const HostChunk<Scalar, Values> chunk(block, c, tile);
    unsigned p = 0;
    // Skip packs before the first segment of the part.
    if (c == part.first_chunk)
      while (!chunk.begins_segment(p) || others-- > 0) ++p;
    for (; p < static_cast<unsigned>(tile_chunk); ++p) {
      if (chunk.begins_segment(p)) {
        if (segment == part.last_segment) return;
        opens(segment++);
      }
      takes(chunk, p);
    }
  }
}

}  // namespace Tomokkos::Impl
