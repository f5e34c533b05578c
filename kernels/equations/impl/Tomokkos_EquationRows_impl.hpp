// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Part of `EquationRows` that calls the user's functor, and is compiled with it. Its only
// arithmetic is the sum of duplicates, so the bits do not depend on where it is compiled.
#pragma once

#include <Tomokkos_EquationRows.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

/// \brief Factor that combines row and kind of a fault in one number. The smallest number is kept.
/// The factor is at least the number of kinds.
inline constexpr Offset equation_fault_kinds = 8;
inline constexpr Offset no_equation_fault = std::numeric_limits<Offset>::max();

/// \brief Throws the `Error` for a fault found by a reduction over rows. \p faulty is the variable
/// or the column, if any.
[[noreturn]] void throw_equation_fault(Offset fault, const VariablePlaces& places, Ordinal faulty);

/// Keeps the first fault.
template <class Scalar>
KOKKOS_INLINE_FUNCTION void keep_first(Offset row, const EquationEntries<Scalar>& entries,
                                       Offset& first) {
  if (entries.fault == EquationFault::none) return;
  const Offset fault = row * equation_fault_kinds + static_cast<Offset>(entries.fault);
  if (fault < first) first = fault;
}

template <class Equations, class Scalar, class MemorySpace>
struct CountCoefficients {
  Equations equations;
  VariablePlaces places;
  Kokkos::View<Offset*, MemorySpace> free_counts, locked_counts;

  KOKKOS_FUNCTION EquationEntries<Scalar> visit(Offset row) const {
    EquationEntries<Scalar> entries{WriterMode::count, places, {}, {}};
    EquationWriter<Scalar> writer(entries);
    equations(row, writer);
    free_counts(row) = entries.free.length;
    locked_counts(row) = entries.locked.length;
    return entries;
  }
  KOKKOS_FUNCTION void operator()(const Offset row, Offset& first) const {
    keep_first(row, visit(row), first);
  }
};

/// Sorted columns of one part at the counted positions, and the number of distinct ones.
template <class MemorySpace>
struct ListedColumns {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Offset*, MemorySpace> lengths;
};

template <class Equations, class Scalar, class MemorySpace>
struct ListCoefficients {
  Equations equations;
  VariablePlaces places;
  ListedColumns<MemorySpace> free, locked;

  KOKKOS_FUNCTION static EquationPart<Scalar> part(const ListedColumns<MemorySpace>& list,
                                                   Offset row) {
    const Offset begin = list.offsets(row);
    return {list.columns.data() + begin, nullptr, list.offsets(row + 1) - begin, 0};
  }
  KOKKOS_FUNCTION EquationEntries<Scalar> visit(Offset row) const {
    EquationEntries<Scalar> entries{WriterMode::list, places, part(free, row), part(locked, row)};
    EquationWriter<Scalar> writer(entries);
    equations(row, writer);
    if (entries.free.length < entries.free.capacity ||
        entries.locked.length < entries.locked.capacity)
      entries.fail(EquationFault::repetition, 0);
    free.lengths(row) = sort_unique_columns(entries.free.columns, entries.free.length);
    locked.lengths(row) = sort_unique_columns(entries.locked.columns, entries.locked.length);
    return entries;
  }
  KOKKOS_FUNCTION void operator()(const Offset row, Offset& first) const {
    keep_first(row, visit(row), first);
  }
};

template <class Equations, class Scalar, class MemorySpace>
struct FillCoefficients {
  Equations equations;
  VariablePlaces places;
  CsrArrays<Scalar, MemorySpace> free, locked;
  MultiVectorView<Scalar, MemorySpace> right_hand_sides;
  VectorView<double, MemorySpace> factors;

  KOKKOS_FUNCTION static EquationPart<Scalar> part(const CsrArrays<Scalar, MemorySpace>& arrays,
                                                   Offset row) {
    const Offset begin = arrays.row_offsets(row);
    const Offset length = arrays.row_offsets(row + 1) - begin;
    Scalar* const values = arrays.values.data() + begin;
    for (Offset k = 0; k < length; ++k) values[k] = Scalar(0);
    return {arrays.columns.data() + begin, values, length, 0};
  }
  KOKKOS_FUNCTION EquationEntries<Scalar> visit(Offset row) const {
    EquationEntries<Scalar> entries{WriterMode::fill, places, part(free, row), part(locked, row)};
    entries.right_hand_sides = right_hand_sides.data() + row * places.num_columns;
    for (Ordinal j = 0; j < places.num_columns; ++j) entries.right_hand_sides[j] = Scalar(0);
    EquationWriter<Scalar> writer(entries);
    equations(row, writer);
    factors(row) = entries.scale;
    return entries;
  }
  KOKKOS_FUNCTION void operator()(const Offset row, Offset& first) const {
    keep_first(row, visit(row), first);
  }
};

/// Returns the variable or the column of the fault of one row.
template <class Kernel>
struct ReportFaulty {
  Kernel kernel;
  Offset row;
  KOKKOS_FUNCTION void operator()(const Offset, Ordinal& faulty) const {
    faulty += kernel.visit(row).faulty;
  }
};

