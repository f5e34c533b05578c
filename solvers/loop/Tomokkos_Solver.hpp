// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_SolveArguments.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <Tomokkos_SolverKind.hpp>
#include <Tomokkos_StopRules.hpp>
#include <cstdint>
#include <impl/Tomokkos_MissingData.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Treatment of a NaN in the data: an error, or a ray that was not measured in this slice.
///
/// A missing ray has residual 0 in its slice (MLEM: ratio 0). It does not count in norms, sums of
/// counts and the likelihood, nor in the column sums and sensitivities of its slice. The result is
/// that of the problem with only the measured rays, at every iterate. Slices that lack the same
/// rays share their weights. A ray that no slice has measured is better removed from A.
enum class NanData { refused, missing };

/// \brief Describes the parameter that sets how often the host checks.
template <class Visitor, class Params>
void describe_check_interval(Visitor&& key, Params& params) {
  key.integer("check_every", params.check_every, 1, max_count,
              "Iterations between checks by the host (stop rules, progress, checkpoints).");
}

/// \brief Describes the parameters of iterations that move towards the data and keep x within
/// bounds.
template <class Visitor, class Params>
void describe_steps(Visitor&& key, Params& params) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  key.number("relaxation", params.relaxation, KeyRange::relaxation(),
             "Factor of every step, between 0 and 2.");
  key.number_or_none("minimum", params.minimum, -infinity, {},
                     "The image is not below this after any step.");
  key.number_or_none("maximum", params.maximum, infinity, {},
                     "The image is not above this after any step.");
}

/// \brief Properties of the solver whose parameters are `Params`.
///
/// `Type<ExecutionSpace, Scalar>` is its class, `task` its task, and `supports_ranks` says whether
/// it solves systems distributed over ranks. Solvers that measure the whiteness of the residual for
/// stop rules have `measures_whiteness`.
template <class Params>
struct SolverOf;

/// \brief Solver of `A x = b` for a fixed shape, with its workspace.
///
/// `solve` starts from the contents of x, leaves the result in x and returns a summary. It prints
/// nothing, reads no clock, and allocates no device memory once the iterations have begun. The
/// scalars that steer it stay on the device. The host checks every `check_every` iterations, and
/// not at all (up to 65536 iterations) if no stop rule is active and there is no monitor. A check
/// takes place between the forward product, which yields the residual of `x_k`, and the update. The
/// result therefore refers to the x that is returned. One object serves one execution-space
/// instance and one thread at a time; distinct objects may run at once.
///
/// A single vector is a stack of one slice. The s slices of a stack are the columns of row-major
/// multivectors, B `num_rows x s` and X `num_cols x s`. Each slice has its own scalars, its own
/// stop and its own result. A stopped slice is frozen: its column of X stays as it is returned. If
/// `solves_columns_together()`, all slices share one pass over A. If the product of A sums the
/// entries of a column in the same order as those of a vector, slice j equals the result of `solve`
/// for column j alone, bit for bit. Otherwise the two differ by rounding, as for any two orders of
/// summation.
///
/// With k ordered subsets (`RowSubsets`) an iteration consists of k updates, one per subset, in the
/// order of the rows. It moves about as many bytes as an iteration without subsets. Stop rules,
/// monitor and history refer to whole iterations. An iterate is measured only when the host checks,
/// because the measurement needs an additional product; all other records contain only their
/// number.
template <class ExecutionSpace, class Scalar>
class Solver {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename Impl::CompiledSpace<ExecutionSpace>::memory_space;
  using scalar_type = Scalar;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;

  virtual ~Solver() = default;

  /// \brief Iterates from the start in \p X and overwrites it with the result.
  ///
  /// \param A operator of the shape for which the solver was built
  /// \param B data, `num_rows x s`
  /// \param X start and result, `num_cols x s`
  /// \param monitor callback at every check; empty: none
  /// \return one result per slice
  /// \throws Error when shapes differ, arrays overlap, or the data are not finite
  virtual std::vector<SolveResult> solve(const ExecutionSpace& exec, const OperatorType& A,
                                         const ConstMultiVectorType& B, const MultiVectorType& X,
                                         const Monitor<ExecutionSpace, Scalar>& monitor = {}) = 0;

  /// \brief Solves for a single right-hand side.
  SolveResult solve(const ExecutionSpace& exec, const OperatorType& A, const ConstVectorType& b,
                    const VectorType& x, const Monitor<ExecutionSpace, Scalar>& monitor = {}) {
    return std::move(solve(exec, A, as_multivector(b), as_multivector(x), monitor).front());
  }

