// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CirculantSubsets.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_CirculantKeys.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_DivideBy.hpp>
#include <utility>

namespace Tomokkos {
namespace Impl {

/// Converts positions to keys of the matrix of a subset.
struct KeysOfSubset {
  const std::uint32_t* positions;
  Ordinal* keys;
  CirculantPlaces places;
  DivideBy subsets;
  Ordinal blocks;  // of the matrix of a subset

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    const CirculantPlace place = places(positions[e]);
    const std::uint32_t block = subsets.quotient(place.block);
    const std::uint32_t rest = place.block - block * subsets.divisor();
    keys[e] = static_cast<Ordinal>(place.column * subsets.divisor() + rest) * blocks +
              static_cast<Ordinal>(block);
  }
};

/// Conversion of columns of C to those of the matrix of a subset, and back.
struct SubsetColumns {
  DivideBy blocks, subsets, blocks_of_subset;
  std::uint32_t subset;

  template <class MemorySpace>
  explicit SubsetColumns(const CirculantSubsetColumns<MemorySpace>& columns)
      : blocks(static_cast<std::uint32_t>(columns.blocks)),
        subsets(static_cast<std::uint32_t>(columns.subsets)),
        blocks_of_subset(static_cast<std::uint32_t>(columns.blocks / columns.subsets)),
        subset(static_cast<std::uint32_t>(columns.subset)) {}

  KOKKOS_FORCEINLINE_FUNCTION Offset to_subset(Ordinal column) const {
    const auto number = static_cast<std::uint32_t>(column);
    const std::uint32_t l = blocks.quotient(number);
    std::uint32_t j = number - l * blocks.divisor() + blocks.divisor() - subset;
    if (j >= blocks.divisor()) j -= blocks.divisor();
    const std::uint32_t t = subsets.quotient(j), r = j - t * subsets.divisor();
    return Offset{l * subsets.divisor() + r} * blocks_of_subset.divisor() + t;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal from_subset(Offset column) const {
    const auto number = static_cast<std::uint32_t>(column);
    const std::uint32_t group = blocks_of_subset.quotient(number);
    const std::uint32_t t = number - group * blocks_of_subset.divisor();
    const std::uint32_t l = subsets.quotient(group), r = group - l * subsets.divisor();
    std::uint32_t j = subset + r + t * subsets.divisor();
    if (j >= blocks.divisor()) j -= blocks.divisor();
    return static_cast<Ordinal>(l * blocks.divisor() + j);
  }
};

/// Sets row i of `to` to the row of X of its column; to 0 if that is not kept.
template <class Scalar>
struct TakeColumns {
  SubsetColumns columns;
  const Ordinal* positions;  // of kept columns; null: all are kept
  int vectors;
  const Scalar* x;
  Scalar* to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    Ordinal from = columns.from_subset(i);
    if (positions != nullptr) from = positions[from];
    for (int v = 0; v < vectors; ++v)
      to[i * vectors + v] = from < 0 ? Scalar(0) : x[Offset{from} * vectors + v];
  }
};

template <class Scalar>
struct PutColumns {
  SubsetColumns columns;
  const Ordinal* kept;  // null: all are kept
  int vectors;
  const Scalar* from;
  Scalar* x;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal column = kept != nullptr ? kept[i] : static_cast<Ordinal>(i);
    const Scalar* const sums = from + columns.to_subset(column) * vectors;
    for (int v = 0; v < vectors; ++v) {
      Scalar& target = x[i * vectors + v];
      target = combine(alpha, sums[v], beta, target);
    }
  }
};

/// Sets row i of `to` to a row of Y; to 0 if that is not kept or not in the range.
template <class Scalar>
struct TakeRows {
  const Ordinal* positions;  // of kept rows; null: all are kept
  Ordinal first, begin, end;
  int vectors;
  const Scalar* y;
  Scalar* to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal row = first + static_cast<Ordinal>(i);
    const Ordinal from = positions != nullptr ? positions[row] : row;
    const bool is_used = from >= begin && from < end;
    for (int v = 0; v < vectors; ++v)
      to[i * vectors + v] = is_used ? y[Offset{from - begin} * vectors + v] : Scalar(0);
  }
};

