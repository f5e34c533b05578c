// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_CirculantSubsetOperator.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <string>

namespace Tomokkos {
namespace {

/// Numbers of a problem by positions in the order `CirculantOrder::rotations`, on the host.
struct NaturalNumbers {
  Kokkos::View<const Ordinal*, Kokkos::HostSpace> to_natural;  // empty: the same numbers

  template <class MemorySpace>
  explicit NaturalNumbers(const std::optional<IndexMap<MemorySpace>>& map) {
    if (map) to_natural = map_on_host(*map).to_natural;
  }
  Ordinal operator()(Ordinal position) const {
    return to_natural.extent(0) > 0 ? to_natural(position) : position;
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
CirculantPart<typename ExecutionSpace::memory_space> select_circulant(
    const ExecutionSpace& exec, const SystemTask& task,
    const CirculantSystem<ExecutionSpace, Scalar>& system, RowRange rows, Ordinal block_rows) {
  const auto& [A, order] = system;
  const int subsets = task.needs.subsets;
  if (A.blocks % subsets != 0)
    throw ConfigError("solver.subsets: " + std::to_string(subsets) + " subsets do not divide the " +
                      std::to_string(A.blocks) +
                      " blocks (views) of a block-circulant matrix evenly; give a divisor");
  CirculantPart<typename ExecutionSpace::memory_space> result;
  result.selection.subsets = subsets;
  if (task.wish.ordering.rows == Ordering::subsets)
    result.selection.order = subset_class_order(subsets);

  const MatrixMasks& masks = task.masks;
  const auto keeps = [](const std::vector<char>& mask, Ordinal number) {
    return mask.empty() || mask[static_cast<std::size_t>(number)] != 0;
  };
  const NaturalNumbers natural(order.rows);
  std::vector<Ordinal> own, kept, all_begins;
  Ordinal all = 0, position = 0;
  for (int place = 0; place < subsets; ++place) {
    all_begins.push_back(all);
    result.subset_begins.push_back(static_cast<Ordinal>(own.size()));
    const std::vector<Ordinal>& classes = result.selection.order;
    const Ordinal first = classes.empty() ? place : classes[static_cast<std::size_t>(place)];
    for (Ordinal i = 0; i < block_rows; ++i)
      for (Ordinal p = first; p < A.blocks; p += subsets) {
        const Ordinal number = natural(i * A.blocks + p);
        const bool is_own = i >= rows.begin && i < rows.end;
        if (keeps(masks.rows, number)) {
          ++all;
          if (is_own) own.push_back(number);
          if (is_own && !masks.rows.empty()) kept.push_back(position);
        }
        if (is_own) ++position;
      }
  }
  result.all_subsets = RowSubsets(all, subsets, 1, all_begins);
  const bool is_part = rows.begin > 0 || rows.end < block_rows;
  if (subsets > 1 || is_part || order.rows || !masks.rows.empty())
    result.order.rows = make_index_map(exec, block_rows * A.blocks, own);
  if (!masks.rows.empty()) result.selection.rows = make_index_map(exec, position, kept);
  result.order.columns = order.columns;
  if (!masks.columns.empty()) {
    const NaturalNumbers natural_column(order.columns);
    std::vector<Ordinal> columns, numbers;
    for (Ordinal j = 0; j < A.num_cols(); ++j)
      if (const Ordinal number = natural_column(j); keeps(masks.columns, number)) {
        columns.push_back(j);
        numbers.push_back(number);
      }
    result.selection.columns = make_index_map(exec, A.num_cols(), columns);
    result.order.columns = make_index_map(exec, A.num_cols(), numbers);
  }
  result.statistics =
      masks.any() ? row_statistics_of(
                        Kokkos::create_mirror_view_and_copy(
                            Kokkos::HostSpace(), circulant_row_offsets<ExecutionSpace, Scalar>(
                                                     exec, A, result.selection)),
                        result.selection.columns ? result.selection.columns->size() : A.num_cols())
                  : expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  return result;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> A,
    const CirculantPart<typename ExecutionSpace::memory_space>& part) {
  const OperatorWish& wish = task.wish;
  if (wish.values() == StoredPrecision::half)
    A = as_choice("operator.values: half",
                  [&] { return with_rounded_values<ExecutionSpace, Scalar>(exec, A); });
  CirculantOperatorOptions<ExecutionSpace, Scalar> options;
  options.variant = wish.circulant.variant;
  options.transpose = wish.transpose;
  options.transpose_variant = wish.circulant.transpose_variant;
  options.available_bytes = available_memory(exec);
  return prepare_built_operator<ExecutionSpace, Scalar>(
      exec, task, make_operator(exec, A, options, part.selection), part.statistics);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                       \
  template CirculantPart<SPACE::memory_space> select_circulant<SPACE, SCALAR>(                    \
      const SPACE&, const SystemTask&, const CirculantSystem<SPACE, SCALAR>&, RowRange, Ordinal); \
  template PreparedOperator<SPACE, SCALAR> prepare_circulant_operator<SPACE, SCALAR>(             \
      const SPACE&, const SystemTask&, BlockCirculantMatrix<SCALAR, SPACE::memory_space>,         \
      const CirculantPart<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
