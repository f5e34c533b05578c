// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_NormalMatrix.hpp>
#include <Tomokkos_Transpose.hpp>
#include <impl/Tomokkos_NormalMatrixKernels.hpp>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// \brief The rows of the result that are found by marks.
template <class ExecutionSpace>
class MarkedRows {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Pattern = TwoWayPattern<MemorySpace>;

  MarkedRows(const ExecutionSpace& exec, const Pattern& A,
             const Kokkos::View<const Offset*, MemorySpace>& lengths, Ordinal count)
      : A_(A), columns_(static_cast<std::size_t>(count)) {
    if (count == 0) return;
    const auto list =
        allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::NormalMatrix::long", count);
    marks_ = allocate<Kokkos::View<int*, MemorySpace>>(exec, "Tomokkos::NormalMatrix::marks",
                                                       A.num_columns);
    Kokkos::parallel_scan("Tomokkos::normal_matrix::list_long",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_columns),
                          ListLongColumns<MemorySpace>{lengths, list});
    Kokkos::deep_copy(
        exec,
        Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            columns_.data(), columns_.size()),
        list);
    fence(exec, "normal_matrix: the long columns have arrived");
  }

  const std::vector<Ordinal>& columns() const { return columns_; }

  /// \brief The number of columns that share a row with \p column. With an array for them they are
  /// written there, from \p begin on.
  Offset collect(const ExecutionSpace& exec, Ordinal column,
                 const Kokkos::View<Ordinal*, MemorySpace>& columns = {}, Offset begin = 0) const {
    Kokkos::deep_copy(exec, marks_, 0);
    const Offset first = read_entry(exec, A_.column_offsets, column, "normal_matrix: a column");
    const Offset last = read_entry(exec, A_.column_offsets, static_cast<std::size_t>(column) + 1,
                                   "normal_matrix: the end of a column");
    Kokkos::parallel_for("Tomokkos::normal_matrix::mark",
                         element_range(exec, static_cast<std::size_t>(last - first)),
                         MarkNeighbours<MemorySpace>{A_, column, marks_});
    Offset total = 0;
    Kokkos::parallel_scan("Tomokkos::normal_matrix::collect",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A_.num_columns),
                          CollectMarked<MemorySpace>{marks_, columns, begin}, total);
    fence(exec, "normal_matrix: the length of a long row");
    return total;
  }

 private:
  Pattern A_;
  std::vector<Ordinal> columns_;
  Kokkos::View<int*, MemorySpace> marks_;
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
Impl::TwoWayPattern<typename ExecutionSpace::memory_space>
NormalMatrix<ExecutionSpace, Scalar>::pattern() const {
  return {A_.num_cols, A_.row_offsets, A_.columns, column_offsets_, column_rows_};
}

template <class ExecutionSpace, class Scalar>
NormalMatrix<ExecutionSpace, Scalar>::NormalMatrix(const ExecutionSpace& exec, const matrix_type& A)
    : A_(A) {
  const Impl::ScopedRegion region("Tomokkos::normal_matrix");
  const auto by_columns =
      transpose_pattern<ExecutionSpace>(exec, {A.num_rows, A.num_cols, A.row_offsets, A.columns});
  column_offsets_ = by_columns.row_offsets;
  column_rows_ = by_columns.columns;
  find_pattern(exec);
  refill(exec, A);
}

template <class ExecutionSpace, class Scalar>
void NormalMatrix<ExecutionSpace, Scalar>::find_pattern(const ExecutionSpace& exec) {
  const Ordinal n = A_.num_cols;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, n);
  const auto offsets = Impl::allocate_row_offsets<memory_space>(exec, n);
  Ordinal num_long = 0;
  Kokkos::parallel_reduce("Tomokkos::normal_matrix::count", all,
                          Impl::CountNeighbours<memory_space>{pattern(), offsets},
                          Kokkos::Sum<Ordinal>(num_long));
  const Impl::MarkedRows<ExecutionSpace> marked(exec, pattern(), offsets, num_long);
  for (const Ordinal column : marked.columns())
    Kokkos::deep_copy(exec, Kokkos::subview(offsets, column), marked.collect(exec, column));
  Impl::exclusive_scan(exec, "Tomokkos::normal_matrix::offsets", offsets);
  const Offset nonzeros = Impl::read_entry(exec, offsets, static_cast<std::size_t>(n),
                                           "normal_matrix: number of nonzeros");
  result_ = Impl::allocate_entries<Scalar, memory_space>(exec, offsets, nonzeros);
  Kokkos::parallel_for("Tomokkos::normal_matrix::list", all,
                       Impl::ListNeighbours<memory_space>{pattern(), offsets, result_.columns});
  for (const Ordinal column : marked.columns()) {
    const auto row = static_cast<std::size_t>(column);
    const Offset begin =
        Impl::read_entry(exec, offsets, row, "normal_matrix: where a long row begins");
    long_rows_.push_back({column, begin, marked.collect(exec, column, result_.columns, begin)});
  }
}

template <class ExecutionSpace, class Scalar>
void NormalMatrix<ExecutionSpace, Scalar>::refill(const ExecutionSpace& exec,
                                                  const matrix_type& A) {
  require_equal("rows of A", A.num_rows, "rows of the pattern", A_.num_rows);
  require_equal("columns of A", A.num_cols, "columns of the pattern", A_.num_cols);
  require_equal("entries of A", A.num_nonzeros(), "entries of the pattern", A_.num_nonzeros());
  A_.values = A.values;
  Kokkos::parallel_for("Tomokkos::normal_matrix::fill",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A_.num_cols),
                       Impl::FormNormalRow<Scalar, memory_space>{pattern(), A_.values, result_});
  for (const LongRow& row : long_rows_)
    Kokkos::parallel_for("Tomokkos::normal_matrix::fill_long",
                         Impl::element_range(exec, static_cast<std::size_t>(row.length)),
                         Impl::FormNormalEntry<Scalar, memory_space>{pattern(), A_.values, result_,
                                                                     row.row, row.begin});
  Impl::fence(exec, "normal_matrix: the values are complete");
}

template <class ExecutionSpace, class Scalar>
void NormalMatrix<ExecutionSpace, Scalar>::multiply_transposed(
    const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& T,
    const MultiVectorView<Scalar, memory_space>& B) const {
  Impl::require_operands(Impl::Operand("T", T, "rows of A", A_.num_rows),
                         Impl::Operand("B", B, "columns of A", A_.num_cols));
  Kokkos::parallel_for("Tomokkos::normal_matrix::multiply_transposed",
                       Impl::element_range(exec, B.size()),
                       Impl::MultiplyTransposed<Scalar, memory_space>{pattern(), A_.values, T, B});
}

template <class ExecutionSpace, class Scalar>
std::optional<Ordinal> NormalMatrix<ExecutionSpace, Scalar>::first_bad_diagonal(
    const ExecutionSpace& exec) const {
  Ordinal first = A_.num_cols;
  if (first == 0) return std::nullopt;
  Kokkos::parallel_reduce("Tomokkos::normal_matrix::diagonal",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A_.num_cols),
                          Impl::FirstBadDiagonal<Scalar, memory_space>{result_},
                          Kokkos::Min<Ordinal>(first));
  if (first >= A_.num_cols) return std::nullopt;
  return first;
}

template <class ExecutionSpace, class Scalar>
std::size_t NormalMatrix<ExecutionSpace, Scalar>::memory_bytes() const {
  return matrix().memory_bytes() + column_offsets_.extent(0) * sizeof(Offset) +
         column_rows_.extent(0) * sizeof(Ordinal);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class NormalMatrix<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
