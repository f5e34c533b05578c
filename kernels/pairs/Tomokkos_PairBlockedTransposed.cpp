// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed products with paired rows, `Y = alpha A^T X + beta Y`, by atomic or integer additions.
// impl/Tomokkos_PairPasses_impl.hpp says how the pairs are visited.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_PairPasses_impl.hpp>
#include <impl/Tomokkos_ProductTarget.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Adds to Y with floating-point atomics.
template <class Scalar>
struct AddPairsAtomically {
  using Weight = Scalar;
  static constexpr bool ahead = false;
  Scalar* y;
  Ordinal stride;
  Scalar alpha;

  KOKKOS_FORCEINLINE_FUNCTION AddPairsAtomically from(int first) const {
    return {y + first, stride, alpha};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scale(int) const { return alpha; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, int vector, Scalar value,
                                              Scalar weight) const {
    Kokkos::atomic_add(y + static_cast<Offset>(column) * stride + vector, value * weight);
  }
};

/// Adds integers, which count multiples of a unit, to sums.
///
/// \tparam absolute sums |A| instead of A, for a bound of the sums
template <class Scalar, bool absolute>
struct AddPairsFixed {
  using Weight = double;
  // On an H200 and the stored rays of impl/Tomokkos_PairPasses_impl.hpp, A^T X with eight vectors
  // takes 1.72 ms, without entries ahead 2.05.
  static constexpr bool ahead = true;
  const double* bound;  // largest entry of each vector
  double column_bound;  // largest sum of a column of |A|
  int bits;
  long long* sums;  // of the vectors of a column side by side
  unsigned char* faults;
  Ordinal stride;

  KOKKOS_FORCEINLINE_FUNCTION AddPairsFixed from(int first) const {
    return {bound + first, column_bound, bits, sums + first, faults + first, stride};
  }
  KOKKOS_FORCEINLINE_FUNCTION double scale(int vector) const {
    const double bounded = bound[vector] * column_bound;
    return bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, int vector, Scalar value,
                                              double weight) const {
    const double factor = static_cast<double>(absolute ? fabs(value) : value);
    const Offset at = static_cast<Offset>(column) * stride + vector;
    if (weight - weight == 0)
      add_shared(sums + at, nearest(factor * weight));
    else
      faults[at] = 1;
  }
};

/// Computes `Y += alpha A(range, :)^T X` with any kind of addition.
template <class Scalar, class Add>
struct AddPairsTransposed {
  using Weight = typename Add::Weight;
  PairBlocks<Scalar> A;
  const Scalar* x;
  Ordinal stride;
  int vectors;
  Add to;
  RowRange range;

  template <class Vectors>
  static constexpr bool ahead = Vectors::ahead || Add::ahead;

  int width() const { return vectors; }
  KOKKOS_FUNCTION AddPairsTransposed part(int first, int count) const {
    AddPairsTransposed result = *this;
    result.x += first;
    result.vectors = count;
    result.to = to.from(first);
    return result;
  }

  /// Loads the weights of the entries of a row.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void weigh(Ordinal row, int lane, const Weight (&scale)[Vectors::V],
                                         Weight (&weight)[Vectors::V]) const {
    const Scalar* const values = x + static_cast<Offset>(row - range.begin) * stride;
    Vectors::for_each(lane, vectors, [&](int v, int vector) {
      weight[v] = static_cast<Weight>(values[vector]) * scale[v];
    });
  }
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void find_scale(int lane, Weight (&scale)[Vectors::V]) const {
    Vectors::for_each(lane, vectors, [&](int v, int vector) { scale[v] = to.scale(vector); });
  }
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, int lane,
                                       const Weight (&weight)[Vectors::V]) const {
    Vectors::for_each(lane, vectors,
                      [&](int v, int vector) { to(column, vector, value, weight[v]); });
  }

  template <class Vectors, int most_pairs>
  KOKKOS_FORCEINLINE_FUNCTION void process(const PairStep<most_pairs>& step, int lane) const {
    Weight weight[most_pairs][Vectors::V], scale[Vectors::V];
    bool turned[most_pairs];
    find_scale<Vectors>(lane, scale);
    for (int i = 0; i < step.count; ++i) {
      weigh<Vectors>(A.first_row(step.begin + i), lane, scale, weight[i]);
      turned[i] = false;
    }
    const auto turn = [&](int i) {
      turned[i] = true;
      if (A.has_second(step.begin + i))
        weigh<Vectors>(A.second_row(step.begin + i), lane, scale, weight[i]);
    };
    const auto take = [&](int i, Ordinal column, Scalar value) {
      add<Vectors>(column, value, lane, weight[i]);
    };
    visit_part<PairPart::first, ahead<Vectors>>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed, ahead<Vectors>>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (!turned[i]) turn(i);
    visit_part<PairPart::second, ahead<Vectors>>(A, step, A.mixed_end, A.width, turn, take);
  }

  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void process_row(const PairStep<1>& step, Ordinal row, Ordinal begin,
                                               Ordinal end, int lane) const {
    Weight weight[Vectors::V], scale[Vectors::V];
    find_scale<Vectors>(lane, scale);
    weigh<Vectors>(row, lane, scale, weight);
    visit_part<PairPart::second, ahead<Vectors>>(
        A, step, begin, end, [](int) {},
        [&](int, Ordinal column, Scalar value) { add<Vectors>(column, value, lane, weight); });
  }
};

