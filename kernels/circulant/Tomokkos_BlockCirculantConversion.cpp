// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of C^T contain pairs (row, block) in the order of `row k + block`. These pairs are the
// columns of a matrix that has one row for each pair. Transposing that matrix, which has n_B
// columns and no duplicates, therefore gives sorted rows.
//
// This file also contains counts and sums over the rows of a block-circulant matrix.
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_CirculantExpansion.hpp>
#include <impl/Tomokkos_CirculantKeys.hpp>
#include <impl/Tomokkos_CirculantNumbering.hpp>
#include <impl/Tomokkos_CirculantValues.hpp>
#include <impl/Tomokkos_DivideBy.hpp>
#include <impl/Tomokkos_SortEntries_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Counts the entries of a row whose in-sector column differs from that of the entry before.
struct CountDistinctColumns {
  const Offset* row_offsets;
  const std::uint32_t* positions;
  CirculantPlaces places;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& sum) const {
    // Larger than any column.
    std::uint32_t previous = 0xffffffffU;
    for (Offset e = row_offsets[row]; e < row_offsets[row + 1]; ++e) {
      const std::uint32_t column = places(positions[e]).column;
      if (column != previous) ++sum;
      previous = column;
    }
  }
};

/// Sums a row in double; on a GPU with the lanes of a team member.
template <class ExecutionSpace, class Scalar>
struct SumCirculantRow {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = 8, lanes = 32;

  const Offset* row_offsets;
  CirculantValues<Scalar> values;
  double* sums;
  Ordinal block_rows;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    double sum = 0;
    for (Offset e = row_offsets[row]; e < row_offsets[row + 1]; ++e)
      sum += static_cast<double>(values[e]);
    sums[row] = sum;
  }
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal row = member.league_rank() * members + member.team_rank();
    if (row >= block_rows) return;
    const Offset begin = row_offsets[row];
    double total = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(member, row_offsets[row + 1] - begin),
        [&](const Offset e, double& sum) { sum += static_cast<double>(values[begin + e]); }, total);
    Kokkos::single(Kokkos::PerThread(member), [&]() { sums[row] = total; });
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
double circulant_reuse(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  if (A.num_stored() == 0) return 1;
  Offset distinct = 0;
  Kokkos::parallel_reduce("Tomokkos::block_circulant::reuse",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows),
                          Impl::CountDistinctColumns{A.row_offsets.data(), A.positions.data(),
                                                     Impl::CirculantPlaces(A.pitch)},
                          Kokkos::Sum<Offset>(distinct));
  Impl::fence(exec, "circulant_reuse: counted");
  return static_cast<double>(A.num_stored()) / static_cast<double>(distinct);
}

template <class ExecutionSpace, class Scalar>
void circulant_row_sums(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const OutputVector<ExecutionSpace, double>& sums) {
  using Sum = Impl::SumCirculantRow<ExecutionSpace, Scalar>;
  require_equal("length of sums", static_cast<long long>(sums.extent(0)), "rows of a block",
                A.block_rows);
  const Sum sum{A.row_offsets.data(), Impl::CirculantValues<Scalar>(A), sums.data(), A.block_rows};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    Kokkos::parallel_for("Tomokkos::block_circulant::row_sums",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.block_rows), sum);
  } else {
    if (A.block_rows == 0) return;
    Kokkos::parallel_for(
        "Tomokkos::block_circulant::row_sums",
        typename Sum::Policy(exec, (A.block_rows - 1) / Sum::members + 1, Sum::members, Sum::lanes),
        sum);
  }
}

}  // namespace Tomokkos

namespace Tomokkos::Impl {

/// \brief Moves entries to rows `i k + (-block mod k)`, in any order within a row; or counts the
/// entries of these rows.
template <class ExecutionSpace, class Scalar>
struct StackBlocks {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  static constexpr int members = transpose_claim_members;
  static constexpr int lanes = transpose_claim_lanes;

