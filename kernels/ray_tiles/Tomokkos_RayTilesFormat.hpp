// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_RayTilesCount.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>
#include <Tomokkos_ValidateRayTiles.hpp>
#include <array>
#include <cstdio>
#include <string>

namespace Tomokkos {

/// \brief Options of `make_operator` for ray tiles.
struct TiledOptions : RayTilesOptions {
  StoredPrecision values = StoredPrecision::plain;
};

/// \brief Entry of ray tiles in the registry of formats: one copy for both products.
struct RayTilesFormat : FormatDefaults {
  static constexpr MatrixFormat format = MatrixFormat::ray_tiles;
  static constexpr std::string_view summary =
      "Segments of rows in tiles of columns: one copy for both products.";
  using Options = TiledOptions;
  static constexpr bool one_copy = true;
  static constexpr std::array<TransposeMethod, 0> transposes{};
  template <class ExecutionSpace, class Matrix>
  using Plan = RayTilesPlan<ExecutionSpace, Matrix>;

  template <class Scalar, class MemorySpace>
  using Matrices =
      std::conditional_t<std::is_same_v<Scalar, float>,
                         TypeList<RayTilesMatrix<Scalar, MemorySpace>,
                                  RayTilesMatrix<float, MemorySpace, StoredPrecision::half>,
                                  RayTilesMatrix<float, MemorySpace, StoredPrecision::scaled>>,
                         TypeList<RayTilesMatrix<Scalar, MemorySpace>>>;

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.name("values", options.values,
             "Precision of the stored values. half and scaled use 16 bits and require float.");
    key.integer("tile", options.tile, 1, largest_tile, "Columns of a tile.");
    key.integer("group_rows", options.group_rows, 0, 2147483647,
                "Rows of a group; 0: chosen from the size of the matrix.");
  }
  static constexpr double usual_fill = 1.05;
  /// \brief Bytes of an entry: 2 for the column, plus the value, which is 2 bytes if it has 16
  /// bits.
  static double entry_bytes(const Options& options, std::size_t scalar_bytes) {
    return options.values == StoredPrecision::plain ? 2.0 + static_cast<double>(scalar_bytes) : 4.0;
  }
};

template <class Scalar, class MemorySpace, StoredPrecision Values>
struct FormatTraits<RayTilesMatrix<Scalar, MemorySpace, Values>> : RayTilesFormat {
  using Matrix = RayTilesMatrix<Scalar, MemorySpace, Values>;
  static constexpr bool matches_options(const Options& options) { return options.values == Values; }
  static Ordinal slab_multiple(const Matrix& A) { return A.tile; }

  template <class ExecutionSpace>
  static Matrix from_csr(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                         const Options& options) {
    return ray_tiles_from_csr<ExecutionSpace, Scalar, Values>(exec, A, options);
  }
  static Description figures(const Matrix& A) {
    return Description::map()
        .set("values", Values)
        .set("tile", A.tile)
        .set("group_rows", A.group_rows)
        .set("segments", A.num_segments())
        .set("mean_segment", A.mean_segment());
  }
  template <class ExecutionSpace>
  static void require_room(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                           const Options& options, const MemoryCheckOptions& room,
                           const CsrMatrix<Scalar, MemorySpace>*) {
    const RayTilesSize size = ray_tiles_size<ExecutionSpace, Scalar>(exec, A, options.tile);
    const RayTilesCount bound =
        bound_ray_tiles(A.num_rows, A.num_cols, A.num_nonzeros(), size, options);
    char mean[32];
    std::snprintf(mean, sizeof mean, "%.4g", size.mean_segment);
    Impl::require_memory(ray_tiles_need(A.num_rows, A.num_cols, bound, Matrix::entry_bytes,
                                        !Impl::is_host_space<ExecutionSpace>, sizeof(Scalar)),
                         Impl::text("ray tiles of {} entries in {} segments ({} on average) need",
                                    A.num_nonzeros(), size.segments, mean),
                         room.available_bytes,
                         Matrix::is_packed || sizeof(Scalar) > 4
                             ? ""
                             : "values of 16 bits need 4 bytes an entry instead of 6");
  }
};

}  // namespace Tomokkos
