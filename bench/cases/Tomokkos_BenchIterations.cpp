// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchIterations.hpp"

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_CirculantOptions.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "Tomokkos_BenchQuality.hpp"

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace>
using Doubles = Kokkos::View<double*, MemorySpace>;

constexpr double start_value = 0.75;
constexpr double smallest_sum = 1e-6;  // default of the solvers, for entries near 1

/// Operator of our solvers made of two products of any library. Supports only plain products, which
/// is all that the solvers need here.
template <class ExecutionSpace, class Scalar>
class ProductOperator {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Input = MultiVectorView<const Scalar, MemorySpace>;
  using Output = MultiVectorView<Scalar, MemorySpace>;

  ProductOperator(Ordinal num_rows, Ordinal num_cols, Product<Scalar> forward,
                  Product<Scalar> backward)
      : num_rows_(num_rows),
        num_cols_(num_cols),
        forward_(std::move(forward)),
        backward_(std::move(backward)) {}

  Ordinal num_rows() const { return num_rows_; }
  Ordinal num_cols() const { return num_cols_; }

  void apply(const ExecutionSpace&, Scalar alpha, const Input& X, Scalar beta,
             const Output& Y) const {
    require_plain(alpha, X, beta);
    forward_.run(X.data(), Y.data());
  }
  void apply_transpose(const ExecutionSpace&, Scalar alpha, const Input& X, Scalar beta,
                       const Output& Y) const {
    require_plain(alpha, X, beta);
    backward_.run(X.data(), Y.data());
  }

 private:
  static void require_plain(Scalar alpha, const Input& X, Scalar beta) {
    require(alpha == Scalar(1) && beta == Scalar(0) && X.extent(1) == 1,
            "this operator computes only y = A x with one vector");
  }

  Ordinal num_rows_, num_cols_;
  Product<Scalar> forward_, backward_;
};

// Steps of the reference. Every functor is one line of the iteration in double.

template <class Scalar, class MemorySpace>
struct SmallestValue {
  Kokkos::View<const Scalar*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Offset k, double& smallest) const {
    if (static_cast<double>(values(k)) < smallest) smallest = static_cast<double>(values(k));
  }
};

template <class MemorySpace>
struct MakeTruth {
  Kokkos::View<const double*, MemorySpace> random;  // in [-1, 1)
  Doubles<MemorySpace> truth;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { truth(i) = 1.0 + 0.5 * random(i); }
};

/// Computes the vector that is projected back: the ratio of MLEM, or the weighted residual of SIRT,
/// with its magnitudes.
template <class Scalar, class MemorySpace>
struct RowStep {
  bool is_mlem;
  Vector<Scalar, MemorySpace> data;
  Kokkos::View<const double*, MemorySpace> projection, row_sum;
  Doubles<MemorySpace> step, magnitude;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const auto g = static_cast<double>(data(i));
    const double p = projection(i);
    if (is_mlem) {
      step(i) = p > 0 ? g / p : 0.0;
      magnitude(i) = step(i);
    } else {
      const double weight = row_sum(i) > smallest_sum ? 1.0 / row_sum(i) : 0.0;
      step(i) = weight * (g - p);
      magnitude(i) = weight * (g + p);
    }
  }
};

/// Computes the first iterate and its bound.
template <class MemorySpace>
struct ColumnStep {
  bool is_mlem;
  double unit, longest_row, largest_sum;
  ProductReference<MemorySpace> column_sum;
  Kokkos::View<const double*, MemorySpace> step, magnitude;
  Doubles<MemorySpace> value, bound;

  KOKKOS_FUNCTION void operator()(const Ordinal j) const {
    const double sum = column_sum.value(j);
    const bool active = sum > (is_mlem ? smallest_sum * largest_sum : smallest_sum);
    // The relative bound of a column sum is K u (nnz_j + 2). Column sums occur in the sensitivity
    // and in the back-projection, row sums in the projections; a few single operations are added.
    const double relative =
        active ? 2.0 * column_sum.bound(j) / sum + 4.0 * unit * (longest_row + 16.0) : 0.0;
    if (is_mlem) {
      value(j) = active ? start_value / sum * step(j) : 0.0;
      bound(j) = relative * value(j);
    } else {
      value(j) = start_value + (active ? step(j) / sum : 0.0);
      bound(j) = relative * (start_value + (active ? magnitude(j) / sum : 0.0));
    }
  }
};

template <class MemorySpace>
struct LargestValue {
  Kokkos::View<const double*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Ordinal i, double& largest) const {
    if (values(i) > largest) largest = values(i);
  }
};

/// True if the transposed product reads the matrix of the forward product.
template <class Scalar>
bool reads_forward_matrix(const Product<Scalar>& back) {
  return back.variant.substr(0, back.variant.find(':')) != "stored";
}

}  // namespace

