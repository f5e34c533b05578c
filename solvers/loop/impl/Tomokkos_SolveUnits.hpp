// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scaled units in which a system is solved. Solvers square residuals and products with the matrix,
// and these squares overflow or underflow long before the numbers themselves do, for vectors in
// float even earlier. A system far from 1 is therefore solved as `(s A) x' = t b`, with powers of
// four s and t that bring the matrix and the right-hand side near 1, and `x = s / t x'`. The
// scaling changes no bit of numbers that stay in range in both units. A system that is not far from
// 1 is solved unscaled.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_StopRules.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_MissingData.hpp>
#include <impl/Tomokkos_OperatorInUnits.hpp>
#include <impl/Tomokkos_RangeOfSquares.hpp>
#include <impl/Tomokkos_SliceKernels.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Exponents of two beyond which a system is solved in scaled units; norms within this range are
/// left unchanged. If both norms are within it, the squares of residuals down to rounding level,
/// and of products with the matrix, keep all digits.
template <class Scalar>
struct SafeExponents {
  static constexpr bool is_double = std::is_same_v<Scalar, double>;
  static constexpr int vector = is_double ? 200 : 40;
  static constexpr int matrix = is_double ? 200 : 40;
  /// Limit for solvers that multiply by A and its transpose in turn.
  static constexpr int normal_matrix = is_double ? 100 : 24;
};

/// Exponent of the power of four that brings `size` near 1; 0 if `size` is zero, not finite, or
/// within `safe` of 1.
inline int unit_exponent(double size, int safe) {
  if (!(size > 0) || !std::isfinite(size)) return 0;
  const int exponent = std::ilogb(size);
  if (std::abs(exponent) <= safe) return 0;
  return std::clamp(-(exponent - exponent % 2), -1020, 1020);
}

/// Fills with +1 or -1 times `size`, without a pattern.
template <class Scalar, class MemorySpace>
struct FillWithSigns {
  VectorView<Scalar, MemorySpace> x;
  Scalar size;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    auto bits = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ (bits >> 29)) * 0xBF58476D1CE4E5B9u;
    x(i) = (bits >> 63) != 0 ? size : -size;
  }
};

/// Size of a matrix: the largest entry of its product with a vector of signs; 0 if no product is
/// finite and nonzero. Needs more than one product only if numbers leave their range.
template <class ExecutionSpace, class Scalar>
double size_by_product(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
                       const Ranks* ranks) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto x =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::solver::signs", A.num_cols());
  const auto y =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::solver::product", A.num_rows());
  const int far = std::numeric_limits<Scalar>::max_exponent / 2;
  for (const int exponent : {0, -far, far}) {
    const auto size = static_cast<Scalar>(std::ldexp(1.0, exponent));
    Kokkos::parallel_for("Tomokkos::solver::signs", element_range(exec, x.extent(0)),
                         FillWithSigns<Scalar, MemorySpace>{x, size});
    A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, MemorySpace>(x)), Scalar(0),
            as_multivector(y));
    const double largest = largest_of_column<ExecutionSpace, Scalar>(
        exec, as_multivector(VectorView<const Scalar, MemorySpace>(y)), 0, ranks);
    if (largest > 0 && std::isfinite(largest)) return std::ldexp(largest, -exponent);
  }
  return 0;
}

/// Sets `to = 2^exponent from` in each column, by two factors that fit into double.
template <class Scalar, class MemorySpace>
struct ScaleColumns {
  VectorView<const double, MemorySpace> factors;
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < from.extent(1); ++j)
      to(i, j) = static_cast<Scalar>(static_cast<double>(from(i, j)) * factors(2 * j) *
                                     factors(2 * j + 1));
  }
};

/// Scaled units of one solve, and the solve in these units.
template <class ExecutionSpace, class Scalar>
class SolveUnits {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using In = MultiVectorView<const Scalar, MemorySpace>;
  using Out = MultiVectorView<Scalar, MemorySpace>;
  using Operator = AnyOperator<ExecutionSpace, Scalar>;
  using Watch = Monitor<ExecutionSpace, Scalar>;