  /// \brief Does not compile: explains a call in which an argument has a wrong type.
  template <class A, class B, class X, class M = Monitor<ExecutionSpace, Scalar>>
  requires(!Impl::SolveArguments<ExecutionSpace, Scalar>::template fit<A, B, X, M>) SolveResult
      solve(const ExecutionSpace&, const A&, const B&, const X&, const M& = {}) {
    Impl::SolveArguments<ExecutionSpace, Scalar>::template explain<A, B, X, M>();
    return {};
  }

  /// \brief Returns whether the slices of a stack share each pass over A. Otherwise they are solved
  /// one after the other, and a monitor sees one at a time.
  virtual bool solves_columns_together() const { return true; }

  /// \brief Precomputes everything that each solve with \p A would compute again. Solves with the
  /// same object use it until another operator is prepared.
  virtual void prepare(const ExecutionSpace& exec, const OperatorType& A) { (void)exec, (void)A; }

  /// \brief Makes the next solve continue from \p progress and the x that belongs to it.
  ///
  /// The result has the same bits as without the interruption, and the whole history.
  ///
  /// \param progress state saved by a solver with the same parameters, except the number of
  /// iterations
  /// \throws Error when the solver does not support this
  virtual void resume(SolveProgress progress);

  /// \brief Returns the bytes of device memory that the solver holds.
  virtual std::size_t workspace_bytes() const = 0;

  /// \brief Returns the bytes that one iteration with \p A must move.
  virtual std::size_t iteration_bytes(const OperatorType& A) const = 0;

 protected:
  Solver() = default;
  Solver(const Solver&) = default;
  Solver(Solver&&) noexcept = default;
  Solver& operator=(const Solver&) = default;
  Solver& operator=(Solver&&) noexcept = default;
};

template <class ExecutionSpace, class Scalar>
void Solver<ExecutionSpace, Scalar>::resume(SolveProgress) {
  throw Refused("this solver holds more than its image and cannot be resumed");
}

/// \brief Throws `DimensionMismatch` unless A is `num_rows x num_cols` and b and x match it.
void require_shapes(Ordinal A_rows, Ordinal A_cols, Ordinal num_rows, Ordinal num_cols,
                    std::size_t b_length, std::size_t x_length);

/// \brief Throws `DimensionMismatch` unless A, B and X match a stack of \p num_slices columns.
void require_stack_shapes(Ordinal A_rows, Ordinal A_cols, Ordinal num_rows, Ordinal num_cols,
                          Ordinal num_slices, std::size_t B_rows, std::size_t B_columns,
                          std::size_t X_rows, std::size_t X_columns);

/// \brief Throws `Error` unless \p num_slices is positive; returns it.
Ordinal require_slices(Ordinal num_slices);

/// \brief Throws `Error` if \p length is negative; returns it.
///
/// \param what the quantity, for example `"number of rows"`
Ordinal require_length(const char* what, Ordinal length);

/// \brief Throws `Error` if \p iterations is negative, \p check_every is not positive, a rule is
/// invalid, or a rule needs the whiteness of the residual and the solver does not measure it.
void require_loop_params(int iterations, int check_every, const StopRules& rules,
                         bool measures_whiteness = false);

/// \brief Throws `Error` unless \p subsets and \p unit are positive.
void require_subsets(int subsets, Ordinal unit);

/// \brief Throws `Error` unless `0 < relaxation < 2`.
void require_relaxation(double relaxation);

/// \brief Throws `Error` unless \p decay is finite and not negative.
void require_relaxation_decay(double decay);

/// \brief Throws `Error` unless `minimum <= maximum`.
void require_box(double minimum, double maximum);

/// \brief Throws `Error` if an entry of \p x is not finite or is below \p minimum.
///
/// The message names the first such entry, with its row and slice if x holds \p columns columns
/// side by side. NaN is accepted if \p nan_data says so. Refuses a host thread from which this
/// version of Kokkos cannot launch. Cost: one pass over x, one fence of \p exec.
template <class ExecutionSpace, class Scalar>
void require_entries(const ExecutionSpace& exec, const char* name,
                     const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                     double minimum = -std::numeric_limits<double>::infinity(),
                     std::size_t columns = 1, NanData nan_data = NanData::refused);

