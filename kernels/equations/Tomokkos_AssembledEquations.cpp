// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {
namespace Impl {

/// Finds the first row of zeros, and marks the columns of all nonzero entries.
template <class Scalar, class MemorySpace>
struct FirstZeroRow {
  CsrMatrix<Scalar, MemorySpace> A;
  VectorView<int, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    bool zero = true;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      if (A.values(k) == Scalar(0)) continue;
      zero = false;
      Kokkos::atomic_fetch_or(&marks(A.columns(k)), 1);
    }
    if (zero && row < first) first = row;
  }
};

template <class MemorySpace>
struct FirstUnmarked {
  VectorView<const int, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& first) const {
    if (marks(i) == 0 && i < first) first = i;
  }
};

/// Counts entries that differ from their mirror image.
template <class Scalar, class MemorySpace>
struct CountAsymmetric {
  CsrMatrix<Scalar, MemorySpace> A;

  KOKKOS_FUNCTION Scalar value(Ordinal row, Ordinal column) const {
    const Offset k =
        find_column(A.columns.data(), A.row_offsets(row), A.row_offsets(row + 1), column);
    return k < 0 ? Scalar(0) : A.values(k);
  }
  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& count) const {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      if (value(A.columns(k), row) != A.values(k)) ++count;
  }
};

template <class Scalar, class MemorySpace>
struct CountNotPositive {
  CountAsymmetric<Scalar, MemorySpace> matrix;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& count) const {
    if (!(matrix.value(row, row) > Scalar(0))) ++count;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
AssembledEquations<ExecutionSpace, Scalar>::AssembledEquations(const ExecutionSpace& exec,
                                                               const RowsType& rows,
                                                               EquationKind kind)
    : rows_(rows), kind_(kind) {
  if (kind == EquationKind::plain) {
    require_equal("number of equations of a plain system", rows.num_rows(),
                  "number of free variables", rows.num_free());
    marks_ = allocate<Vector<int, memory_space>>(exec, "Tomokkos::AssembledEquations::marks",
                                                 rows.num_free());
    check_plain(exec);
    return;
  }
  normal_.emplace(exec, rows.free_part());
  right_hand_sides_ = allocate<MultiVector<Scalar, memory_space>>(
      exec, "Tomokkos::AssembledEquations::right_hand_sides", rows.num_free(), rows.num_columns());
  check_diagonal(exec);
  compute_right_hand_sides(exec);
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::refresh(const ExecutionSpace& exec) {
  if (kind_ == EquationKind::plain) return check_plain(exec);
  normal_->refill(exec, rows_.free_part());
  check_diagonal(exec);
  compute_right_hand_sides(exec);
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::check_diagonal(const ExecutionSpace& exec) const {
  if (const auto free = normal_->first_bad_diagonal(exec)) throw_undetermined(exec, *free);
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::check_plain(const ExecutionSpace& exec) const {
  const Ordinal n = rows_.num_free();
  if (n == 0) return;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, n);
  Kokkos::deep_copy(exec, marks_, 0);
  Ordinal first = n;
  Kokkos::parallel_reduce("Tomokkos::equations::zero_rows", all,
                          Impl::FirstZeroRow<Scalar, memory_space>{rows_.free_part(), marks_},
                          Kokkos::Min<Ordinal>(first));
  if (first < n)
    throw Refused(
        Impl::text("equation {} has no nonzero coefficient of a free variable: a plain system "
                   "cannot satisfy it",
                   first));
  Kokkos::parallel_reduce("Tomokkos::equations::unmarked", all,
                          Impl::FirstUnmarked<memory_space>{marks_}, Kokkos::Min<Ordinal>(first));
  if (first < n) throw_undetermined(exec, first);
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::throw_undetermined(const ExecutionSpace& exec,
                                                                    Ordinal free) const {
  const Ordinal variable =
      Impl::read_entry(exec, rows_.free_variables().to_natural, static_cast<std::size_t>(free),
                       "equations: the undetermined variable");
  throw Refused(
      Impl::text("variable {} is free, but no equation has a nonzero coefficient for it (or the "
                 "squares of these "
                 "coefficients leave the range of the numbers): lock it, or add an equation",
                 variable));
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::compute_right_hand_sides(
    const ExecutionSpace& exec) {
  if (normal_) normal_->multiply_transposed(exec, rows_.targets(), right_hand_sides_);
  Impl::fence(exec, "equations: the system is complete");
}

template <class ExecutionSpace, class Scalar>
typename AssembledEquations<ExecutionSpace, Scalar>::ConstMultiVectorType
AssembledEquations<ExecutionSpace, Scalar>::right_hand_sides() const {
  if (normal_) return right_hand_sides_;
  return rows_.targets();
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::set_right_hand_sides(
    const ExecutionSpace& exec, const ConstMultiVectorType& B) {
  rows_.set_right_hand_sides(exec, B);
  compute_right_hand_sides(exec);
}

template <class ExecutionSpace, class Scalar>
void AssembledEquations<ExecutionSpace, Scalar>::set_locked_values(const ExecutionSpace& exec,
                                                                   const ConstMultiVectorType& X) {
  rows_.set_locked_values(exec, X);
  compute_right_hand_sides(exec);
}

template <class ExecutionSpace, class Scalar>
DefiniteSigns AssembledEquations<ExecutionSpace, Scalar>::signs(const ExecutionSpace& exec) const {
  // The construction of the normal matrix ensures both.
  if (normal_) return {true, true};
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, rows_.num_free());
  const Impl::CountAsymmetric<Scalar, memory_space> matrix{rows_.free_part()};
  Offset asymmetric = 0, not_positive = 0;
  Kokkos::parallel_reduce("Tomokkos::equations::symmetry", all, matrix,
                          Kokkos::Sum<Offset>(asymmetric));
  Kokkos::parallel_reduce("Tomokkos::equations::diagonal", all,
                          Impl::CountNotPositive<Scalar, memory_space>{matrix},
                          Kokkos::Sum<Offset>(not_positive));
  Impl::fence(exec, "equations: the signs have arrived");
  return {asymmetric == 0, not_positive == 0};
}

template <class ExecutionSpace, class Scalar>
std::size_t AssembledEquations<ExecutionSpace, Scalar>::memory_bytes() const {
  return rows_.memory_bytes() + (normal_ ? normal_->memory_bytes() : 0) +
         right_hand_sides_.size() * sizeof(Scalar) + marks_.extent(0) * sizeof(int);
}

EquationSolver default_solver(EquationKind kind, const DefiniteSigns& signs) {
  if (kind == EquationKind::least_squares) return EquationSolver::pcg;
  return signs.symmetric && signs.positive_diagonal ? EquationSolver::pcg
                                                    : EquationSolver::bicgstab;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class AssembledEquations<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