  /// \param A the matrix in scaled units, `2^matrix_exponent` times the given one
  /// \param norms norms of the columns of B, as far as double holds their squares
  /// \param row_ranks, column_ranks ranks over which B and X are distributed, or null
  SolveUnits(const ExecutionSpace& exec, const Operator& A, int matrix_exponent, const In& B,
             const Out& X, const std::vector<double>& norms, const Ranks* row_ranks,
             const Ranks* column_ranks)
      : matrix_(matrix_exponent), row_ranks_(row_ranks), column_ranks_(column_ranks) {
    constexpr int safe = SafeExponents<Scalar>::vector;
    vectors_.assign(norms.size(), 0);
    from_zero_.assign(norms.size(), 0);
    std::vector<std::size_t> far;
    for (std::size_t j = 0; j < norms.size(); ++j)
      if (!(norms[j] >= std::ldexp(1.0, -safe) && norms[j] <= std::ldexp(1.0, safe)))
        far.push_back(j);
    std::vector<double> largest(norms.size(), 0.0);
    for (const std::size_t j : far)
      largest[j] = largest_of_column<ExecutionSpace, Scalar>(exec, B, j, row_ranks_);
    far.erase(std::remove_if(far.begin(), far.end(), [&](auto j) { return !(largest[j] > 0); }),
              far.end());
    if (far.empty()) return;
    // The first residual may be larger than b.
    const auto product =
        allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::SolveUnits::start", B.size());
    const Out image(product.data(), B.extent(0), B.extent(1));
    A.apply(exec, Scalar(1), X, Scalar(0), image);
    for (const std::size_t j : far) {
      const double start = largest_of_column<ExecutionSpace, Scalar>(exec, image, j, row_ranks_);
      int exponent = std::ilogb(largest[j]);
      const bool counts = start > 0 && std::isfinite(start);
      const int of_start = counts ? std::ilogb(start) - matrix_ : exponent;
      // b is lost in the rounding of the first residual; start from zero instead.
      if (of_start > exponent + safe)
        from_zero_[j] = 1;
      else
        exponent = std::max(exponent, of_start);
      if (std::abs(exponent) > safe)
        vectors_[j] = std::clamp(-(exponent - exponent % 2), -1020, 1020);
    }
  }

  /// True if all numbers are near enough to 1 to be solved unscaled.
  bool are_given() const {
    return matrix_ == 0 && std::all_of(vectors_.begin(), vectors_.end(),
                                       [](int exponent) { return exponent == 0; });
  }

  /// Calls `solve(B', X', norms, rules, monitor)` in scaled units and leaves the solution in X.
  /// Throws `Error` if X cannot hold it; X is then restored to the start.
  template <class Solve>
  std::vector<SolveResult> solve(const ExecutionSpace& exec, const Operator& A, const In& B,
                                 const Out& X, const StopRules& rules, const Watch& monitor,
                                 const Solve& solve) const {
    const auto b = array(exec, "Tomokkos::SolveUnits::b", B.extent(0));
    const auto x = array(exec, "Tomokkos::SolveUnits::x", X.extent(0));
    const auto start = array(exec, "Tomokkos::SolveUnits::start", X.extent(0));
    Kokkos::deep_copy(exec, start, X);
    scale(exec, B, b, [&](std::size_t j) { return vectors_[j]; });
    scale(exec, X, x, [&](std::size_t j) { return -solution_exponent(j); });
    for (std::size_t j = 0; j < from_zero_.size(); ++j)
      if (from_zero_[j] != 0)
        Kokkos::parallel_for("Tomokkos::solver::clear", element_range(exec, x.extent(0)),
                             ClearColumn<Scalar, MemorySpace>{x, static_cast<Offset>(j)});
    StopRules own_rules = rules;
    StopRules::for_active(own_rules, [&](auto& rule) { rule.scale(vectors_); });
    const std::vector<double> norms = norms_of(exec, b);
    std::vector<SolveResult> results;
    try {
      results = solve(In(b), Out(x), norms, own_rules, show_given(monitor, X));
      publish(exec, A, own_rules, norms, b, x, X, results);
    } catch (...) {
      Kokkos::deep_copy(exec, X, start);
      fence(exec, "SolveUnits: the start must be there again");
      throw;
    }
    for (std::size_t j = 0; j < results.size(); ++j) in_given_units(results[j], j);
    return results;
  }

 private:
  using Array = MultiVector<Scalar, MemorySpace>;

  Array array(const ExecutionSpace& exec, const char* label, std::size_t rows) const {
    return allocate<Array>(exec, label, rows, vectors_.size());
  }
  static const char* name() { return SafeExponents<Scalar>::is_double ? "double" : "float"; }
  std::string of_column(std::size_t j) const {
    return vectors_.size() > 1 ? " of slice " + std::to_string(j) : std::string();
  }
  /// Exponent e with `x = 2^e x'`.
  int solution_exponent(std::size_t j) const { return matrix_ - vectors_[j]; }

