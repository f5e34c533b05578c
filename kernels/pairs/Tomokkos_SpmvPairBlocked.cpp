// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with paired rows. A step is a run of neighbouring pairs, whose places are processed
// together. On a GPU it is one pair, and a warp is a run. On a host it has enough pairs to make
// loading a place from memory worthwhile.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_ProductTarget.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Largest number of pairs of a step. On a host this is 1 KiB of columns; two pages at a time are
/// read, of columns and of values.
template <class ExecutionSpace>
inline constexpr int most_step_pairs = is_host_space<ExecutionSpace> ? 256 : 1;

/// Number of places whose entries are loaded before the first is used.
inline constexpr int places_ahead = 4;

/// Sub-matrices that pairs traverse.
enum class PairPart { first, mixed, second };

/// Range of the pairs of a step.
template <int most_pairs>
struct PairStep {
  Ordinal begin;
  int count;

  KOKKOS_FORCEINLINE_FUNCTION PairStep(Ordinal step, int pairs, Ordinal num_pairs)
      : begin(most_pairs == 1 ? step : step * pairs), count(1) {
    if (most_pairs > 1) count = num_pairs - begin < pairs ? num_pairs - begin : pairs;
  }
};

/// Calls `take(i, column, value)` for pair `begin + i` and each of \p places places from \p place
/// on, without padding. Calls `turn(i)` before the first entry of a second row. Returns false if no
/// pair has an entry at the first place, in which case no later place has one.
template <PairPart part, int places, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION bool visit_places(const PairBlocks<Scalar>& A,
                                              const PairStep<most_pairs>& step, Ordinal place,
                                              const Turn& turn, const Take& take) {
  bool any = false;
  for (int i = 0; i < (most_pairs == 1 ? 1 : step.count); ++i) {
    Ordinal columns[places];
    Scalar values[places];
    for (int k = 0; k < places; ++k) {
      const Offset at = A.position(step.begin + i, place + k);
      columns[k] = load_streamed_entry(A.columns + at);
      values[k] = load_streamed_entry(A.values + at);
    }
    any |= part == PairPart::first || columns[0] != padding_column;
    for (int k = 0; k < places; ++k) {
      if (part == PairPart::mixed && A.is_junction(step.begin + i, place + k)) turn(i);
      if (part == PairPart::first || columns[k] != padding_column) take(i, columns[k], values[k]);
    }
  }
  return any;
}

/// Visits the places of a sub-matrix until no pair of the step has more entries.
template <PairPart part, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION void visit_part(const PairBlocks<Scalar>& A,
                                            const PairStep<most_pairs>& step, Ordinal begin,
                                            Ordinal end, const Turn& turn, const Take& take) {
  Ordinal place = begin;
  for (; place + places_ahead <= end; place += places_ahead)
    if (!visit_places<part, places_ahead>(A, step, place, turn, take)) return;
  for (; place < end; ++place)
    if (!visit_places<part, 1>(A, step, place, turn, take)) return;
}

/// `y = alpha A x + beta y`
template <class Scalar, int most_pairs>
struct SpmvPairs {
  PairBlocks<Scalar> A;
  ProductTarget<Scalar> target;
  int pairs;  // of a step

  KOKKOS_FUNCTION void operator()(const Ordinal index) const {
    const PairStep<most_pairs> step(index, pairs, A.num_pairs);
    Scalar sum[most_pairs], first[most_pairs];
    bool turned[most_pairs];
    for (int i = 0; i < step.count; ++i) {
      sum[i] = first[i] = 0;
      turned[i] = false;
    }
    const auto turn = [&](int i) {
      first[i] = sum[i];
      sum[i] = 0;
      turned[i] = true;
    };
    const auto take = [&](int i, Ordinal column, Scalar value) {
      sum[i] += value * load_gathered(target.x + column);
    };
    visit_part<PairPart::first>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (!turned[i]) turn(i);
    visit_part<PairPart::second>(A, step, A.mixed_end, A.width, turn, take);
    for (int i = 0; i < step.count; ++i) {
      const Ordinal pair = step.begin + i;
      target.store(A.first_row(pair), first[i]);
      if (A.has_second(pair)) target.store(A.second_row(pair), sum[i]);
    }
  }
};

