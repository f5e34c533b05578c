// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSolvers.hpp"

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>

#include "Tomokkos_BenchOurProducts.hpp"
#include "Tomokkos_BenchQuality.hpp"

namespace Tomokkos::Bench {

/// Data and correct iterate. Not in the unnamed namespace: lambdas capture it, and GCC would warn
/// in a unity build.
template <class ExecutionSpace, class Scalar>
struct SolverProblem {
  using MemorySpace = typename ExecutionSpace::memory_space;

  ExecutionSpace exec;
  SolverParams params;
  TimingOptions timing;
  Vector<Scalar, MemorySpace> data, image, expected;

  double error() const {
    const double unit = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    const double distance = relative_distance<ExecutionSpace, Scalar>(exec, image, expected);
    return distance <= std::numeric_limits<double>::max() ? distance / std::sqrt(unit)
                                                          : std::numeric_limits<double>::max();
  }
};

namespace {

constexpr double solver_start = 0.75;
constexpr int subsets_of_os = 8;

// Each parameter is set in its own function, because not every solver has it.

template <class Params>
void set_count(Params& params, int count) {
  if constexpr (requires { params.sweeps; })
    params.sweeps = count;
  else if constexpr (requires { params.iterations; })
    params.iterations = count;
}

template <class Params>
void leave_out_figures(Params& params) {
  if constexpr (requires { params.log_likelihood; }) params.log_likelihood = false;
  if constexpr (requires { params.monitor_sees_x; }) params.monitor_sees_x = false;
  if constexpr (requires { params.record_residual; }) params.record_residual = false;
}

/// Sets the views of a scan, if they are known. SART uses one view at a time; subsets and blocks
/// are made of views.
template <class Params>
void set_views(Params& params, Ordinal detectors) {
  if constexpr (requires { params.view_rows; })
    if (params.view_rows == 0) params.view_rows = detectors;
  if constexpr (requires { params.subset_unit; }) params.subset_unit = detectors;
  if constexpr (requires { params.block_rows; })
    if (params.block_rows == 1) params.block_rows = detectors;
}

/// Number of ordered subsets, for solvers with a plain number of subsets; nullptr for others.
template <class Params>
int* subsets_of(Params& params) {
  if constexpr (requires {
                  { params.subsets } -> std::same_as<int&>;
                })
    return &params.subsets;
  static_cast<void>(params);
  return nullptr;
}

SolverParams with_count(SolverParams params, int count) {
  std::visit(
      [count](auto& own) {
        set_count(own, count);
        own.check_every = count;
      },
      params);
  return params;
}

template <class Scalar, class MemorySpace>
struct MakeImage {
  Vector<Scalar, MemorySpace> random, image;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    image(i) = Scalar(1) + Scalar(0.5) * random(i);
  }
};

/// Solves from the start and returns the seconds of one iteration, timed from the first to the last
/// iterate.
template <class ExecutionSpace, class Scalar>
double iterate(const ExecutionSpace& exec, const SolverParams& params,
               const AnyOperator<ExecutionSpace, Scalar>& A,
               const Vector<Scalar, typename ExecutionSpace::memory_space>& data,
               const Vector<Scalar, typename ExecutionSpace::memory_space>& image) {
  using Clock = std::chrono::steady_clock;
  using State = MonitorState<ExecutionSpace, Scalar>;
  fill(exec, image, Scalar(solver_start));
  const auto solver = make_solver<ExecutionSpace, Scalar>(exec, params, A);
  Clock::time_point first{}, last{};
  int begun = -1, ended = 0;
  solver->solve(exec, A, data, image, [&](const ExecutionSpace&, const State& state) {
    last = Clock::now();
    ended = state.iteration;
    if (begun < 0) {
      first = last;
      begun = ended;
    }
    return MonitorAction::proceed;
  });
  exec.fence();
  if (ended <= begun) throw Error("the solver stopped before its first iteration");
  return std::chrono::duration<double>(last - first).count() / (ended - begun);
}

/// Makes the operator of the reference: A in double, one row after the other.
template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, double> operator_in_double(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  OperatorOptions options;
  options.spmv.variant = options.transpose_spmv.variant = SpmvVariant::scalar;
  return CsrOperator<ExecutionSpace, double>(exec, convert_values<double>(exec, A), options);
}

template <class ExecutionSpace, class Scalar>
std::shared_ptr<SolverProblem<ExecutionSpace, Scalar>> make_problem(
    BenchCase<ExecutionSpace, Scalar>& matrix_case, const SolverParams& params,
    const TimingOptions& timing) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto problem = std::make_shared<SolverProblem<ExecutionSpace, Scalar>>();
  const ExecutionSpace exec = problem->exec = matrix_case.exec();
  problem->timing = timing;
  problem->params = params;
  const Ordinal detectors = std::max(Ordinal{1}, matrix_case.rays().detectors);
  std::visit(
      [&](auto& own) {
        own.stop = {};
        leave_out_figures(own);
        set_views(own, detectors);
      },
      problem->params);
  const auto image =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::image", matrix_case.num_cols());
  Kokkos::parallel_for("Tomokkos::bench::make_image",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, matrix_case.num_cols()),
                       MakeImage<Scalar, MemorySpace>{matrix_case.x(false), image});
  exec.fence();
  const auto right = matrix_case.multiply(false, widen<ExecutionSpace, Scalar>(exec, image)).value;
  problem->data = converted<Scalar>(exec, right);
  problem->image = image;
  const auto expected =
      allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::Bench::iterate", image.extent(0));
  iterate<ExecutionSpace, double>(exec, with_count(problem->params, checked_iterations),
                                  operator_in_double(exec, matrix_case.matrix()),
                                  converted<double>(exec, problem->data), expected);
  problem->expected = converted<Scalar>(exec, expected);
  return problem;
}

