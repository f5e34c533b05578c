// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairRows.hpp>
#include <Tomokkos_SymmetricRanges.hpp>
#include <impl/Tomokkos_KaczmarzLaunches.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_SymmetricVectors_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Computes one row of `Y = alpha A(rows, :) X + beta Y`.
template <class Rows>
struct ProductOfRow {
  using Scalar = typename Rows::scalar_type;
  /// Number of vectors whose sums are in registers. More vectors need further passes over the row.
  static constexpr int at_once = 4;
  /// Number of running sums of a thread for one vector.
  static constexpr Ordinal running = 8;

  Rows rows;
  const Scalar* X;
  Scalar* Y;  // begins at ray `first`
  Offset vectors;
  Offset first;
  Scalar alpha, beta;

  KOKKOS_FORCEINLINE_FUNCTION void put(Offset at, Offset k, Scalar sum) const {
    Scalar& y = Y[(at - first) * vectors + k];
    y = combine(alpha, sum, beta, y);
  }

  KOKKOS_FUNCTION void by_thread(const Offset at) const {
    const auto row = static_cast<Ordinal>(at);
    if (vectors == 1) {
      const Ordinal size = rows.size(row);
      Scalar sums[running] = {};
      Ordinal e = 0;
      for (; e + running <= size; e += running)
        for (Ordinal i = 0; i < running; ++i)
          sums[i] += rows.value(row, e + i) * X[rows.column(row, e + i)];
      for (Ordinal i = 0; e < size; ++e, ++i)
        sums[i] += rows.value(row, e) * X[rows.column(row, e)];
      for (Ordinal half = running / 2; half > 0; half /= 2)
        for (Ordinal i = 0; i < half; ++i) sums[i] += sums[i + half];
      put(at, 0, sums[0]);
      return;
    }
    Scalar sums[at_once];
    for (Offset k = 0; k < vectors; k += at_once) {
      add_entries(row, k, 0, 1, sums);
      for (int v = 0; v < at_once && k + v < vectors; ++v) put(at, k + v, sums[v]);
    }
  }

  KOKKOS_FUNCTION void by_warp(const Offset at, const int lane) const {
    Scalar sums[at_once];
    for (Offset k = 0; k < vectors; k += at_once) {
      add_entries(static_cast<Ordinal>(at), k, lane, warp_lanes, sums);
      for (int v = 0; v < at_once && k + v < vectors; ++v) {
        const Scalar sum = sum_over_lanes(sums[v], 1, warp_lanes);
        if (lane == 0) put(at, k + v, sum);
      }
    }
  }

  /// Sums entries `lane`, `lane + lanes`, ... for the vectors from k on.
  KOKKOS_FORCEINLINE_FUNCTION void add_entries(Ordinal row, Offset k, int lane, int lanes,
                                               Scalar (&sums)[at_once]) const {
    for (int v = 0; v < at_once; ++v) sums[v] = 0;
    const Ordinal size = rows.size(row);
    for (Ordinal e = lane; e < size; e += lanes) {
      const Scalar value = rows.value(row, e);
      const Scalar* const x = X + Offset{rows.column(row, e)} * vectors + k;
      for (int v = 0; v < at_once; ++v)
        if (k + v < vectors) sums[v] += value * load_gathered(x + v);
    }
  }
};

/// Adds one row of `Y += alpha A(rows, :)^T X`.
template <class Rows>
struct AddRowAtomically {
  using Scalar = typename Rows::scalar_type;

  Rows rows;
  const Scalar* X;  // begins at ray `first`
  Scalar* Y;
  Offset vectors;
  Offset first;
  Scalar alpha;

  KOKKOS_FUNCTION void by_thread(const Offset at) const { by_lanes(at, 0, 1); }
  KOKKOS_FUNCTION void by_warp(const Offset at, const int lane) const {
    by_lanes(at, lane, warp_lanes);
  }
  KOKKOS_FORCEINLINE_FUNCTION void by_lanes(const Offset at, int lane, int lanes) const {
    const auto row = static_cast<Ordinal>(at);
    const Ordinal size = rows.size(row);
    const Scalar* const x = X + (at - first) * vectors;
    for (Ordinal e = lane; e < size; e += lanes) {
      const Scalar value = alpha * rows.value(row, e);
      Scalar* const y = Y + Offset{rows.column(row, e)} * vectors;
      for (Offset k = 0; k < vectors; ++k) Kokkos::atomic_add(y + k, value * x[k]);
    }
  }
};