template <class Scalar>
struct PutRows {
  const Ordinal* kept;  // null: all are kept
  Ordinal first, begin;
  int vectors;
  const Scalar* from;
  Scalar* y;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const Ordinal position = begin + static_cast<Ordinal>(i);
    const Ordinal row = (kept != nullptr ? kept[position] : position) - first;
    for (int v = 0; v < vectors; ++v) {
      Scalar& target = y[i * vectors + v];
      target = combine(alpha, from[Offset{row} * vectors + v], beta, target);
    }
  }
};

/// Counts the entries of a row of C in kept columns.
struct CountKeptEntries {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  CirculantPlaces places;
  CirculantNumbering numbering;
  const Ordinal* rows;              // of C
  const Ordinal* column_positions;  // null: all columns are kept
  Offset* counts;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Ordinal row = rows[index];
    const Ordinal i = numbering.row_in_block(row), p = numbering.block_row(row);
    const Offset begin = row_offsets[i], end = row_offsets[i + 1];
    Offset count = end - begin;
    if (column_positions != nullptr)
      for (Offset e = begin; e < end; ++e)
        if (column_positions[numbering.column(places(positions[e]), p)] < 0) --count;
    counts[index] = count;
  }
};

inline void require_subsets_of_blocks(int subsets, Ordinal blocks) {
  require(subsets >= 1 && blocks % subsets == 0, [&] {
    return text("{} subsets do not divide the {} block rows of a block-circulant matrix evenly",
                subsets, blocks);
  });
}

/// Returns an array of a map; null without a map.
template <class MemorySpace>
const Ordinal* kept_indices(const std::optional<IndexMap<MemorySpace>>& kept) {
  return kept ? kept->to_natural.data() : nullptr;
}
template <class MemorySpace>
const Ordinal* kept_positions(const std::optional<IndexMap<MemorySpace>>& kept) {
  return kept ? kept->from_natural.data() : nullptr;
}

}  // namespace Impl

std::vector<Ordinal> circulant_subset_rows(Ordinal block_rows, Ordinal blocks, int subsets,
                                           const std::vector<Ordinal>& order) {
  Impl::require_subsets_of_blocks(subsets, blocks);
  require(order.empty() || is_order_of(order, subsets),
          "the order of the subsets must hold each of them once");
  std::vector<Ordinal> rows;
  rows.reserve(static_cast<std::size_t>(block_rows) * static_cast<std::size_t>(blocks));
  for (Ordinal place = 0; place < subsets; ++place) {
    const Ordinal first = order.empty() ? place : order[static_cast<std::size_t>(place)];
    for (Ordinal i = 0; i < block_rows; ++i)
      for (Ordinal p = first; p < blocks; p += subsets) rows.push_back(i * blocks + p);
  }
  return rows;
}

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> circulant_of_subset(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, int subsets) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (A.is_rounded()) {
    // The plain values of A are freed before those of the result are rounded.
    const auto subset = circulant_of_subset<ExecutionSpace, Scalar>(
        exec, with_plain_values<ExecutionSpace, Scalar>(exec, A), subsets);
    return with_rounded_values<ExecutionSpace, Scalar>(exec, subset);
  }
  const Impl::ScopedRegion region("Tomokkos::circulant_of_subset");
  Impl::require_subsets_of_blocks(subsets, A.blocks);
  const Ordinal blocks = A.blocks / subsets;
  check_circulant_shape(A.block_rows, A.block_cols * subsets, blocks);
  const auto arrays =
      Impl::allocate_circulant<Scalar, MemorySpace>(exec, A.block_rows, A.num_stored());
  Kokkos::deep_copy(exec, arrays.row_offsets, A.row_offsets);
  Kokkos::deep_copy(exec, arrays.values, A.values);
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::keys_of_subset", Impl::element_range(exec, A.positions.extent(0)),
      Impl::KeysOfSubset{A.positions.data(), arrays.keys().data(), Impl::CirculantPlaces(A.pitch),
                         Impl::DivideBy(static_cast<std::uint32_t>(subsets)), blocks});
  return Impl::circulant_of_keys(exec, arrays, A.block_rows, A.block_cols * subsets, blocks);
}