  const Offset* row_offsets;
  const std::uint32_t* positions;
  const Scalar* from_values;
  CirculantPlaces places;
  Ordinal block_rows, blocks;
  Offset* next;  // of each row: entries so far, or the position of the next entry
  Ordinal* columns;
  Scalar* values;
  bool count_only;

  template <class Claim>
  KOKKOS_FORCEINLINE_FUNCTION void visit(Offset i, Offset e, const Claim& claim) const {
    const CirculantPlace place = places(positions[e]);
    const Offset block = place.block == 0 ? 0 : blocks - static_cast<Ordinal>(place.block);
    const Offset to = claim(next + i * blocks + block);
    if (count_only) return;
    columns[to] = static_cast<Ordinal>(place.column);
    values[to] = from_values[e];
  }

  /// Processes a row with one host thread, in the order of its entries.
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (Offset e = row_offsets[i]; e < row_offsets[i + 1]; ++e)
      visit(i, e, [](Offset* counter) { return (*counter)++; });
  }

  /// Processes a row with the lanes of a team member.
  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset i = static_cast<Offset>(member.league_rank()) * members + member.team_rank();
    if (i >= block_rows) return;
    const Offset begin = row_offsets[i];
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(member, row_offsets[i + 1] - begin), [&](const Offset e) {
          visit(i, begin + e,
                [](Offset* counter) { return Kokkos::atomic_fetch_add(counter, Offset(1)); });
        });
  }

  void launch(const ExecutionSpace& exec) const {
    const std::string label = count_only ? "Tomokkos::block_circulant::transpose::count"
                                         : "Tomokkos::block_circulant::transpose::stack";
    if constexpr (is_host_space<ExecutionSpace>) {
      Kokkos::parallel_for(label, element_range(exec, static_cast<std::size_t>(block_rows)), *this);
    } else {
      if (block_rows == 0) return;
      Kokkos::parallel_for(label, Policy(exec, (block_rows - 1) / members + 1, members, lanes),
                           *this);
    }
  }
};

}  // namespace Tomokkos::Impl