/// Positions of the measurements of bands, map after map: those of stored ray i under map g, for s
/// vectors, begin at `(i + shift[g]) s`.
struct BandPlaces {
  StoredBands bands;
  Ordinal shift[num_square_symmetries];

  explicit BandPlaces(const StoredBands& of) : bands(of) {
    Ordinal before = 0;
    for (unsigned g = 0; g < num_square_symmetries; ++g) {
      shift[g] = before - bands.begin[g];
      before += bands.end[g] - bands.begin[g];
    }
  }
};

/// Computes one measurement of a band: the sum over the rays of a range with that slot.
template <class Scalar>
struct ExpandBand {
  const Ordinal* offsets;
  const Ordinal* rays;
  const Scalar* X;
  Scalar* measured;
  Offset vectors;
  RowRange range;
  BandPlaces places;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto place = static_cast<Ordinal>(index / vectors);
    const Offset k = index - Offset{place} * vectors;
    unsigned g = 0;
    while (place - places.shift[g] >= places.bands.end[g]) ++g;
    const Ordinal slot = (place - places.shift[g]) * square_maps + static_cast<Ordinal>(g);
    Scalar sum = 0;
    for (Ordinal at = offsets[slot]; at < offsets[slot + 1]; ++at) {
      const Ordinal ray = rays[at];
      if (ray >= range.begin && ray < range.end)
        sum += load_gathered(X + Offset{ray - range.begin} * vectors + k);
    }
    measured[index] = sum;
  }
};

/// Computes one pixel of one vector of `Y = alpha A(rows, :)^T X + beta Y`. Threads are in the
/// order of the rows of T: under each map a tile of pixels is a tile of T.
template <class Scalar>
struct PixelOfBands {
  Ordinal side;
  const Ordinal* pixels;     // by position
  const Ordinal* positions;  // by pixel
  const Ordinal* kept;       // columns of A, by pixel; null: equal to the pixels
  const Offset* offsets;     // of T
  const Ordinal* columns;
  const Scalar* values;
  const Scalar* measured;
  Scalar* Y;
  Offset vectors;
  Scalar alpha, beta;
  BandPlaces places;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset q = vectors == 1 ? index : index / vectors;
    const Offset k = index - q * vectors;
    const Ordinal pixel = pixels[q];
    Scalar sum = 0;
    for (unsigned g = 0; g < num_square_symmetries; ++g)
      if (places.bands.has(g))
        sum += of_map(g, positions[symmetric_pixel(side, inverse_symmetry(g), pixel)], k);
    Scalar& y = Y[Offset{kept == nullptr ? pixel : kept[pixel]} * vectors + k];
    y = combine(alpha, sum, beta, y);
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar of_map(unsigned g, Ordinal position, Offset k) const {
    Offset at = offsets[position], end = offsets[position + 1];
    for (Offset past = end; at < past;) {
      const Offset middle = at + (past - at) / 2;
      if (columns[middle] < places.bands.begin[g])
        at = middle + 1;
      else
        past = middle;
    }
    Scalar sum = 0;
    for (; at < end && columns[at] < places.bands.end[g]; ++at)
      sum += values[at] *
             load_gathered(measured + Offset{columns[at] + places.shift[g]} * vectors + k);
    return sum;
  }
};