/// Adds to y with floating-point atomics.
template <class Scalar>
struct AddPairsAtomically {
  using Weight = Scalar;
  Scalar* y;
  Scalar alpha;

  KOKKOS_FORCEINLINE_FUNCTION Scalar scale() const { return alpha; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, Scalar value, Scalar weight) const {
    Kokkos::atomic_add(y + column, value * weight);
  }
};

/// Adds integers, which count multiples of a unit, to sums.
///
/// \tparam absolute sums |A| instead of A, for a bound of the sums
template <class Scalar, bool absolute>
struct AddPairsFixed {
  using Weight = double;
  const double* bound;  // largest entry of x
  double column_bound;  // largest sum of a column of |A|
  int bits;
  long long* sums;
  unsigned char* faults;

  KOKKOS_FORCEINLINE_FUNCTION double scale() const {
    const double bounded = *bound * column_bound;
    return bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, Scalar value, double weight) const {
    const double factor = static_cast<double>(absolute ? fabs(value) : value);
    if (weight - weight == 0)
      add_shared(sums + column, nearest(factor * weight));
    else
      faults[column] = 1;
  }
};

/// Computes `y += alpha A^T x` with any kind of addition.
template <class Scalar, class Add, int most_pairs>
struct AddPairsTransposed {
  using Weight = typename Add::Weight;
  PairBlocks<Scalar> A;
  const Scalar* x;
  Add add;
  int pairs;  // of a step

  KOKKOS_FUNCTION void operator()(const Ordinal index) const {
    const PairStep<most_pairs> step(index, pairs, A.num_pairs);
    const Weight scale = add.scale();
    Weight weight[most_pairs], second[most_pairs];
    for (int i = 0; i < step.count; ++i) {
      const Ordinal pair = step.begin + i;
      weight[i] = static_cast<Weight>(x[A.first_row(pair)]) * scale;
      second[i] = A.has_second(pair) ? static_cast<Weight>(x[A.second_row(pair)]) * scale : 0;
    }
    const auto turn = [&](int i) { weight[i] = second[i]; };
    const auto take = [&](int i, Ordinal column, Scalar value) { add(column, value, weight[i]); };
    visit_part<PairPart::first>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i) turn(i);
    visit_part<PairPart::second>(A, step, A.mixed_end, A.width, turn, take);
  }
};

/// Returns the pairs of a step. On a host every thread gets several steps, in whole words of bits.
template <class ExecutionSpace>
int step_pairs(const ExecutionSpace& exec, Ordinal num_pairs) {
  if constexpr (!is_host_space<ExecutionSpace>) {
    (void)exec, (void)num_pairs;
    return 1;
  } else {
    const int share = num_pairs / (4 * concurrency(exec)) / lock_step_lanes * lock_step_lanes;
    return share < lock_step_lanes                   ? lock_step_lanes
           : share > most_step_pairs<ExecutionSpace> ? most_step_pairs<ExecutionSpace>
                                                     : share;
  }
}

/// Launches a kernel over all pairs, `kernel.pairs` at a time.
template <class ExecutionSpace, class Kernel>
void launch_pairs(const ExecutionSpace& exec, const std::string& label, const Kernel& kernel) {
  const Ordinal steps =
      kernel.A.num_pairs / kernel.pairs + (kernel.A.num_pairs % kernel.pairs > 0 ? 1 : 0);
  Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, steps), kernel);
}

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