namespace Tomokkos {
namespace Impl {

/// Returns a division by the columns of a block, or by 1 if the block has no columns.
inline DivideBy by_columns(Ordinal block_cols) {
  return DivideBy(static_cast<std::uint32_t>(std::max(block_cols, 1)));
}

inline Ordinal exact_share(const std::string& what, Ordinal count, Ordinal blocks) {
  require(blocks >= 1,
          Impl::text("a block-circulant matrix has at least one block, not {}", blocks));
  require(count % blocks == 0,
          Impl::text("{} of {} does not divide into {} blocks of one size", what, count, blocks));
  return count / blocks;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_block_row(
    const ExecutionSpace& exec,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& block_row, Ordinal blocks) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Impl::ScopedRegion region("Tomokkos::block_circulant_from_block_row");
  const Ordinal block_cols = Impl::exact_share("a block row", block_row.num_cols, blocks);
  check_circulant_shape(block_row.num_rows, block_cols, blocks);
  validate(exec, block_row);
  const auto arrays = Impl::allocate_circulant<Scalar, MemorySpace>(exec, block_row.num_rows,
                                                                    block_row.num_nonzeros());
  Kokkos::deep_copy(exec, arrays.row_offsets, block_row.row_offsets);
  Kokkos::deep_copy(exec, arrays.values, block_row.values);
  Kokkos::parallel_for("Tomokkos::block_circulant::keys",
                       Impl::element_range(exec, block_row.columns.extent(0)),
                       Impl::KeysOfColumns{block_row.columns.data(), arrays.keys().data(),
                                           Impl::by_columns(block_cols), blocks});
  return Impl::circulant_of_keys(exec, arrays, block_row.num_rows, block_cols, blocks);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> block_row_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (A.is_rounded())
    return block_row_from_block_circulant<ExecutionSpace, Scalar>(
        exec, with_plain_values<ExecutionSpace, Scalar>(exec, A));
  const Impl::ScopedRegion region("Tomokkos::block_row_from_block_circulant");
  const auto arrays = Impl::allocate_csr<Scalar, MemorySpace>(exec, A.block_rows, A.num_stored());
  Kokkos::deep_copy(exec, arrays.row_offsets, A.row_offsets);
  Kokkos::deep_copy(exec, arrays.values, A.values);
  Kokkos::parallel_for("Tomokkos::block_circulant::columns",
                       Impl::element_range(exec, A.positions.extent(0)),
                       Impl::ColumnsOfPositions{A.positions.data(), arrays.columns.data(),
                                                Impl::CirculantPlaces(A.pitch), A.block_cols});
  Impl::sort_entries(exec, arrays, A.block_rows);
  Impl::fence(exec, "block_row_from_block_circulant: the matrix is complete");
  return arrays.matrix(A.block_rows, A.num_cols());
}

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> block_circulant_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& C,
    Ordinal blocks, CirculantOrder order) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Impl::ScopedRegion region("Tomokkos::block_circulant_from_csr");
  const Ordinal block_rows = Impl::exact_share("a number of rows", C.num_rows, blocks);
  const Ordinal block_cols = Impl::exact_share("a number of columns", C.num_cols, blocks);
  check_circulant_shape(block_rows, block_cols, blocks);
  validate(exec, C);
  const Impl::CirculantNumbering numbering{block_rows, block_cols, blocks,
                                           order == CirculantOrder::blocks};
  const Kokkos::RangePolicy<ExecutionSpace> rows_of_block(exec, 0, block_rows);
  const auto row_offsets = allocate<Kokkos::View<Offset*, MemorySpace>>(
      exec, "Tomokkos::BlockCirculantMatrix::row_offsets", Offset{block_rows} + 1);
  Kokkos::parallel_for(
      "Tomokkos::block_circulant::count", rows_of_block,
      Impl::CountFirstBlockRow<Scalar, MemorySpace>{C, numbering, row_offsets.data()});
  Impl::exclusive_scan(exec, "Tomokkos::block_circulant::offsets", row_offsets);
  const Offset nonzeros = Impl::read_entry(exec, row_offsets, static_cast<std::size_t>(block_rows),
                                           "block_circulant_from_csr: number of entries");
  const Impl::CirculantArrays<Scalar, MemorySpace> arrays{
      row_offsets, Impl::allocate_positions<MemorySpace>(exec, nonzeros),
      allocate<Kokkos::View<Scalar*, MemorySpace>>(exec, "Tomokkos::BlockCirculantMatrix::values",
                                                   nonzeros)};
  Kokkos::parallel_for("Tomokkos::block_circulant::take", rows_of_block,
                       Impl::CopyFirstBlockRow<Scalar, MemorySpace>{
                           C, numbering, Impl::by_columns(block_cols), row_offsets.data(),
                           arrays.keys().data(), arrays.values.data()});
  const auto A = Impl::circulant_of_keys(exec, arrays, block_rows, block_cols, blocks);

  const Impl::FirstDifferingRow<Scalar, MemorySpace> compare{C, A, numbering,
                                                             Impl::CirculantPlaces(A.pitch)};
  Ordinal first_unlike = C.num_rows;
  Kokkos::parallel_reduce("Tomokkos::block_circulant::compare",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, C.num_rows), compare,
                          Kokkos::Min<Ordinal>(first_unlike));
  Impl::fence(exec, "block_circulant_from_csr: every row was compared");
  if (first_unlike < C.num_rows)
    throw Refused(Impl::text("a matrix is not block circulant with {} blocks ({}): {}", blocks,
                             to_string(order),
                             Impl::describe_unlike_row(exec, compare, first_unlike)));
  return A;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    CirculantOrder order) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (A.is_rounded())
    return csr_from_block_circulant<ExecutionSpace, Scalar>(
        exec, with_plain_values<ExecutionSpace, Scalar>(exec, A), order);
  const Impl::ScopedRegion region("Tomokkos::csr_from_block_circulant");
  const auto arrays = Impl::allocate_csr<Scalar, MemorySpace>(exec, A.num_rows(), A.num_nonzeros());
  Kokkos::parallel_for("Tomokkos::block_circulant::expand",
                       Impl::element_range(exec, static_cast<std::size_t>(A.num_rows()) + 1),
                       Impl::ExpandRow<Scalar, MemorySpace>{
                           A, Impl::circulant_numbering(A, order), Impl::CirculantPlaces(A.pitch),
                           arrays.row_offsets.data(), arrays.columns.data(), arrays.values.data()});
  Impl::sort_entries(exec, arrays, A.num_rows());
  Impl::fence(exec, "csr_from_block_circulant: the matrix is complete");
  return arrays.matrix(A.num_rows(), A.num_cols());
}