/// \brief Throws `Error` if two Views share memory: a solver reads its inputs while it writes x.
template <class First, class Second>
void require_apart(const char* first_name, const First& first, const char* second_name,
                   const Second& second) {
  if (first.size() == 0 || second.size() == 0) return;
  const auto begin = [](const auto& view) { return reinterpret_cast<std::uintptr_t>(view.data()); };
  const auto end = [&](const auto& view) {
    return begin(view) + view.size() * sizeof(*view.data());
  };
  require(end(first) <= begin(second) || end(second) <= begin(first),
          std::string(first_name) + " and " + second_name +
              " overlap in memory; a solver needs two separate arrays");
}

/// \brief Returns the bytes that a forward and a transposed product of \p A with \p slices vectors
/// must move. An operator that does not report its bytes counts as 0.
template <class ExecutionSpace, class Scalar>
std::size_t product_bytes(const AnyOperator<ExecutionSpace, Scalar>& A, Ordinal slices) {
  return A.apply_bytes(slices) + A.apply_transpose_bytes(slices);
}

namespace Impl {

/// Calls `solve_column(b, x)` for one column after the other. A single column is used in place; the
/// columns of a stack are copied.
template <class ExecutionSpace, class Scalar, class MemorySpace, class SolveColumn>
std::vector<SolveResult> solve_columns(const ExecutionSpace& exec,
                                       const MultiVectorView<const Scalar, MemorySpace>& B,
                                       const MultiVectorView<Scalar, MemorySpace>& X,
                                       const SolveColumn& solve_column) {
  require_equal("columns of x", static_cast<long long>(X.extent(1)), "the columns of b",
                static_cast<long long>(B.extent(1)));
  if (B.extent(1) == 1) return {solve_column(as_vector(B), as_vector(X))};
  const auto b = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Solver::b", B.extent(0));
  const auto x = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Solver::x", X.extent(0));
  std::vector<SolveResult> results;
  for (std::size_t j = 0; j < B.extent(1); ++j) {
    const auto column = Kokkos::subview(X, Kokkos::ALL(), j);
    Kokkos::deep_copy(exec, b, Kokkos::subview(B, Kokkos::ALL(), j));
    Kokkos::deep_copy(exec, x, column);
    results.push_back(solve_column(b, x));
    Kokkos::deep_copy(exec, column, x);
  }
  Impl::fence(exec, "solve_columns: the last column must have been copied");
  return results;
}

/// Finds the first index whose entry is neither a finite number of at least `minimum` nor an
/// allowed NaN.
template <class Scalar, class MemorySpace>
struct FirstBadEntry {
  VectorView<const Scalar, MemorySpace> x;
  double minimum, largest;
  bool nan_is_good = false;

  KOKKOS_FUNCTION void operator()(const Offset i, Offset& first) const {
    const double value = static_cast<double>(x(i));
    const bool good =
        is_missing(value) ? nan_is_good : value >= minimum && value <= largest && value >= -largest;
    if (!good && i < first) first = i;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void require_entries(const ExecutionSpace& exec, const char* name,
                     const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                     double minimum, std::size_t columns, NanData nan_data) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::require_launches<ExecutionSpace>();
  const Offset n = static_cast<Offset>(x.extent(0));
  Offset first = std::numeric_limits<Offset>::max();
  Kokkos::parallel_reduce("Tomokkos::solver::require_entries",
                          Impl::element_range(exec, x.extent(0)),
                          Impl::FirstBadEntry<Scalar, MemorySpace>{
                              x, minimum, static_cast<double>(std::numeric_limits<Scalar>::max()),
                              nan_data == NanData::missing},
                          Kokkos::Min<Offset>(first));
  Impl::fence(exec, "require_entries: the index must have arrived");
  if (first >= n) return;
  Scalar value;
  const Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      &value, 1);
  Kokkos::deep_copy(exec, host, VectorView<const Scalar, MemorySpace>(x.data() + first, 1));
  Impl::fence(exec, "require_entries: the value must have arrived");
  const bool finite = value - value == Scalar(0);
  const Offset stride = static_cast<Offset>(columns);
  const std::string slice = columns > 1 ? " of slice " + std::to_string(first % stride) : "";
  throw Refused(
      "entry " + std::to_string(first / stride) + " of " + name + slice + " is " +
      describe_number(static_cast<double>(value)) +
      (finite ? "; it must be at least " + describe_number(minimum) : "; it must be finite"));
}

#define TOMOKKOS_EXTERN(ExecutionSpace, Scalar)                                                    \
  extern template void require_entries<ExecutionSpace, Scalar>(                                    \
      const ExecutionSpace&, const char*,                                                          \
      const VectorView<const Scalar, typename ExecutionSpace::memory_space>&, double, std::size_t, \
      NanData);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_EXTERN)
#undef TOMOKKOS_EXTERN

}  // namespace Tomokkos