/// Checks the shapes of a product with natural rows and returns the number of vectors. `rays` has a
/// row per ray of the range, `pixels` a row per pixel.
template <class Rays, class Pixels>
Offset require_range_shapes(RowRange range, const Rays& rays, Ordinal num_pixels,
                            const Pixels& pixels) {
  require_equal("rows of the multivector of rays", static_cast<long long>(rays.extent(0)),
                "rays of the range", range.end - range.begin);
  require_equal("rows of the multivector of pixels", static_cast<long long>(pixels.extent(0)),
                "pixels", num_pixels);
  require_equal("vectors of rays", static_cast<long long>(rays.extent(1)), "those of pixels",
                static_cast<long long>(pixels.extent(1)));
  return static_cast<Offset>(rays.extent(1));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class StoredRows>
void symmetric_product_of_rows(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space, StoredRows>& A,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  using Rows = SymmetricRows<Scalar, typename ExecutionSpace::memory_space, StoredRows>;
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rays");
  const Offset vectors = Impl::require_range_shapes(range, Y, A.num_cols, X);
  Impl::visit_level(
      exec, "Tomokkos::symmetric::product_of_rows", range.begin, range.end - range.begin,
      Impl::ProductOfRow<Rows>{A, X.data(), Y.data(), vectors, range.begin, alpha, beta});
}

template <class ExecutionSpace, class Scalar, class StoredRows>
void symmetric_transpose_atomic(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space, StoredRows>& A,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Rows = SymmetricRows<Scalar, MemorySpace, StoredRows>;
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rays");
  const Offset vectors = Impl::require_range_shapes(range, X, A.num_cols, Y);
  Kokkos::parallel_for("Tomokkos::symmetric::transpose_atomic::scale",
                       Impl::element_range(exec, Y.size()),
                       Impl::ScaleOrClear<Scalar, MemorySpace>{as_vector(Y), beta});
  Impl::visit_level(
      exec, "Tomokkos::symmetric::transpose_atomic", range.begin, range.end - range.begin,
      Impl::AddRowAtomically<Rows>{A, X.data(), Y.data(), vectors, range.begin, alpha});
}

template <class ExecutionSpace, class Scalar>
void symmetric_transpose_of_bands(
    const ExecutionSpace& exec, const RaySymmetry<typename ExecutionSpace::memory_space>& symmetry,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& T, const StoredBands& bands,
    RowRange rows, Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y8, Coefficient<Scalar> beta,
    const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, symmetry.num_rays(), "rays");
  const Offset vectors = Impl::require_range_shapes(range, X, symmetry.num_pixels(), Y);
  Impl::require_symmetric_shapes("rays", X, range.end - range.begin, Y8, symmetry.num_stored);
  require_equal("rows of the transpose", T.num_rows, "pixels", symmetry.num_pixels());
  require_equal("columns of the transpose", T.num_cols, "stored rays", symmetry.num_stored);
  const Impl::BandPlaces places(bands);
  // Stored rays of the bands without a ray in the range get zeros.
  Kokkos::parallel_for(
      "Tomokkos::symmetric::expand_bands",
      Impl::element_range(exec, static_cast<std::size_t>(bands.rows() * vectors)),
      Impl::ExpandBand<Scalar>{symmetry.slot_offsets.data(), symmetry.slot_rays.data(), X.data(),
                               Y8.data(), vectors, range, places});
  Kokkos::parallel_for(
      "Tomokkos::symmetric::transpose_of_bands", Impl::element_range(exec, Y.size()),
      Impl::PixelOfBands<Scalar>{symmetry.side, symmetry.pixels.to_natural.data(),
                                 symmetry.pixels.from_natural.data(), symmetry.columns.data(),
                                 T.row_offsets.data(), T.columns.data(), T.values.data(), Y8.data(),
                                 Y.data(), vectors, alpha, beta, places});
}

#define TOMOKKOS_INSTANTIATE_RANGES(SPACE, SCALAR, ROWS)                                      \
  template void symmetric_product_of_rows<SPACE, SCALAR, ROWS<SCALAR, SPACE::memory_space>>(  \
      const SPACE&,                                                                           \
      const SymmetricRows<SCALAR, SPACE::memory_space, ROWS<SCALAR, SPACE::memory_space>>&,   \
      RowRange, SCALAR, const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,    \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                   \
  template void symmetric_transpose_atomic<SPACE, SCALAR, ROWS<SCALAR, SPACE::memory_space>>( \
      const SPACE&,                                                                           \
      const SymmetricRows<SCALAR, SPACE::memory_space, ROWS<SCALAR, SPACE::memory_space>>&,   \
      RowRange, SCALAR, const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,    \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  TOMOKKOS_INSTANTIATE_RANGES(SPACE, SCALAR, CsrRows)                                      \
  TOMOKKOS_INSTANTIATE_RANGES(SPACE, SCALAR, PairRows)                                     \
  template void symmetric_transpose_of_bands<SPACE, SCALAR>(                               \
      const SPACE&, const RaySymmetry<SPACE::memory_space>&,                               \
      const CsrMatrix<SCALAR, SPACE::memory_space>&, const StoredBands&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                           \
      const MultiVectorView<SCALAR, SPACE::memory_space>&, SCALAR,                         \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_RANGES

}  // namespace Tomokkos