template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> transposed_block_circulant(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (A.is_rounded()) {
    // The plain values of A are freed before those of the result are rounded.
    const auto plain = transposed_block_circulant<ExecutionSpace, Scalar>(
        exec, with_plain_values<ExecutionSpace, Scalar>(exec, A));
    return with_rounded_values<ExecutionSpace, Scalar>(exec, plain);
  }
  const Impl::ScopedRegion region("Tomokkos::transposed_block_circulant");
  const Offset nonzeros = A.num_stored();
  CsrMatrix<Scalar, MemorySpace> transposed;
  {
    const auto stacked = Impl::allocate_csr<Scalar, MemorySpace>(exec, A.num_rows(), nonzeros);
    {
      Impl::StackBlocks<ExecutionSpace, Scalar> work{A.row_offsets.data(),
                                                     A.positions.data(),
                                                     A.values.data(),
                                                     Impl::CirculantPlaces(A.pitch),
                                                     A.block_rows,
                                                     A.blocks,
                                                     stacked.row_offsets.data(),
                                                     stacked.columns.data(),
                                                     stacked.values.data(),
                                                     true};
      Kokkos::deep_copy(exec, stacked.row_offsets, Offset(0));
      work.launch(exec);
      Impl::exclusive_scan(exec, "Tomokkos::block_circulant::transpose::offsets",
                           stacked.row_offsets);
      const auto next = allocate<Kokkos::View<Offset*, MemorySpace>>(
          exec, "Tomokkos::block_circulant::next", stacked.row_offsets.extent(0));
      Kokkos::deep_copy(exec, next, stacked.row_offsets);
      work.next = next.data();
      work.count_only = false;
      work.launch(exec);
      Impl::fence(exec, "transposed_block_circulant: the entries are in their rows");
    }
    transposed =
        transpose<ExecutionSpace, Scalar>(exec, stacked.matrix(A.num_rows(), A.block_cols));
  }
  const auto positions = Impl::allocate_positions<MemorySpace>(exec, nonzeros);
  const auto pitch = static_cast<Ordinal>(circulant_pitch(A.blocks));
  check_circulant_shape(A.block_cols, A.block_rows, A.blocks);
  Kokkos::parallel_for("Tomokkos::block_circulant::positions",
                       Impl::element_range(exec, static_cast<std::size_t>(nonzeros)),
                       Impl::PositionsOfKeys{transposed.columns.data(), positions.data(),
                                             Impl::DivideBy(static_cast<std::uint32_t>(A.blocks)),
                                             static_cast<std::uint32_t>(pitch)});
  Impl::fence(exec, "transposed_block_circulant: the matrix is complete");
  return {A.block_cols,           A.block_rows, A.blocks,         pitch,
          transposed.row_offsets, positions,    transposed.values};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  block_circulant_from_block_row<SPACE, SCALAR>(                                                 \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal);                     \
  template CsrMatrix<SCALAR, SPACE::memory_space> block_row_from_block_circulant<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  block_circulant_from_csr<SPACE, SCALAR>(                                                       \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, Ordinal, CirculantOrder);     \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_from_block_circulant<SPACE, SCALAR>(       \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, CirculantOrder);   \
  template BlockCirculantMatrix<SCALAR, SPACE::memory_space>                                     \
  transposed_block_circulant<SPACE, SCALAR>(                                                     \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template double circulant_reuse<SPACE, SCALAR>(                                                \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);                   \
  template void circulant_row_sums<SPACE, SCALAR>(                                               \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,                    \
      const VectorView<double, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
