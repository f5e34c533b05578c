// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_PairBlockedKernels.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

inline constexpr const char* pairs_largest = "Tomokkos::pair_blocked::largest_entry";

/// The largest absolute value of A; infinite where one is not finite.
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

/// Adds `value x(row)` to the sums of \p plan, in whole numbers.
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
  require(
      largest == 0 || (largest >= 0x1p-900 && largest <= 0x1p900),
      "paired rows: for A^T x in whole numbers the largest value must be finite and lie between "
      "1e-270 and 1e270; scale the matrix");
  sums_ = allocate<Vector<long long, memory_space>>(exec, "Tomokkos::PairBlockedPlan::sums",
                                                    A.num_cols);
  faults_ = allocate<Vector<unsigned char, memory_space>>(exec, "Tomokkos::PairBlockedPlan::faults",
                                                          A.num_cols);
  bound_ = allocate<Vector<double, memory_space>>(exec, "Tomokkos::PairBlockedPlan::bound", 1);
  Kokkos::deep_copy(exec, sums_, 0LL);
  Kokkos::deep_copy(exec, faults_, static_cast<unsigned char>(0));
  if (largest > 0) {
    // Sums of |A| in whole numbers of a unit that no sum can leave: a bound with the same bits on
    // every run. Each term is off by half a unit.
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
  require(plan.sums().extent(0) == y.extent(0), "the plan of A^T x is of another matrix");
  const int bits = Impl::column_sum_bits<long long>(A.num_rows);
  Impl::largest_finite(exec, Impl::pairs_largest, x.data(), A.num_rows, 1, plan.bound());
  Impl::add_pairs_fixed<false>(exec, plan, A, x.data(), plan.column_bound(), bits,
                               "Tomokkos::spmv_transpose::pair_blocked::fixed_point");
  Impl::take_fixed_sums(
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
