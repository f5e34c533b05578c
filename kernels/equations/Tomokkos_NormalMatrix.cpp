// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of `NormalMatrix`. Row i of the result is the union of the rows of A that contain column
// i. While it is short, one thread gathers it in order. If it is not, one thread enumerates it
// without memory: the next column is the least one beyond the last in any of these rows. Columns of
// A with many entries would occupy one thread for long; they mark their neighbours instead, and
// their entries are computed one by one.
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_NormalMatrix.hpp>
#include <Tomokkos_Transpose.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Largest number of rows, and of steps, of a column of A that one thread processes. The steps of a
/// thread (rows x entries of these rows) stay below a second on any device.
inline constexpr Offset long_column_rows = 1024;
inline constexpr Offset long_column_steps = Offset(1) << 20;

/// Largest number of columns of a row of the result that a thread gathers in its own memory.
inline constexpr Offset gathered_columns = 64;
/// Number of entries of a row of the result that a thread sums in one pass over the rows of A. This
/// suffices for most rows of a mesh.
inline constexpr int sums_of_a_visit = 16;

/// Pattern of A by rows and by columns.
template <class MemorySpace>
struct TwoWayPattern {
  Ordinal num_columns;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Offset*, MemorySpace> column_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> rows;

  /// Returns the least column above \p last that shares a row with column \p i, or `num_columns` if
  /// no such column exists.
  KOKKOS_FUNCTION Ordinal next_neighbour(Ordinal i, Ordinal last) const {
    Ordinal least = num_columns;
    for (Offset k = column_offsets(i); k < column_offsets(i + 1); ++k) {
      const Ordinal row = rows(k);
      const Offset end = row_offsets(row + 1);
      const Offset at = first_not_below<Ordinal>(columns.data(), row_offsets(row), end, last + 1);
      if (at < end && columns(at) < least) least = columns(at);
    }
    return least;
  }

  /// Gathers all columns that share a row with column \p i into \p united, in ascending order.
  /// Returns their number, or -1 if there are more than \p capacity.
  KOKKOS_FUNCTION Offset unite(Ordinal i, Ordinal* united, Offset capacity) const {
    Offset length = 0;
    for (Offset k = column_offsets(i); k < column_offsets(i + 1); ++k) {
      const Ordinal row = rows(k);
      Offset place = 0;
      for (Offset at = row_offsets(row); at < row_offsets(row + 1); ++at) {
        const Ordinal column = columns(at);
        while (place < length && united[place] < column) ++place;
        if (place < length && united[place] == column) continue;
        if (length == capacity) return -1;
        for (Offset hole = length; hole > place; --hole) united[hole] = united[hole - 1];
        united[place] = column;
        ++length;
      }
    }
    return length;
  }

  KOKKOS_FUNCTION bool is_long(Ordinal i) const {
    const Offset begin = column_offsets(i), length = column_offsets(i + 1) - begin;
    if (length > long_column_rows) return true;
    Offset entries = 0;
    for (Offset k = begin; k < begin + length; ++k)
      entries += row_offsets(rows(k) + 1) - row_offsets(rows(k));
    return entries * length > long_column_steps;
  }

  KOKKOS_FUNCTION Offset find(Ordinal row, Ordinal column) const {
    return find_column(columns.data(), row_offsets(row), row_offsets(row + 1), column);
  }
};

/// Computes the lengths of the rows of the result; -1 for rows found by marks, which it counts.
template <class MemorySpace>
struct CountNeighbours {
  TwoWayPattern<MemorySpace> A;
  Kokkos::View<Offset*, MemorySpace> lengths;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& num_long) const {
    if (A.is_long(i)) {
      lengths(i) = -1;
      ++num_long;
      return;
    }
    Ordinal united[gathered_columns];
    Offset length = A.unite(i, united, gathered_columns);
    if (length < 0) {
      length = 0;
      for (Ordinal j = A.next_neighbour(i, -1); j < A.num_columns; j = A.next_neighbour(i, j))
        ++length;
    }
    lengths(i) = length;
  }
};

template <class MemorySpace>
struct ListLongColumns {
  Kokkos::View<const Offset*, MemorySpace> lengths;
  Kokkos::View<Ordinal*, MemorySpace> list;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& count, const bool final) const {
    if (lengths(i) >= 0) return;
    if (final) list(count) = i;
    ++count;
  }
};

template <class MemorySpace>
struct ListNeighbours {
  TwoWayPattern<MemorySpace> A;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    if (A.is_long(i)) return;
    Offset at = row_offsets(i);
    if (row_offsets(i + 1) - at <= gathered_columns) {
      A.unite(i, columns.data() + at, gathered_columns);
      return;
    }
    for (Ordinal j = A.next_neighbour(i, -1); j < A.num_columns; j = A.next_neighbour(i, j))
      columns(at++) = j;
  }
};

/// Marks all columns in the rows of one column. Several threads may set the same mark.
template <class MemorySpace>
struct MarkNeighbours {
  TwoWayPattern<MemorySpace> A;
  Ordinal column;
  Kokkos::View<int*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Ordinal row = A.rows(A.column_offsets(column) + index);
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      Kokkos::atomic_fetch_or(&marks(A.columns(k)), 1);
  }
};