  template <class Exponent>
  void scale(const ExecutionSpace& exec, const In& from, const Out& to,
             const Exponent& exponent) const {
    std::vector<double> factors;
    for (std::size_t j = 0; j < vectors_.size(); ++j) {
      const int all = exponent(j), half = all / 2;
      factors.push_back(std::ldexp(1.0, half));
      factors.push_back(std::ldexp(1.0, all - half));
    }
    const auto device = allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::SolveUnits::factors",
                                                              factors.size());
    Kokkos::deep_copy(exec, device,
                      VectorView<const double, Kokkos::HostSpace>(factors.data(), factors.size()));
    Kokkos::parallel_for("Tomokkos::solver::scale_columns", element_range(exec, from.extent(0)),
                         ScaleColumns<Scalar, MemorySpace>{device, from, to});
    fence(exec, "SolveUnits: the factors must have been used");
  }

  /// Norms of the columns of an array that is distributed like B.
  std::vector<double> norms_of(const ExecutionSpace& exec, const In& B) const {
    const ReductionWorkspace<MemorySpace> reduction(exec, static_cast<Ordinal>(vectors_.size()));
    const auto squared = allocate<Vector<double, MemorySpace>>(
        exec, "Tomokkos::SolveUnits::squared", vectors_.size());
    measured_squares<ExecutionSpace, Scalar>(exec, reduction, B, squared);
    std::vector<double> norms = to_host_vector<ExecutionSpace>(exec, squared);
    if (row_ranks_ != nullptr) row_ranks_->sum(norms);
    for (auto& norm : norms) norm = std::sqrt(norm);
    return norms;
  }

  /// Writes x in the units of the user, where it may have fewer digits, and recomputes the
  /// residuals.
  void publish(const ExecutionSpace& exec, const Operator& A, const StopRules& rules,
               const std::vector<double>& norms, const Array& b, const Array& x, const Out& X,
               std::vector<SolveResult>& results) const {
    const auto largest = [&](const In& values, std::size_t j) {
      return largest_of_column<ExecutionSpace, Scalar>(exec, values, j, column_ranks_);
    };
    std::vector<double> found;
    for (std::size_t j = 0; j < results.size(); ++j) found.push_back(largest(x, j));
    scale(exec, x, X, [&](std::size_t j) { return solution_exponent(j); });
    for (std::size_t j = 0; j < results.size(); ++j)
      if (std::isfinite(found[j]) && !std::isfinite(largest(X, j))) refuse(j, found[j]);
    scale(exec, X, x, [&](std::size_t j) { return -solution_exponent(j); });
    const auto difference = array(exec, "Tomokkos::SolveUnits::difference", b.extent(0));
    A.apply(exec, Scalar(1), In(x), Scalar(0), Out(difference));
    axpby<ExecutionSpace, Scalar>(exec, Scalar(1), as_vector(In(b)), Scalar(-1),
                                  as_vector(Out(difference)));
    const std::vector<double> residuals = norms_of(exec, difference);
    for (std::size_t j = 0; j < results.size(); ++j) {
      SolveResult& result = results[j];
      if (!(residuals[j] > 1.01 * result.residual)) continue;
      IterationRecord honest;
      honest.iteration = std::max(result.iterations, rules.minimum_iterations);
      honest.residual = residuals[j];
      honest.relative_residual = norms[j] > 0 ? residuals[j] / norms[j] : 0;
      const bool claims =
          result.reason == StopReason::converged || result.reason == StopReason::discrepancy;
      if (claims && evaluate(rules, honest, j) != result.reason) refuse(j, found[j]);
      result.residual = *honest.residual;
      result.relative_residual = *honest.relative_residual;
    }
  }

  [[noreturn]] void refuse(std::size_t j, double largest) const {
    const double power = std::log10(largest) + solution_exponent(j) * std::log10(2.0);
    throw Refused("the solution" + of_column(j) + " is not representable in " + name() +
                  ": its largest entry is about 1e" +
                  std::to_string(static_cast<int>(std::lround(power))) +
                  "; multiply the right-hand side or the matrix by a number that brings it near 1" +
                  (SafeExponents<Scalar>::is_double ? "" : ", or solve in double"));
  }

  static void multiply(std::optional<double>& value, int exponent) {
    if (value) value = std::ldexp(*value, exponent);
  }

  void in_given_units(IterationRecord& record, std::size_t j) const {
    const int residual = -vectors_[j];
    multiply(record.residual, residual);
    multiply(record.change, solution_exponent(j));
    multiply(record.gradient, residual - matrix_);
    multiply(record.preconditioned_residual, residual + matrix_ / 2);
  }

  void in_given_units(SolveResult& result, std::size_t j) const {
    result.residual = std::ldexp(result.residual, -vectors_[j]);
    result.rhs_norm = std::ldexp(result.rhs_norm, -vectors_[j]);
    multiply(result.recursive_residual, -vectors_[j]);
    for (IterationRecord& record : result.history) in_given_units(record, j);
  }

  /// Wraps \p monitor so that it sees the solve in the given units; \p X is the memory for the
  /// iterate.
  Watch show_given(const Watch& monitor, const Out& X) const {
    if (!monitor) return {};
    return [this, &monitor, X](const ExecutionSpace& exec,
                               const MonitorState<ExecutionSpace, Scalar>& state) {
      std::vector<IterationRecord> records = state.records;
      for (std::size_t j = 0; j < records.size(); ++j) in_given_units(records[j], j);
      const bool has_x = state.x.data() != nullptr;
      if (has_x) scale(exec, state.x, X, [&](std::size_t j) { return solution_exponent(j); });
      return monitor(exec, {state.iteration, records, state.active, has_x ? In(X) : state.x,
                            state.last, state.progress});
    };
  }

  int matrix_;
  std::vector<int> vectors_;
  std::vector<char> from_zero_;  // 1: b is lost in the rounding of the first residual; start from
                                 // zero
  const Ranks* row_ranks_;
  const Ranks* column_ranks_;
};

}  // namespace Tomokkos::Impl