/// Adds `value x(row)` to the sums of \p plan, as integers.
template <bool absolute, class ExecutionSpace, class Scalar, class Plan>
void add_pairs_fixed(const ExecutionSpace& exec, const Plan& plan,
                     const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     const Scalar* x, double column_bound, int bits, const std::string& label) {
  using Add = AddPairsFixed<Scalar, absolute>;
  launch_pairs(
      exec, label,
      AddPairsTransposed<Scalar, Add, most_step_pairs<ExecutionSpace>>{
          PairBlocks<Scalar>(A), x,
          Add{plan.bound().data(), column_bound, bits, plan.sums().data(), plan.faults().data()},
          step_pairs(exec, A.num_pairs())});
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> {
  using Matrix = PairBlockedMatrix<Scalar, MemorySpace>;

  static void multiply(const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>&,
                       const Matrix& A, const ProductTarget<Scalar>& target) {
    launch_pairs(exec, "Tomokkos::spmv::pair_blocked",
                 SpmvPairs<Scalar, most_step_pairs<ExecutionSpace>>{
                     PairBlocks<Scalar>(A), target, step_pairs(exec, A.num_pairs())});
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
PairBlockedPlan<ExecutionSpace, Scalar>::PairBlockedPlan(const ExecutionSpace& exec,
                                                         const matrix_type& A, PairTranspose method)
    : method_(method) {
  if (method == PairTranspose::atomic) return;
  const double largest = Impl::largest_pair_value(exec, A);
  require(largest == 0 || (largest >= 0x1p-900 && largest <= 0x1p900),
          "paired rows: for A^T x with integer sums the largest value must be finite and between "
          "1e-270 and 1e270; scale the matrix");
  sums_ = allocate<Vector<long long, memory_space>>(exec, "Tomokkos::PairBlockedPlan::sums",
                                                    A.num_cols);
  faults_ = allocate<Vector<unsigned char, memory_space>>(exec, "Tomokkos::PairBlockedPlan::faults",
                                                          A.num_cols);
  bound_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::PairBlockedPlan::bound", 1);
  Kokkos::deep_copy(exec, sums_, 0LL);
  Kokkos::deep_copy(exec, faults_, static_cast<unsigned char>(0));
  if (largest > 0) {
    // Bounds the sums of |A| with integer sums. The unit is so large that no sum can overflow, and
    // the bound has the same bits on every run. Each term has an error of half a unit.
    const double loose = largest * A.num_rows;
    const int bits = Impl::column_sum_bits<long long>(A.num_rows);
    const auto ones =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PairBlockedPlan::ones", A.num_rows);
    Kokkos::deep_copy(exec, ones, Scalar(1));
    Kokkos::deep_copy(exec, bound_, 1.0);
    Impl::add_pairs_fixed<true>(exec, *this, A, ones.data(), loose, bits,
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
void spmv_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
                    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_operands(Impl::Operand("x", x, "rows of A", A.num_rows),
                         Impl::Operand("y", y, "columns of A", A.num_cols));
  if (plan.method() == PairTranspose::atomic) {
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::pair_blocked::atomic::scale",
        Impl::element_range(exec, y.extent(0)),
        Impl::ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{y, beta});
    using Add = Impl::AddPairsAtomically<Scalar>;
    Impl::launch_pairs(exec, "Tomokkos::spmv_transpose::pair_blocked::atomic",
                       Impl::AddPairsTransposed<Scalar, Add, Impl::most_step_pairs<ExecutionSpace>>{
                           Impl::PairBlocks<Scalar>(A), x.data(), Add{y.data(), alpha},
                           Impl::step_pairs(exec, A.num_pairs())});
    return;
  }
  require(plan.sums().extent(0) == y.extent(0), "the plan of A^T x belongs to another matrix");
  const int bits = Impl::column_sum_bits<long long>(A.num_rows);
  Impl::largest_finite(exec, Impl::pairs_largest, x.data(), A.num_rows, 1, plan.bound());
  Impl::add_pairs_fixed<false>(exec, plan, A, x.data(), plan.column_bound(), bits,
                               "Tomokkos::spmv_transpose::pair_blocked::fixed_point");
  Impl::store_fixed_sums(
      exec, "Tomokkos::spmv_transpose::pair_blocked::fixed_point::finish",
      static_cast<Offset>(y.extent(0)),
      Impl::FixedSums<Scalar, long long>{plan.bound().data(), plan.column_bound(), bits, alpha,
                                         beta, plan.sums().data(), plan.faults().data(), y.data()});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, PairBlockedMatrix<SCALAR, SPACE::memory_space>) \
  template class PairBlockedPlan<SPACE, SCALAR>;                                               \
  template void spmv_transpose<SPACE, SCALAR>(                                                 \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                                     \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const VectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
