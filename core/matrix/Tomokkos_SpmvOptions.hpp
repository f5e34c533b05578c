// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief How `y = alpha A x + beta y` is shared out.
enum class SpmvVariant {
  automatic,    ///< chosen from the backend and the row statistics
  scalar,       ///< a thread per row
  team_vector,  ///< a team member per row, its vector lanes over the nonzeros
  staged,       ///< blocks of short rows through scratch memory (GPU; on a host as `scalar`)
  merge_path,   ///< equal shares of rows + nonzeros per tile, carries added in order, no atomics
  crs_vector,   ///< `team_vector` with 32 lanes a row: CRS(vector) of Bell and Garland, 2009
  spmv4gpu,     ///< 16 lanes a row on a copy whose rows begin at multiples of 16 entries: SpMV4GPU
                ///< of Baskaran and Bordawekar, 2009; what is behind a row is passed over
  merge_atomic  ///< equal shares of rows + nonzeros, a thread each, rows that are cut added up by
                ///< atomics: the merge-based product of Wang, 2019; the bits vary from run to run
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

/// \brief Entries that a row of `spmv4gpu` is padded to a multiple of.
inline constexpr int spmv4gpu_padding = 16;

/// \brief How `y = alpha A^T x + beta y` is formed.
enum class TransposeMethod {
  stored,  ///< from a transposed copy, by any forward variant: repeatable, doubles the memory
  atomic,  ///< from A itself, one atomic addition per nonzero: no copy, the bits vary from run to
           ///< run
  private_images,  ///< `private`: from A itself, the threads of a host each into an image of its
                   ///< own, added in order: repeatable, an image a thread
  windowed,     ///< from A itself, tile of columns by tile: repeatable, 14 bytes a piece of a row
                ///< in a tile (`WindowedPlan`)
  fixed_point,  ///< from A itself, one addition of whole numbers per nonzero: repeatable, pairs of
                ///< rows alone
  direct,       ///< from the matrix itself, without a copy: block circulant alone
  automatic     ///< one of these, by what there is room for: see `choose_transpose`
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

/// \brief Adjacent entries of a row whose columns are one 16-byte load.
inline constexpr int pack_entries = 4;

/// \brief What to run, and with which launch numbers; 0 means "chosen by the library".
struct SpmvOptions {
  SpmvVariant variant = SpmvVariant::automatic;
  /// Rows that a team holds at the same time (`team_vector`); warps of a team (`merge_path` on a
  /// GPU).
  int team_size = 0;
  /// Vector lanes of a team member, a power of two. With 1 lane, teams of `merge_path` on a GPU
  /// keep the products of a tile in scratch memory.
  int vector_length = 0;
  /// Rows of one team (`team_vector`: a multiple of the team size; `staged`: at most the team
  /// size).
  int rows_per_team = 0;
  /// Rows + nonzeros of one tile (`merge_path`) or section (`merge_atomic`), entries in scratch
  /// memory (`staged`, a multiple of 4), entries of a tile of COO (a multiple of 4).
  Offset items_per_tile = 0;
  /// Adjacent entries that a lane takes at a time (`team_vector` on a GPU): 1, or `pack_entries`.
  /// Asking for either rules out variants that do not share a row among lanes.
  int entries_per_load = 0;
  /// Tile counts do not follow the number of threads: the same bits for any. Excludes
  /// `merge_atomic`.
  bool deterministic = false;
};

/// \brief True when the product of \p chosen, with every choice made, reads a row by packs of
/// `pack_entries` dealt to several lanes: those of `csr_interleaved`. `spmv4gpu` multiplies a copy
/// of its own.
inline bool uses_packs(const SpmvOptions& chosen) {
  const bool by_lanes = chosen.variant == SpmvVariant::team_vector ||
                        chosen.variant == SpmvVariant::crs_vector ||
                        chosen.variant == SpmvVariant::merge_path;
  return by_lanes && chosen.vector_length > 1 && chosen.entries_per_load == pack_entries;
}

/// \brief True when the products of \p variant are the same bits on every run.
inline bool is_repeatable(SpmvVariant variant) { return variant != SpmvVariant::merge_atomic; }

}  // namespace Tomokkos