inline constexpr const char* pairs_largest = "Tomokkos::pair_blocked::largest_entry";

/// Returns the largest absolute value of A; infinite if a value is not finite.
template <class ExecutionSpace, class Scalar>
double largest_pair_value(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  double least = 0, largest = 0;
  if (A.num_stored() > 0)
    Kokkos::parallel_reduce("Tomokkos::pair_blocked::value_range",
                            element_range(exec, static_cast<std::size_t>(A.num_stored())),
                            ValueRange<Scalar, typename ExecutionSpace::memory_space>{A.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
  fence(exec, "PairBlockedPlan: the range of the values");
  return std::max(-least, largest);
}

/// Adds `value X(row, :)` to the sums of \p plan for at most `plan.num_vectors()` vectors, as
/// integers.
template <bool absolute, class ExecutionSpace, class Scalar, class Plan>
void add_pairs_fixed(const ExecutionSpace& exec, const Plan& plan,
                     const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     RowRange range, const Scalar* x, Ordinal stride, int vectors,
                     double column_bound, int bits, const std::string& label) {
  using Add = AddPairsFixed<Scalar, absolute>;
  launch_pairs(exec, label,
               AddPairsTransposed<Scalar, Add>{
                   PairBlocks<Scalar>(A), x, stride, vectors,
                   Add{plan.bound().data(), column_bound, bits, plan.sums().data(),
                       plan.faults().data(), static_cast<Ordinal>(vectors)},
                   range});
}

/// Computes `Y = alpha A(range, :)^T X + beta Y` after the shapes were checked.
template <class ExecutionSpace, class Scalar>
void transpose_pairs(const ExecutionSpace& exec,
                     const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                     const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     RowRange range, Scalar alpha,
                     const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                     Scalar beta,
                     const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y) {
  if (Y.size() == 0) return;
  const auto stride = static_cast<Ordinal>(X.extent(1));
  if (plan.method() == PairTranspose::atomic) {
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::pair_blocked::atomic::scale", element_range(exec, Y.size()),
        ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
    using Add = AddPairsAtomically<Scalar>;
    launch_pairs(exec, "Tomokkos::spmv_transpose::pair_blocked::atomic",
                 AddPairsTransposed<Scalar, Add>{PairBlocks<Scalar>(A), X.data(), stride, stride,
                                                 Add{Y.data(), stride, alpha}, range});
    return;
  }
  require(plan.num_columns() == A.num_cols, "the plan of A^T x belongs to another matrix");
  const int bits = column_sum_bits<long long>(A.num_rows);
  for (int first = 0; first < stride; first += plan.num_vectors()) {
    const int vectors = std::min(plan.num_vectors(), stride - first);
    largest_finite_of_each(exec, pairs_largest, X.data() + first, range.end - range.begin, stride,
                           vectors, plan.bound());
    add_pairs_fixed<false>(exec, plan, A, range, X.data() + first, stride, vectors,
                           plan.column_bound(), bits,
                           "Tomokkos::spmv_transpose::pair_blocked::fixed_point");
    store_fixed_sums(
        exec, "Tomokkos::spmv_transpose::pair_blocked::fixed_point::finish",
        static_cast<Offset>(A.num_cols) * vectors,
        FixedSums<Scalar, long long>{plan.bound().data(), plan.column_bound(), bits, alpha, beta,
                                     plan.sums().data(), plan.faults().data(), Y.data() + first,
                                     stride, vectors});
  }
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
PairBlockedPlan<ExecutionSpace, Scalar>::PairBlockedPlan(const ExecutionSpace& exec,
                                                         const matrix_type& A, PairTranspose method)
    : method_(method), num_columns_(A.num_cols) {
  if (method == PairTranspose::atomic) return;
  const double largest = Impl::largest_pair_value(exec, A);
  require(largest == 0 || (largest >= 0x1p-900 && largest <= 0x1p900),
          "paired rows: for A^T x with integer sums the largest value must be finite and between "
          "1e-270 and 1e270; scale the matrix");
  reserve(exec, 1);
  if (largest > 0) {
    // Bounds the sums of |A| with integer sums. The unit is so large that no sum can overflow, and
    // the bound has the same bits on every run. Each term has an error of half a unit.
    const double loose = largest * A.num_rows;
    const int bits = Impl::column_sum_bits<long long>(A.num_rows);
    const auto ones =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PairBlockedPlan::ones", A.num_rows);
    Kokkos::deep_copy(exec, ones, Scalar(1));
    Kokkos::deep_copy(exec, bound_, 1.0);
    Impl::add_pairs_fixed<true>(exec, *this, A, {0, A.num_rows}, ones.data(), 1, 1, loose, bits,
                                "Tomokkos::pair_blocked::column_bounds");
    Impl::largest_finite(exec, Impl::pairs_largest, sums_.data(), A.num_cols, 1, bound_);
    const double sum = Impl::read_entry(exec, bound_, 0, "PairBlockedPlan: a bound of the matrix");
    column_bound_ =
        (sum + A.num_rows) * 1.0001 * Impl::power_of_two(-Impl::fixed_point_exponent(loose, bits));
    Kokkos::deep_copy(exec, sums_, 0LL);
  }
  Impl::fence(exec, "PairBlockedPlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void PairBlockedPlan<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                      int vectors) const {
  const int wanted = std::min(vectors, most_fixed_vectors);
  if (method_ == PairTranspose::atomic || wanted <= num_vectors_) return;
  const auto size = static_cast<std::size_t>(num_columns_) * static_cast<std::size_t>(wanted);
  // If one of these fails, the plan still serves as many vectors as before.
  const auto sums =
      allocate<Vector<long long, memory_space>>(exec, "Tomokkos::PairBlockedPlan::sums", size);
  const auto faults = allocate<Vector<unsigned char, memory_space>>(
      exec, "Tomokkos::PairBlockedPlan::faults", size);
  const auto bound =
      allocate<Vector<double, memory_space>>(exec, "Tomokkos::PairBlockedPlan::bound", wanted);
  sums_ = sums;
  faults_ = faults;
  bound_ = bound;
  Kokkos::deep_copy(exec, sums_, 0LL);
  Kokkos::deep_copy(exec, faults_, static_cast<unsigned char>(0));
  num_vectors_ = wanted;
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
                    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_operands(Impl::Operand("x", x, "rows of A", A.num_rows),
                         Impl::Operand("y", y, "columns of A", A.num_cols));
  Impl::transpose_pairs<ExecutionSpace, Scalar>(exec, plan, A, {0, A.num_rows}, alpha,
                                                as_multivector(x), beta, as_multivector(y));
}

template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    RowRange rows, Coefficient<Scalar> alpha,
                    const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                    const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  Impl::require_operands(
      Impl::Operand("X", X, Impl::rows_in(range, A.num_rows), range.size(A.num_rows)),
      Impl::Operand("Y", Y, "columns of A", A.num_cols));
  Impl::transpose_pairs<ExecutionSpace, Scalar>(exec, plan, A, range, alpha, X, beta, Y);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                    \
  template class PairBlockedPlan<SPACE, SCALAR>;                               \
  template void spmv_transpose<SPACE, SCALAR>(                                 \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                     \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, SCALAR,           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,            \
      const VectorView<SCALAR, SPACE::memory_space>&);                         \
  template void spmm_transpose<SPACE, SCALAR>(                                 \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                     \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR, \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,       \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