template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> circulant_row_offsets(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const CirculantSelection<typename ExecutionSpace::memory_space>& selection) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  std::vector<Ordinal> rows =
      circulant_subset_rows(A.block_rows, A.blocks, selection.subsets, selection.order);
  if (selection.rows) {
    const auto kept = map_on_host(*selection.rows).to_natural;
    std::vector<Ordinal> kept_rows;
    kept_rows.reserve(kept.extent(0));
    for (std::size_t j = 0; j < kept.extent(0); ++j)
      kept_rows.push_back(rows[static_cast<std::size_t>(kept(j))]);
    rows = std::move(kept_rows);
  }
  const auto of_rows = Impl::copy_indices(exec, "Tomokkos::circulant_row_offsets::rows", rows);
  const auto offsets = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::circulant_row_offsets", rows.size() + 1);
  Kokkos::parallel_for("Tomokkos::block_circulant::count_kept",
                       Impl::element_range(exec, rows.size()),
                       Impl::CountKeptEntries{
                           A.row_offsets.data(), A.positions.data(), Impl::CirculantPlaces(A.pitch),
                           Impl::circulant_numbering(A, CirculantOrder::rotations), of_rows.data(),
                           Impl::kept_positions(selection.columns), offsets.data()});
  Impl::exclusive_scan(exec, "Tomokkos::block_circulant::kept_offsets", offsets);
  Impl::fence(exec, "circulant_row_offsets: the list of the rows is freed");
  return offsets;
}

template <class ExecutionSpace, class Scalar>
void take_columns(const ExecutionSpace& exec,
                  const CirculantSubsetColumns<typename ExecutionSpace::memory_space>& columns,
                  const InputMultiVector<ExecutionSpace, Scalar>& X,
                  const OutputMultiVector<ExecutionSpace, Scalar>& to) {
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::take_columns", Impl::element_range(exec, to.extent(0)),
      Impl::TakeColumns<Scalar>{Impl::SubsetColumns(columns), Impl::kept_positions(columns.kept),
                                static_cast<int>(to.extent(1)), X.data(), to.data()});
}

template <class ExecutionSpace, class Scalar>
void put_columns(const ExecutionSpace& exec,
                 const CirculantSubsetColumns<typename ExecutionSpace::memory_space>& columns,
                 Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& from,
                 Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X) {
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::put_columns", Impl::element_range(exec, X.extent(0)),
      Impl::PutColumns<Scalar>{Impl::SubsetColumns(columns), Impl::kept_indices(columns.kept),
                               static_cast<int>(X.extent(1)), from.data(), X.data(), alpha, beta});
}

template <class ExecutionSpace, class Scalar>
void take_rows(const ExecutionSpace& exec,
               const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& kept,
               RowRange range, Ordinal first, const InputMultiVector<ExecutionSpace, Scalar>& Y,
               const OutputMultiVector<ExecutionSpace, Scalar>& to) {
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::take_rows", Impl::element_range(exec, to.extent(0)),
      Impl::TakeRows<Scalar>{Impl::kept_positions(kept), first, range.begin, range.end,
                             static_cast<int>(to.extent(1)), Y.data(), to.data()});
}

template <class ExecutionSpace, class Scalar>
void put_rows(const ExecutionSpace& exec,
              const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& kept,
              RowRange range, Ordinal first, Coefficient<Scalar> alpha,
              const InputMultiVector<ExecutionSpace, Scalar>& from, Coefficient<Scalar> beta,
              const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::put_rows", Impl::element_range(exec, Y.extent(0)),
      Impl::PutRows<Scalar>{Impl::kept_indices(kept), first, range.begin,
                            static_cast<int>(Y.extent(1)), from.data(), Y.data(), alpha, beta});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space> circulant_of_subset<SPACE, SCALAR>(  \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, int);               \
  template Kokkos::View<const Offset*, SPACE::memory_space> circulant_row_offsets<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,                     \
      const CirculantSelection<SPACE::memory_space>&);                                            \
  template void take_columns<SPACE, SCALAR>(                                                      \
      const SPACE&, const CirculantSubsetColumns<SPACE::memory_space>&,                           \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                       \
  template void put_columns<SPACE, SCALAR>(                                                       \
      const SPACE&, const CirculantSubsetColumns<SPACE::memory_space>&, SCALAR,                   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                          \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                       \
  template void take_rows<SPACE, SCALAR>(                                                         \
      const SPACE&, const std::optional<IndexMap<SPACE::memory_space>>&, RowRange, Ordinal,       \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                  \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                       \
  template void put_rows<SPACE, SCALAR>(                                                          \
      const SPACE&, const std::optional<IndexMap<SPACE::memory_space>>&, RowRange, Ordinal,       \
      SCALAR, const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                  \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
