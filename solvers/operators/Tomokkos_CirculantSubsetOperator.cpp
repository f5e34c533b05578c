// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_CirculantSubsetOperator.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <algorithm>
#include <utility>

namespace Tomokkos {
namespace Impl {

/// Number of kept rows before each subset, and of all kept rows.
template <class MemorySpace>
std::vector<Ordinal> begins_of_subsets(const CirculantSelection<MemorySpace>& selection,
                                       Ordinal num_rows) {
  std::vector<Ordinal> begins{0};
  const Ordinal of_subset = num_rows / selection.subsets;
  if (!selection.rows) {
    for (int place = 1; place <= selection.subsets; ++place) begins.push_back(place * of_subset);
    return begins;
  }
  const auto kept = map_on_host(*selection.rows).to_natural;
  const Ordinal* const first = kept.data();
  const Ordinal* const last = first + kept.extent(0);
  require(std::is_sorted(first, last), "the kept rows of a block-circulant matrix must ascend");
  for (int place = 1; place <= selection.subsets; ++place)
    begins.push_back(
        static_cast<Ordinal>(std::lower_bound(first, last, place * of_subset) - first));
  return begins;
}

template <class MemorySpace>
const CirculantSelection<MemorySpace>& checked(const CirculantSelection<MemorySpace>& selection,
                                               Ordinal num_rows, Ordinal num_cols) {
  require(selection.order.empty() || is_order_of(selection.order, selection.subsets),
          "the order of the subsets must hold each of them once");
  if (selection.rows)
    require_equal("rows of the mask", selection.rows->natural_size(), "rows of A", num_rows);
  if (selection.columns)
    require_equal("columns of the mask", selection.columns->natural_size(), "columns of A",
                  num_cols);
  return selection;
}

/// Rows of a multivector.
template <class View>
View rows_of_vectors(const View& all, Ordinal begin, Ordinal end) {
  return View(all.data() + Offset{begin} * static_cast<Offset>(all.extent(1)),
              static_cast<std::size_t>(end - begin), all.extent(1));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CirculantSubsetOperator<ExecutionSpace, Scalar>::CirculantSubsetOperator(
    const ExecutionSpace& exec, const matrix_type& A, const options_type& options,
    selection_type selection)
    : selection_(Impl::checked(selection, A.num_rows(), A.num_cols())),
      blocks_(A.blocks),
      A_(exec,
         selection_.subsets == 1
             ? A
             : circulant_of_subset<ExecutionSpace, Scalar>(exec, A, selection_.subsets),
         options),
      begins_(Impl::begins_of_subsets(selection_, A.num_rows())) {}

template <class ExecutionSpace, class Scalar>
Ordinal CirculantSubsetOperator<ExecutionSpace, Scalar>::num_cols() const {
  return selection_.columns ? selection_.columns->size() : A_.num_cols();
}

template <class ExecutionSpace, class Scalar>
std::size_t CirculantSubsetOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  std::size_t indices = 0;
  for (const auto* map : {&selection_.rows, &selection_.columns})
    if (*map)
      indices += static_cast<std::size_t>((*map)->size()) +
                 static_cast<std::size_t>((*map)->natural_size());
  return A_.memory_bytes() + indices * sizeof(Ordinal) +
         (column_work_.extent(0) + row_work_.extent(0)) * sizeof(Scalar);
}

/// Bytes of copies of the columns and rows in products with all subsets.
template <class ExecutionSpace, class Scalar>
std::size_t CirculantSubsetOperator<ExecutionSpace, Scalar>::work_bytes(int vectors) const {
  const std::size_t subsets = static_cast<std::size_t>(selection_.subsets);
  std::size_t entries = 0;
  if (reorders_columns())
    entries +=
        subsets * (static_cast<std::size_t>(A_.num_cols()) + static_cast<std::size_t>(num_cols()));
  if (selection_.rows)
    entries +=
        subsets * static_cast<std::size_t>(A_.num_rows()) + static_cast<std::size_t>(num_rows());
  return entries * static_cast<std::size_t>(vectors) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::size_t CirculantSubsetOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  return static_cast<std::size_t>(selection_.subsets) * A_.apply_bytes(vectors) +
         work_bytes(vectors);
}

template <class ExecutionSpace, class Scalar>
std::size_t CirculantSubsetOperator<ExecutionSpace, Scalar>::apply_transpose_bytes(
    int vectors) const {
  return static_cast<std::size_t>(selection_.subsets) * A_.apply_transpose_bytes(vectors) +
         work_bytes(vectors);
}

template <class ExecutionSpace, class Scalar>
void CirculantSubsetOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                              int vectors) const {
  A_.reserve(exec, vectors);
  reserve_work(exec, vectors, selection_.rows.has_value());
}

/// Allocates the copies of the columns, and \p with_rows those of the rows.
template <class ExecutionSpace, class Scalar>
void CirculantSubsetOperator<ExecutionSpace, Scalar>::reserve_work(const ExecutionSpace& exec,
                                                                   int vectors,
                                                                   bool with_rows) const {
  const auto grow = [&](Vector<Scalar, memory_space>& work, const char* label, Ordinal entries) {
    const Offset size = Offset{entries} * vectors;
    if (static_cast<Offset>(work.extent(0)) >= size) return;
    work = Vector<Scalar, memory_space>();
    work = allocate<Vector<Scalar, memory_space>>(exec, label, size);
  };
  if (reorders_columns())
    grow(column_work_, "Tomokkos::CirculantSubsetOperator::column_work", A_.num_cols());
  if (with_rows) grow(row_work_, "Tomokkos::CirculantSubsetOperator::row_work", A_.num_rows());
}

template <class ExecutionSpace, class Scalar>
auto CirculantSubsetOperator<ExecutionSpace, Scalar>::column_work(int vectors) const -> Output {
  return Output(column_work_.data(), static_cast<std::size_t>(A_.num_cols()),
                static_cast<std::size_t>(vectors));
}

template <class ExecutionSpace, class Scalar>
auto CirculantSubsetOperator<ExecutionSpace, Scalar>::row_work(int vectors) const -> Output {
  return Output(row_work_.data(), static_cast<std::size_t>(A_.num_rows()),
                static_cast<std::size_t>(vectors));
}

template <class ExecutionSpace, class Scalar>
auto CirculantSubsetOperator<ExecutionSpace, Scalar>::columns_of(int place) const
    -> CirculantSubsetColumns<memory_space> {
  const Ordinal subset =
      selection_.order.empty() ? place : selection_.order[static_cast<std::size_t>(place)];
  return {blocks_, selection_.subsets, subset, selection_.columns};
}

/// Cuts a range at the ends of the subsets.
template <class ExecutionSpace, class Scalar>
auto CirculantSubsetOperator<ExecutionSpace, Scalar>::pieces_of(RowRange range) const
    -> std::vector<Piece> {
  std::vector<Piece> pieces;
  for (int place = 0; place < selection_.subsets; ++place) {
    const Ordinal first = begins_[static_cast<std::size_t>(place)];
    const Ordinal last = begins_[static_cast<std::size_t>(place) + 1];
    const RowRange rows{std::max(range.begin, first), std::min(range.end, last)};
    if (rows.begin < rows.end)
      pieces.push_back({place, rows, rows.end - rows.begin == A_.num_rows()});
  }
  return pieces;
}

template <class ExecutionSpace, class Scalar>
bool CirculantSubsetOperator<ExecutionSpace, Scalar>::has_parts(const std::vector<Piece>& pieces) {
  return std::any_of(pieces.begin(), pieces.end(),
                     [](const Piece& piece) { return !piece.is_whole; });
}

template <class ExecutionSpace, class Scalar>
void CirculantSubsetOperator<ExecutionSpace, Scalar>::apply(const ExecutionSpace& exec,
                                                            Scalar alpha, const Input& X,
                                                            Scalar beta, const Output& Y,
                                                            RowRange rows) const {
  const RowRange range = Impl::checked_range(rows, num_rows(), "rows");
  Impl::require_operands(
      Impl::Operand("X", X, "columns of A", num_cols()),
      Impl::Operand("Y", Y, Impl::rows_in(range, num_rows()), range.end - range.begin));
  if (Y.size() == 0) return;
  const auto vectors = static_cast<int>(X.extent(1));
  const std::vector<Piece> pieces = pieces_of(range);
  reserve_work(exec, vectors, has_parts(pieces));
  for (const Piece& piece : pieces) {
    Input x = X;
    if (reorders_columns()) {
      const Output work = column_work(vectors);
      take_columns<ExecutionSpace, Scalar>(exec, columns_of(piece.place), X, work);
      x = work;
    }
    const Output y =
        Impl::rows_of_vectors(Y, piece.rows.begin - range.begin, piece.rows.end - range.begin);
    if (piece.is_whole) {
      A_.apply(exec, alpha, x, beta, y);
      continue;
    }
    const Output work = row_work(vectors);
    A_.apply(exec, Scalar(1), x, Scalar(0), work);
    put_rows<ExecutionSpace, Scalar>(exec, selection_.rows, piece.rows, piece.place * A_.num_rows(),
                                     alpha, work, beta, y);
  }
}

template <class ExecutionSpace, class Scalar>
void CirculantSubsetOperator<ExecutionSpace, Scalar>::apply_transpose(const ExecutionSpace& exec,
                                                                      Scalar alpha, const Input& X,
                                                                      Scalar beta, const Output& Y,
                                                                      RowRange rows) const {
  const RowRange range = Impl::checked_range(rows, num_rows(), "rows");
  Impl::require_operands(
      Impl::Operand("X", X, Impl::rows_in(range, num_rows()), range.end - range.begin),
      Impl::Operand("Y", Y, "columns of A", num_cols()));
  if (Y.size() == 0) return;
  const auto vectors = static_cast<int>(X.extent(1));
  const std::vector<Piece> pieces = pieces_of(range);
  reserve_work(exec, vectors, has_parts(pieces));
  if (pieces.empty())
    Kokkos::parallel_for("Tomokkos::CirculantSubsetOperator::scale",
                         Impl::element_range(exec, Y.size()),
                         Impl::ScaleOrClear<Scalar, memory_space>{as_vector(Y), beta});
  for (const Piece& piece : pieces) {
    Input x =
        Impl::rows_of_vectors(X, piece.rows.begin - range.begin, piece.rows.end - range.begin);
    if (!piece.is_whole) {
      const Output work = row_work(vectors);
      take_rows<ExecutionSpace, Scalar>(exec, selection_.rows, piece.rows,
                                        piece.place * A_.num_rows(), x, work);
      x = work;
    }
    // The products of further subsets are added to that of the first.
    const Scalar of_y = piece.place == pieces.front().place ? beta : Scalar(1);
    if (!reorders_columns()) {
      A_.apply_transpose(exec, alpha, x, of_y, Y);
      continue;
    }
    const Output work = column_work(vectors);
    A_.apply_transpose(exec, Scalar(1), x, Scalar(0), work);
    put_columns<ExecutionSpace, Scalar>(exec, columns_of(piece.place), alpha, work, of_y, Y);
  }
}

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const CirculantOperatorOptions<ExecutionSpace, Scalar>& options,
    const CirculantSelection<typename ExecutionSpace::memory_space>& selection) {
  if (selection.is_whole()) return make_operator(exec, A, options);
  const CirculantSubsetOperator<ExecutionSpace, Scalar> op(exec, A, options, selection);
  BuiltOperator<ExecutionSpace, Scalar> made = with_description<ExecutionSpace, Scalar>(
      exec, A, op.of_subset(), AnyOperator<ExecutionSpace, Scalar>(op));
  if (selection.subsets > 1) made.description.set("subsets", selection.subsets);
  return made;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                           \
  template class CirculantSubsetOperator<SPACE, SCALAR>;              \
  template BuiltOperator<SPACE, SCALAR> make_operator<SPACE, SCALAR>( \
      const SPACE&, const CirculantIn<SPACE, SCALAR>&,                \
      const CirculantOperatorOptions<SPACE, SCALAR>&,                 \
      const CirculantSelection<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
