// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief Distribution of the work of `y = alpha A x + beta y`.
enum class SpmvVariant {
  automatic,    ///< chosen by the backend and the row statistics
  scalar,       ///< one thread per row
  team_vector,  ///< one team member per row, whose vector lanes share the nonzeros
  staged,       ///< blocks of short rows through scratch memory (GPU; on a host like `scalar`)
  merge_path,   ///< equal shares of rows + nonzeros per tile, carries added in order, no atomics
  crs_vector,   ///< `team_vector` with 32 lanes per row: CRS(vector) of Bell and Garland, 2009
  spmv4gpu,     ///< 16 lanes per row on a copy whose rows begin at multiples of 16 entries:
                ///< SpMV4GPU of Baskaran and Bordawekar, 2009; entries beyond the end of a row are
                ///< skipped
  merge_atomic  ///< equal shares of rows + nonzeros per thread, divided rows added by atomics: the
                ///< merge-based product of Wang, 2019; bits vary from run to run
};

template <>
struct EnumNames<SpmvVariant> {
  static constexpr std::array<std::pair<SpmvVariant, std::string_view>, 8> names{
      {{SpmvVariant::automatic, "automatic"},
       {SpmvVariant::scalar, "scalar"},
       {SpmvVariant::team_vector, "team_vector"},
       {SpmvVariant::staged, "staged"},
       {SpmvVariant::merge_path, "merge_path"},
       {SpmvVariant::crs_vector, "crs_vector"},
       {SpmvVariant::spmv4gpu, "spmv4gpu"},
       {SpmvVariant::merge_atomic, "merge_atomic"}}};
};

/// \brief Alignment of rows for `spmv4gpu`, in entries.
inline constexpr int spmv4gpu_padding = 16;

/// \brief Method of computing `y = alpha A^T x + beta y`.
enum class TransposeMethod {
  stored,  ///< by any forward variant from a transposed copy: repeatable, doubles the memory
  atomic,  ///< from A, one atomic addition per nonzero: no copy, bits vary from run to run
  private_images,  ///< `private`: from A; each thread of a host adds to its own image, and the
                   ///< images are added in order: repeatable, memory for one image per thread
  windowed,     ///< from A, one tile of columns after the other: repeatable, 14 bytes per piece of
                ///< a row in a tile (`WindowedPlan`)
  fixed_point,  ///< from A, one integer addition per nonzero: repeatable, only for pairs of rows
  direct,       ///< from the matrix without a copy: only for block-circulant matrices
  automatic     ///< one of the above, chosen by the available memory: see `choose_transpose`
};

template <>
struct EnumNames<TransposeMethod> {
  static constexpr std::array<std::pair<TransposeMethod, std::string_view>, 7> names{
      {{TransposeMethod::stored, "stored"},
       {TransposeMethod::atomic, "atomic"},
       {TransposeMethod::private_images, "private"},
       {TransposeMethod::windowed, "windowed"},
       {TransposeMethod::fixed_point, "fixed_point"},
       {TransposeMethod::direct, "direct"},
       {TransposeMethod::automatic, "automatic"}}};
};

/// \brief Number of adjacent entries whose columns are one 16-byte load.
inline constexpr int pack_entries = 4;

/// \brief Variant of a product and its launch numbers; 0 means "chosen by the library".
struct SpmvOptions {
  SpmvVariant variant = SpmvVariant::automatic;
  /// Rows that a team processes at the same time (`team_vector`); number of warps of a team
  /// (`merge_path` on a GPU).
  int team_size = 0;
  /// Number of vector lanes of a team member, a power of two. With 1 lane, teams of `merge_path` on
  /// a GPU keep the products of a tile in scratch memory.
  int vector_length = 0;
  /// Number of rows of a team (`team_vector`: a multiple of the team size; `staged`: at most the
  /// team size).
  int rows_per_team = 0;
  /// Rows + nonzeros of a tile (`merge_path`) or a section (`merge_atomic`), entries in scratch
  /// memory (`staged`, a multiple of 4), entries of a tile of COO (a multiple of 4).
  Offset items_per_tile = 0;
  /// Number of adjacent entries that a lane loads at a time (`team_vector` on a GPU): 1 or
  /// `pack_entries`. Setting it excludes variants that do not share a row among lanes.
  int entries_per_load = 0;
  /// Makes tile counts independent of the number of threads, so that results have the same bits for
  /// any number. Excludes `merge_atomic`.
  bool deterministic = false;
};

/// \brief True when the product \p chosen, with all choices made, distributes a row in packs of
/// `pack_entries` to several lanes, as `csr_interleaved` requires. `spmv4gpu` does not count: it
/// multiplies its own copy.
inline bool uses_packs(const SpmvOptions& chosen) {
  const bool by_lanes = chosen.variant == SpmvVariant::team_vector ||
                        chosen.variant == SpmvVariant::crs_vector ||
                        chosen.variant == SpmvVariant::merge_path;
  return by_lanes && chosen.vector_length > 1 && chosen.entries_per_load == pack_entries;
}

/// \brief True for variants that cut rows and entries into tiles or sections of `items_per_tile`.
constexpr bool has_sections(SpmvVariant variant) {
  return variant == SpmvVariant::merge_path || variant == SpmvVariant::merge_atomic;
}

/// \brief True when products of \p variant have the same bits on every run.
inline bool is_repeatable(SpmvVariant variant) { return variant != SpmvVariant::merge_atomic; }

}  // namespace Tomokkos