template <class ExecutionSpace, class Scalar>
struct IterationBench<ExecutionSpace, Scalar>::Problem {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Operator = AnyOperator<ExecutionSpace, Scalar>;

  ExecutionSpace exec;
  Ordinal num_rows = 0, num_cols = 0;
  bool is_mlem;
  TimingOptions timing;
  Vector<Scalar, MemorySpace> data;
  Vector<Scalar, MemorySpace> image;  // scratch of the current candidate
  ProductReference<MemorySpace> reference;

  auto range(Ordinal n) const { return Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n); }

  Doubles<MemorySpace> filled(const char* label, Ordinal n, double value) const {
    const auto x = allocate<Doubles<MemorySpace>>(exec, label, n);
    Kokkos::deep_copy(exec, x, value);
    exec.fence();
    return x;
  }

  std::size_t vector_bytes() const {
    return sizeof(Scalar) * (static_cast<std::size_t>(num_rows) + num_cols);
  }

  void build(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
    exec = matrix_case.exec();
    num_rows = matrix_case.num_rows();
    num_cols = matrix_case.num_cols();
    const auto values = matrix_case.values();
    double smallest = 0;
    Kokkos::parallel_reduce(
        "Tomokkos::bench::smallest_value", Impl::element_range(exec, values.extent(0)),
        SmallestValue<Scalar, MemorySpace>{values}, Kokkos::Min<double>(smallest));
    if (smallest < 0)
      throw Error("the matrix has negative entries; MLEM and SIRT need entries of at least 0");

    const auto forward = [&](const auto& x) { return matrix_case.multiply(false, x); };
    const auto backward = [&](const auto& x) { return matrix_case.multiply(true, x); };
    const auto truth = filled("Tomokkos::Bench::truth", num_cols, 0);
    Kokkos::parallel_for(
        "Tomokkos::bench::truth", range(num_cols),
        MakeTruth<MemorySpace>{widen<ExecutionSpace, Scalar>(exec, matrix_case.x(false)), truth});
    exec.fence();
    data = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::data", num_rows);
    image = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::image", num_cols);
    convert_into(exec, forward(truth).value, data);

    const auto column_sum = backward(filled("Tomokkos::Bench::ones", num_rows, 1));
    const auto row_sum = forward(filled("Tomokkos::Bench::ones", num_cols, 1));
    const auto projection = forward(filled("Tomokkos::Bench::start", num_cols, start_value));
    const auto step = filled("Tomokkos::Bench::step", num_rows, 0);
    const auto magnitude = filled("Tomokkos::Bench::magnitude", num_rows, 0);
    Kokkos::parallel_for("Tomokkos::bench::row_step", range(num_rows),
                         RowStep<Scalar, MemorySpace>{is_mlem, data, projection.value,
                                                      row_sum.value, step, magnitude});
    exec.fence();
    double largest_sum = 0;
    Kokkos::parallel_reduce("Tomokkos::bench::largest_sum", range(num_cols),
                            LargestValue<MemorySpace>{column_sum.value},
                            Kokkos::Max<double>(largest_sum));
    const auto value = filled("Tomokkos::Bench::iterate", num_cols, 0);
    const auto bound = filled("Tomokkos::Bench::bound", num_cols, 0);
    const double unit = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    const auto longest = static_cast<double>(matrix_case.longest_row());
    Kokkos::parallel_for(
        "Tomokkos::bench::column_step", range(num_cols),
        ColumnStep<MemorySpace>{is_mlem, unit, longest, largest_sum, column_sum,
                                backward(step).value, backward(magnitude).value, value, bound});
    exec.fence();
    reference = {value, bound};
  }

  /// Returns the mean seconds of one of \p iterations iterations, timed from the first to the last
  /// iterate.
  template <class Solver>
  double run(Solver& solver, const Operator& A, int iterations) const {
    using Clock = std::chrono::steady_clock;
    Kokkos::deep_copy(exec, image, Scalar(start_value));
    Clock::time_point first, last;
    solver.solve(exec, A, data, image,
                 [&](const ExecutionSpace&, const MonitorState<ExecutionSpace, Scalar>& state) {
                   last = Clock::now();
                   if (state.record().iteration == 0) first = last;
                   return MonitorAction::proceed;
                 });
    exec.fence();
    return std::chrono::duration<double>(last - first).count() / iterations;
  }

  double run(const Operator& op, int iterations) const {
    if (is_mlem) {
      MlemParams params;
      params.iterations = iterations;
      params.check_every = iterations;
      params.log_likelihood = false;
      Mlem<ExecutionSpace, Scalar> solver(exec, num_rows, num_cols, params);
      return run(solver, op, iterations);
    }
    SirtParams params;
    params.iterations = iterations;
    params.check_every = iterations;
    Sirt<ExecutionSpace, Scalar> solver(exec, num_rows, num_cols, params);
    return run(solver, op, iterations);
  }

  /// Returns `|x - x_plain| / |x_plain|` of the images computed with \p rounded and with \p plain.
  double rmse_to_plain(const Operator& rounded, const Operator& plain) const {
    run(plain, quality_iterations);
    const auto expected =
        allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::plain_image", num_cols);
    Kokkos::deep_copy(exec, expected, image);
    run(rounded, quality_iterations);
    return relative_distance<ExecutionSpace, Scalar>(exec, image, expected);
  }
};