/// Returns the seconds of an iteration, from a solve that fills a sample.
template <class ExecutionSpace, class Scalar>
double time_iterations(const SolverProblem<ExecutionSpace, Scalar>& problem,
                       const AnyOperator<ExecutionSpace, Scalar>& A, int& count) {
  const auto run = [&](int iterations) {
    return iterate<ExecutionSpace, Scalar>(problem.exec, with_count(problem.params, iterations), A,
                                           problem.data, problem.image);
  };
  constexpr double fewest = checked_iterations, most = 500;
  if (count == 0) {
    const double wanted =
        problem.timing.seconds_per_sample / std::max(run(checked_iterations), 1e-9);
    count = static_cast<int>(std::clamp(std::ceil(wanted), fewest, most));
  }
  return run(count);
}

template <class ExecutionSpace, class Scalar, class Make>
Candidate solver_candidate(const std::shared_ptr<SolverProblem<ExecutionSpace, Scalar>>& problem,
                           const Make& make) {
  std::shared_ptr<const AnyOperator<ExecutionSpace, Scalar>> A;
  Candidate candidate;
  candidate.setup_seconds = seconds_of([&] {
    A = std::make_shared<const AnyOperator<ExecutionSpace, Scalar>>(make(candidate));
    problem->exec.fence();
  });
  const auto solver = make_solver<ExecutionSpace, Scalar>(problem->exec, problem->params, *A);
  candidate.bytes_model = solver->iteration_bytes(*A);
  candidate.memory_bytes = candidate.footprint_bytes =
      A->memory_bytes() + solver->workspace_bytes();
  candidate.launch = [problem, A] {
    iterate<ExecutionSpace, Scalar>(problem->exec, with_count(problem->params, checked_iterations),
                                    *A, problem->data, problem->image);
  };
  candidate.fence = [problem] { problem->exec.fence(); };
  candidate.time_itself = [problem, A, count = std::make_shared<int>(0)] {
    return time_iterations(*problem, *A, *count);
  };
  candidate.poison = [problem] {
    fill(problem->exec, problem->image, std::numeric_limits<Scalar>::quiet_NaN());
  };
  candidate.error = [problem] { return problem->error(); };
  return candidate;
}

}  // namespace

std::vector<NamedSolver> all_solvers() {
  std::vector<NamedSolver> solvers;
  // Filtered back projection has no iterations to time.
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (kind != SolverKind::fbp) solvers.push_back({std::string(name), default_params(kind)});
  for (const auto& [kind, name] : EnumNames<SolverKind>::names) {
    SolverParams params = default_params(kind);
    int* const subsets = std::visit([](auto& own) { return subsets_of(own); }, params);
    if (subsets == nullptr) continue;
    *subsets = subsets_of_os;
    solvers.push_back({solver_name(params), params});
  }
  return solvers;
}

std::string solver_name(const SolverParams& params) {
  SolverParams own = params;
  const int* const subsets = std::visit([](auto& each) { return subsets_of(each); }, own);
  const std::string name(to_string(kind_of(params)));
  return subsets != nullptr && *subsets > 1 ? "os_" + name : name;
}

template <class ExecutionSpace, class Scalar>
CandidateList solver_candidates(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                const NamedSolver& solver, const BenchOptions& options,
                                const ConfiguredRun<ExecutionSpace, Scalar>* run) {
  require(!matrix_case.is_circulant(),
          "iteration applies only to matrices in CSR; this one is block circulant");
  const auto problem = make_problem(matrix_case, solver.params, options.timing);
  const auto& A = matrix_case.matrix();
  CandidateList list;
  const auto add = [&](const std::string& format, const std::string& shape,
                       const std::optional<FormatOptions>& chosen) {
    list.attempt(format, shape, [&] {
      return solver_candidate(problem, [&](Candidate& candidate) {
        MakeOptions make;
        make.format = chosen;
        make.spmv.deterministic = options.deterministic;
        const auto made = make_operator<ExecutionSpace, Scalar>(matrix_case.exec(), A, make);
        candidate.fill = made.fill;
        return made.A;
      });
    });
  };
  for (const std::string& name : options.formats) {
    const auto format = from_string<MatrixFormat>(name);
    if (name == "automatic") add(name, "automatic", std::nullopt);
    if (format == MatrixFormat::csr) add(name, "automatic", default_options(MatrixFormat::csr));
    if (name == "computed")
      list.attempt(name, "", [&] {
        return solver_candidate(problem, [&](Candidate& candidate) {
          candidate.fill = 0;  // nothing is stored
          return computed_operator(matrix_case);
        });
      });
    if (!format || format == MatrixFormat::csr) continue;
    for (const FormatShape& shape : format_shapes(*format, Impl::is_host_space<ExecutionSpace>))
      add(name, shape.name, shape.options);
  }
  if (run != nullptr && run->solver.name == solver.name)
    list.attempt("run", "as_configured", [&] {
      return solver_candidate(problem, [&](Candidate&) { return run->make_operator(); });
    });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                               \
  template CandidateList solver_candidates(BenchCase<SPACE, SCALAR>&, const NamedSolver&, \
                                           const BenchOptions&,                           \
                                           const ConfiguredRun<SPACE, SCALAR>*);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