/// Counts the marked columns and, if there is an array for them, writes them in their order.
template <class MemorySpace>
struct CollectMarked {
  Kokkos::View<const int*, MemorySpace> marks;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Offset begin;

  KOKKOS_FUNCTION void operator()(const Ordinal j, Offset& count, const bool final) const {
    if (marks(j) == 0) return;
    if (final && columns.data() != nullptr) columns(begin + count) = j;
    ++count;
  }
};

/// Computes a row of the result, except for long columns.
template <class Scalar, class MemorySpace>
struct ComputeNormalRow {
  TwoWayPattern<MemorySpace> A;
  Kokkos::View<const Scalar*, MemorySpace> values;
  CsrArrays<Scalar, MemorySpace> result;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    if (A.is_long(i)) return;
    const Offset end = result.row_offsets(i + 1);
    for (Offset first = result.row_offsets(i); first < end; first += sums_of_a_visit)
      form(i, first,
           end - first < sums_of_a_visit ? static_cast<int>(end - first) : sums_of_a_visit);
  }

  /// Computes \p count entries from position \p first on.
  KOKKOS_FUNCTION void form(Ordinal i, Offset first, int count) const {
    const Ordinal* const targets = result.columns.data() + first;
    const Ordinal last = targets[count - 1];
    double sums[sums_of_a_visit];
    for (int m = 0; m < count; ++m) sums[m] = 0;
    for (Offset k = A.column_offsets(i); k < A.column_offsets(i + 1); ++k) {
      const Ordinal row = A.rows(k);
      const Offset end = A.row_offsets(row + 1);
      const double own = static_cast<double>(values(A.find(row, i)));
      Offset at = first_not_below<Ordinal>(A.columns.data(), A.row_offsets(row), end, targets[0]);
      for (int m = 0; at < end && A.columns(at) <= last; ++at) {
        while (targets[m] < A.columns(at)) ++m;
        sums[m] = multiply_add(own, static_cast<double>(values(at)), sums[m]);
      }
    }
    for (int m = 0; m < count; ++m) result.values(first + m) = static_cast<Scalar>(sums[m]);
  }
};

/// Computes one entry of the row of a long column, which begins at position \p first.
template <class Scalar, class MemorySpace>
struct ComputeNormalEntry {
  TwoWayPattern<MemorySpace> A;
  Kokkos::View<const Scalar*, MemorySpace> values;
  CsrArrays<Scalar, MemorySpace> result;
  Ordinal i;
  Offset first;

  KOKKOS_FUNCTION Offset length(Ordinal column) const {
    return A.column_offsets(column + 1) - A.column_offsets(column);
  }

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset at = first + index;
    const Ordinal j = result.columns(at);
    // Products commute exactly, so either column gives these bits.
    const bool swap = length(j) < length(i);
    const Ordinal own = swap ? j : i, other = swap ? i : j;
    double sum = 0;
    for (Offset k = A.column_offsets(own); k < A.column_offsets(own + 1); ++k) {
      const Ordinal row = A.rows(k);
      const Offset with = A.find(row, other);
      if (with < 0) continue;
      sum = multiply_add(static_cast<double>(values(A.find(row, own))),
                         static_cast<double>(values(with)), sum);
    }
    result.values(at) = static_cast<Scalar>(sum);
  }
};

template <class Scalar, class MemorySpace>
struct MultiplyTransposed {
  TwoWayPattern<MemorySpace> A;
  Kokkos::View<const Scalar*, MemorySpace> values;
  MultiVectorView<const Scalar, MemorySpace> T;
  MultiVectorView<Scalar, MemorySpace> B;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset columns = static_cast<Offset>(B.extent(1));
    const Ordinal i = static_cast<Ordinal>(index / columns);
    const Offset j = index % columns;
    double sum = 0;
    for (Offset k = A.column_offsets(i); k < A.column_offsets(i + 1); ++k)
      sum = multiply_add(static_cast<double>(values(A.find(A.rows(k), i))),
                         static_cast<double>(T(A.rows(k), j)), sum);
    B(i, j) = static_cast<Scalar>(sum);
  }
};

template <class Scalar, class MemorySpace>
struct FirstBadDiagonal {
  CsrArrays<Scalar, MemorySpace> matrix;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& first) const {
    const Offset k =
        find_column(matrix.columns.data(), matrix.row_offsets(i), matrix.row_offsets(i + 1), i);
    const Scalar value = k < 0 ? Scalar(0) : matrix.values(k);
    const bool good = value > Scalar(0) && value - value == Scalar(0);
    if (!good && i < first) first = i;
  }
};

/// \brief Finds the rows of the result of long columns by marks.
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

  /// \brief Returns the number of columns that share a row with \p column. If there is an array for
  /// them, writes them to it from \p begin on.
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
        Impl::read_entry(exec, offsets, row, "normal_matrix: the beginning of a long row");
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
                       Impl::ComputeNormalRow<Scalar, memory_space>{pattern(), A_.values, result_});
  for (const LongRow& row : long_rows_)
    Kokkos::parallel_for("Tomokkos::normal_matrix::fill_long",
                         Impl::element_range(exec, static_cast<std::size_t>(row.length)),
                         Impl::ComputeNormalEntry<Scalar, memory_space>{
                             pattern(), A_.values, result_, row.row, row.begin});
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