template <class ExecutionSpace, class Scalar>
IterationBench<ExecutionSpace, Scalar>::IterationBench(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, Operation operation,
    const TimingOptions& timing) {
  const auto problem = std::make_shared<Problem>();
  problem->is_mlem = operation == Operation::mlem_iteration;
  problem->timing = timing;
  problem->build(matrix_case);
  problem_ = problem;
}

template <class ExecutionSpace, class Scalar>
IterationBench<ExecutionSpace, Scalar>::~IterationBench() = default;

template <class ExecutionSpace, class Scalar>
void IterationBench<ExecutionSpace, Scalar>::add(CandidateList& list,
                                                 const ProductList<Scalar>& forward,
                                                 const ProductList<Scalar>& backward) const {
  for (const Product<Scalar>& back : backward.entries()) {
    list.attempt(forward.library(), back.format, back.variant, [&] {
      const auto problem = problem_;
      const Product<Scalar>* there = forward.find_or_first(back.format, forward_name(back.variant));
      require(there != nullptr, "this library has no forward product with this matrix");

      const auto op = std::make_shared<const AnyOperator<ExecutionSpace, Scalar>>(
          ProductOperator<ExecutionSpace, Scalar>(problem->num_rows, problem->num_cols, *there,
                                                  back));
      const auto plain_operator = [&]() -> std::shared_ptr<const typename Problem::Operator> {
        const std::string plain = plain_format(back.format);
        const Product<Scalar>* plain_back = backward.find_or_first(plain, back.variant);
        if (plain.empty() || plain_back == nullptr) return nullptr;
        const Product<Scalar>* plain_there =
            forward.find_or_first(plain, forward_name(plain_back->variant));
        if (plain_there == nullptr) return nullptr;
        return std::make_shared<const typename Problem::Operator>(
            ProductOperator<ExecutionSpace, Scalar>(problem->num_rows, problem->num_cols,
                                                    *plain_there, *plain_back));
      };
      // Bytes: the products, `4 num_rows` values in the ratio or residual, `4 num_cols` in the
      // update.
      const std::size_t products =
          there->matrix_bytes + back.matrix_bytes + 2 * problem->vector_bytes();
      Candidate candidate;
      candidate.bytes_model = products + 4 * problem->vector_bytes();
      candidate.footprint_bytes = products + problem->vector_bytes();
      const bool one_copy = back.copy != nullptr && back.copy == there->copy;
      const std::size_t shared = one_copy ? std::min(there->memory_bytes, back.memory_bytes)
                                 : reads_forward_matrix(back) ? there->matrix_bytes
                                                              : 0;
      candidate.memory_bytes =
          there->memory_bytes + back.memory_bytes - shared + 3 * problem->vector_bytes();
      candidate.setup_seconds = there->setup_seconds + (one_copy ? 0 : back.setup_seconds);
      candidate.fill = 0.5 * (there->fill + back.fill);
      if (there->choice == back.choice) candidate.choice = back.choice;
      candidate.launch = [problem, op] { problem->run(*op, 1); };
      candidate.fence = [problem] { problem->exec.fence(); };
      const auto iterations = std::make_shared<int>(0);
      candidate.time_itself = [problem, op, iterations] {
        constexpr int fewest = 5, most = 500;
        if (*iterations == 0) {
          const double seconds = std::max(problem->run(*op, fewest), 1e-9);
          *iterations =
              static_cast<int>(std::clamp(std::ceil(problem->timing.seconds_per_sample / seconds),
                                          static_cast<double>(fewest), static_cast<double>(most)));
        }
        return problem->run(*op, *iterations);
      };
      if (const auto plain = plain_operator())
        candidate.rmse_to_plain = [problem, op, plain] {
          return problem->rmse_to_plain(*op, *plain);
        };
      candidate.poison = [problem] {
        Kokkos::deep_copy(problem->exec, problem->image, std::numeric_limits<Scalar>::quiet_NaN());
        problem->exec.fence();
      };
      candidate.error = [problem] {
        return largest_error<ExecutionSpace, Scalar>(problem->exec, problem->reference,
                                                     problem->image);
      };
      return candidate;
    });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class IterationBench<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