/// \brief Visits all rows and throws the `Error` of the first fault.
template <class ExecutionSpace, class Kernel>
void visit_equations(const ExecutionSpace& exec, const std::string& label, Ordinal num_rows,
                     const Kernel& kernel) {
  Offset first = no_equation_fault;
  Kokkos::parallel_reduce(label, element_range(exec, static_cast<std::size_t>(num_rows)), kernel,
                          Kokkos::Min<Offset>(first));
  if (first == no_equation_fault) return;
  Ordinal faulty = 0;
  Kokkos::parallel_reduce("Tomokkos::equations::report_faulty", element_range(exec, 1),
                          ReportFaulty<Kernel>{kernel, first / equation_fault_kinds},
                          Kokkos::Sum<Ordinal>(faulty));
  throw_equation_fault(first, kernel.places, faulty);
}

/// \brief Copies the listed columns without the gaps left by duplicates.
template <class MemorySpace>
struct CompactColumns {
  Kokkos::View<const Offset*, MemorySpace> from_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> from;
  Kokkos::View<const Offset*, MemorySpace> to_offsets;
  Kokkos::View<Ordinal*, MemorySpace> to;

  KOKKOS_FUNCTION void operator()(const Offset row) const {
    const Offset begin = from_offsets(row), target = to_offsets(row);
    const Offset length = to_offsets(row + 1) - target;
    for (Offset k = 0; k < length; ++k) to(target + k) = from(begin + k);
  }
};

/// \brief Arrays of one part while its pattern is found.
template <class ExecutionSpace, class Scalar>
struct PartBuilder {
  using MemorySpace = typename ExecutionSpace::memory_space;

  Ordinal num_rows;
  Kokkos::View<Offset*, MemorySpace> offsets, lengths;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Offset listed = 0;

  PartBuilder(const ExecutionSpace& exec, Ordinal rows)
      : num_rows(rows),
        offsets(allocate_row_offsets<MemorySpace>(exec, rows)),
        lengths(allocate_row_offsets<MemorySpace>(exec, rows)) {}

  Offset scan(const ExecutionSpace& exec, const Kokkos::View<Offset*, MemorySpace>& counts) const {
    exclusive_scan(exec, "Tomokkos::equations::offsets", counts);
    return read_entry(exec, counts, static_cast<std::size_t>(num_rows),
                      "equations: number of coefficients");
  }
  ListedColumns<MemorySpace> list(const ExecutionSpace& exec) {
    listed = scan(exec, offsets);
    columns =
        allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::CsrMatrix::columns", listed);
    return {offsets, columns, lengths};
  }
  CsrArrays<Scalar, MemorySpace> arrays(const ExecutionSpace& exec) {
    const Offset kept = scan(exec, lengths);
    if (kept < listed) {
      const auto compact =
          allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::CsrMatrix::columns", kept);
      Kokkos::parallel_for("Tomokkos::equations::compact",
                           element_range(exec, static_cast<std::size_t>(num_rows)),
                           CompactColumns<MemorySpace>{offsets, columns, lengths, compact});
      fence(exec, "equations: the listed columns are no longer read");
      columns = compact;
    }
    return {lengths, columns, allocate_values<Scalar, MemorySpace>(exec, kept)};
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
template <class Equations>
EquationRows<ExecutionSpace, Scalar>::EquationRows(const ExecutionSpace& exec, Ordinal num_rows,
                                                   const Variables& variables,
                                                   const Equations& equations, bool normalize)
    : num_rows_(num_rows), num_columns_(variables.num_columns), normalize_(normalize) {
  require(num_rows >= 0, "the number of equations is negative");
  number_variables(exec, variables);
  update_values(exec, variables);
  Impl::PartBuilder<ExecutionSpace, Scalar> free(exec, num_rows), locked(exec, num_rows);
  Impl::visit_equations(exec, "Tomokkos::equations::count", num_rows,
                        Impl::CountCoefficients<Equations, Scalar, memory_space>{
                            equations, places(), free.offsets, locked.offsets});
  const auto free_list = free.list(exec);
  const auto locked_list = locked.list(exec);
  Impl::visit_equations(exec, "Tomokkos::equations::list", num_rows,
                        Impl::ListCoefficients<Equations, Scalar, memory_space>{
                            equations, places(), free_list, locked_list});
  free_part_ = free.arrays(exec);
  locked_part_ = locked.arrays(exec);
  factors_ =
      allocate<Vector<double, memory_space>>(exec, "Tomokkos::EquationRows::factors", num_rows);
  right_hand_sides_ = allocate<MultiVector<Scalar, memory_space>>(
      exec, "Tomokkos::EquationRows::right_hand_sides", num_rows, num_columns_);
  targets_ = right_hand_sides_;
  if (locked_.size() > 0)
    targets_ = allocate<MultiVector<Scalar, memory_space>>(exec, "Tomokkos::EquationRows::targets",
                                                           num_rows, num_columns_);
  refill(exec, equations);
}

template <class ExecutionSpace, class Scalar>
template <class Equations>
void EquationRows<ExecutionSpace, Scalar>::refill(const ExecutionSpace& exec,
                                                  const Equations& equations) {
  Impl::visit_equations(
      exec, "Tomokkos::equations::fill", num_rows_,
      Impl::FillCoefficients<Equations, Scalar, memory_space>{
          equations, places(), free_part_, locked_part_, right_hand_sides_, factors_});
  finish(exec);
}

}  // namespace Tomokkos
