// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for our conjugate gradient solver.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>
#include <algorithm>
#include <exception>
#include <map>

#include "Tomokkos_BenchPcg.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

/// Matrix in one of its storage forms.
template <class ExecutionSpace, class Scalar>
struct PcgMatrix {
  AnyOperator<ExecutionSpace, Scalar> A;
  double fill = 1;
};

/// Matrix prepared for its preconditioner.
template <class ExecutionSpace, class Scalar>
struct PreparedMatrix {
  PreconditionedSystem<ExecutionSpace, Scalar> system;
  double fill, seconds;
};

/// Launches and scheme of the iteration.
struct Variant {
  PcgLaunches launches = PcgLaunches::automatic;
  PcgScheme scheme = PcgScheme::automatic;
};

/// Our solver for one system. It keeps its memory between solves.
template <class ExecutionSpace, class Scalar>
class OurLoop {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Solver = Pcg<ExecutionSpace, Scalar>;

  OurLoop(const PcgProblem<ExecutionSpace, Scalar>& problem,
          std::shared_ptr<const PreparedMatrix<ExecutionSpace, Scalar>> prepared,
          const Variant& variant)
      : problem_(problem), prepared_(std::move(prepared)), variant_(variant) {}

  /// Solves, and times the iterations from the first check after the start to the last one. Launch
  /// graphs are recorded by then.
  PcgOutcome run(const PcgRequest& request, Scalar* values) {
    using Clock = std::chrono::steady_clock;
    const auto& exec = problem_.exec;
    const VectorView<Scalar, MemorySpace> x(values, problem_.size());
    Kokkos::deep_copy(exec, x, Scalar(0));
    Solver& solver = solver_of(request);
    const int first = request.check_every < request.iterations ? request.check_every : 0;
    int begun = 0, ended = 0;
    Clock::time_point begin, end;
    const SolveResult result =
        solver.solve(exec, prepared_->system, problem_.rhs, x,
                     [&](const ExecutionSpace&, const MonitorState<ExecutionSpace, Scalar>& state) {
                       end = Clock::now();
                       ended = state.record().iteration;
                       if (ended <= first) {
                         begin = end;
                         begun = ended;
                       }
                       return MonitorAction::proceed;
                     });
    exec.fence();
    PcgOutcome outcome;
    outcome.iterations = result.last_iteration();
    outcome.reason = to_string(result.reason);
    outcome.seconds =
        std::chrono::duration<double>(end - begin).count() / std::max(1, ended - begun);
    return outcome;
  }

  void multiply(const Scalar* x, Scalar* y) const {
    prepared_->system.iterated().apply(
        problem_.exec, Scalar(1), MultiVectorView<const Scalar, MemorySpace>(x, problem_.size(), 1),
        Scalar(0), MultiVectorView<Scalar, MemorySpace>(y, problem_.size(), 1));
  }

  /// Allocates everything that a solve needs, by running a short one.
  Solver& warm(Scalar* x) {
    run({1, 0.0, 1}, x);
    return *solver_;
  }

 private:
  Solver& solver_of(const PcgRequest& request) {
    if (solver_ && request.iterations == made_for_.iterations &&
        request.tolerance == made_for_.tolerance && request.check_every == made_for_.check_every)
      return *solver_;
    PcgParams params;
    params.iterations = request.iterations;
    params.check_every = request.check_every;
    params.stop = request.tolerance > 0 ? PcgParams::relative(request.tolerance) : StopRules();
    params.launches = variant_.launches;
    params.scheme = variant_.scheme;
    params.monitor_sees_x = false;
    solver_.reset();
    solver_ = std::make_unique<Solver>(problem_.exec, problem_.size(), params);
    made_for_ = request;
    return *solver_;
  }

  PcgProblem<ExecutionSpace, Scalar> problem_;
  std::shared_ptr<const PreparedMatrix<ExecutionSpace, Scalar>> prepared_;
  Variant variant_;
  PcgRequest made_for_;
  std::unique_ptr<Solver> solver_;
};

template <class ExecutionSpace, class Scalar>
class OurLoops {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;
  using FormType = PcgMatrix<ExecutionSpace, Scalar>;
  using PreparedType = PreparedMatrix<ExecutionSpace, Scalar>;

  explicit OurLoops(const PcgProblem<ExecutionSpace, Scalar>& problem)
      : problem_(problem),
        x_(allocate<Vector<Scalar, MemorySpace>>(problem.exec, "Tomokkos::Bench::pcg",
                                                 problem.size())) {}

  /// Adds a loop on the matrix that \p make returns, stored in the form called \p shape and
  /// iterated as \p variant says, under \p name. Loops on one form and preconditioner share their
  /// arrays.
  template <class Make>
  void add(const std::string& format, const std::string& shape, const std::string& name,
           const Variant& variant, const Make& make, const PreconditionerOptions& options = {}) {
    list_.attempt(format, shape.empty() ? name : name + ':' + shape, [&] {
      refuse_unless(variant.launches != PcgLaunches::recorded ||
                        Impl::RecordedLaunches<ExecutionSpace>::can_record(problem_.exec),
                    "this backend cannot record launches");
      refuse_unless(variant.launches != PcgLaunches::resident ||
                        Impl::ResidentTeams<ExecutionSpace>::count(problem_.exec) > 0,
                    "this backend has no resident teams");
      const std::pair<std::string, int> key(
          format + shape, (options.scale_matrix ? 1 : 0) + (options.float_matrix ? 2 : 0));
      auto& prepared = prepared_[key];
      if (!prepared) prepared = prepare(make, options);
      const auto loop =
          std::make_shared<OurLoop<ExecutionSpace, Scalar>>(problem_, prepared, variant);
      const auto& solver = loop->warm(x_.data());
      const auto& system = prepared->system;
      PcgLoop<Scalar> result;
      result.fill = prepared->fill;
      result.setup_seconds = prepared->seconds;
      result.bytes_model = solver.iteration_bytes(system);
      const std::size_t product = system.iterated().apply_bytes();
      result.matrix_bytes = product - std::min(product, 2 * problem_.vector_bytes());
      result.memory_bytes =
          system.A().memory_bytes() + system.memory_bytes() + solver.workspace_bytes();
      result.run = [loop](const PcgRequest& request, Scalar* x) { return loop->run(request, x); };
      result.multiply = [loop](const Scalar* x, Scalar* y) { loop->multiply(x, y); };
      return result;
    });
  }

  PcgLoopList<Scalar> take() { return std::move(list_); }

 private:
  template <class Make>
  std::shared_ptr<const PreparedType> prepare(const Make& make,
                                              const PreconditionerOptions& options) const {
    std::shared_ptr<PreparedType> prepared;
    const double seconds = seconds_of([&] {
      FormType form = make();
      prepared = std::make_shared<PreparedType>(
          PreparedType{PreconditionedSystem<ExecutionSpace, Scalar>(problem_.exec, form.A, options),
                       form.fill, 0.0});
      problem_.exec.fence();
    });
    prepared->seconds = seconds;
    refuse_unless(prepared->system.is_scaled() == options.scale_matrix,
                  "the values in this format cannot be scaled");
    return prepared;
  }

  PcgProblem<ExecutionSpace, Scalar> problem_;
  Vector<Scalar, MemorySpace> x_;
  std::map<std::pair<std::string, int>, std::shared_ptr<const PreparedType>> prepared_;
  PcgLoopList<Scalar> list_{"tomokkos"};
};

/// Adds loops on the storage forms of a matrix of blocks `[a -b; b a]` (conformal maps). Adds
/// nothing for other matrices.
template <class ExecutionSpace, class Scalar>
void add_block_forms(OurLoops<ExecutionSpace, Scalar>& loops,
                     const PcgProblem<ExecutionSpace, Scalar>& problem) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec = problem.exec;
  std::shared_ptr<const ComplexCsrMatrix<Scalar, Kokkos::HostSpace>> blocks;
  std::exception_ptr no_memory;  // recorded as the reason why each form is missing
  try {
    blocks = std::make_shared<const ComplexCsrMatrix<Scalar, Kokkos::HostSpace>>(
        complex_from_csr(copy_to<Kokkos::HostSpace>(exec, problem.A)));
  } catch (const MemoryError&) {
    no_memory = std::current_exception();
  } catch (const Error&) {
    return;  // other matrices have no such form; that is not worth reporting
  }
  const auto complex = [&] {
    if (no_memory) std::rethrow_exception(no_memory);
    return PcgMatrix<ExecutionSpace, Scalar>{
        MatrixOperator(exec, copy_to<MemorySpace>(exec, *blocks))};
  };
  const auto shared = [&] {
    if (no_memory) std::rethrow_exception(no_memory);
    return PcgMatrix<ExecutionSpace, Scalar>{
        MatrixOperator(exec, copy_to<MemorySpace>(exec, shared_from_complex(*blocks)))};
  };
  loops.add("complex", "", "scaled", {}, complex);
  loops.add("shared", "", "scaled", {}, shared);
  if constexpr (std::is_same_v<Scalar, double>) {
    PreconditionerOptions in_float;
    in_float.float_matrix = true;
    loops.add("shared", "", "scaled:float_matrix", {}, shared, in_float);
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> our_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                  const BenchOptions& options) {
  using FormType = PcgMatrix<ExecutionSpace, Scalar>;
  const ExecutionSpace exec = problem.exec;
  const auto A = problem.A;
  const auto csr = [&] {
    OperatorOptions chosen;
    chosen.transpose = TransposeMethod::atomic;  // needs no transposed copy
    chosen.spmv.deterministic = options.deterministic;
    return FormType{CsrOperator<ExecutionSpace, Scalar>(exec, A, chosen), 1.0};
  };
  const Variant usual;
  PreconditionerOptions unscaled;
  unscaled.scale_matrix = false;

  OurLoops<ExecutionSpace, Scalar> loops(problem);
  if (wants(options, MatrixFormat::csr)) {
    loops.add("csr", "", "scaled", usual, csr);
    loops.add("csr", "", "scaled:direct", {PcgLaunches::direct, PcgScheme::standard}, csr);
    loops.add("csr", "", "scaled:recorded", {PcgLaunches::recorded, PcgScheme::standard}, csr);
    const PcgScheme single = PcgScheme::single_reduction;
    loops.add("csr", "", "single_reduction", {PcgLaunches::direct, single}, csr);
    loops.add("csr", "", "single_reduction:recorded", {PcgLaunches::recorded, single}, csr);
    loops.add("csr", "", "single_reduction:resident", {PcgLaunches::resident, single}, csr);
    loops.add("csr", "", "unscaled", usual, csr, unscaled);
    if constexpr (std::is_same_v<Scalar, double>) {
      PreconditionerOptions in_float;
      in_float.float_matrix = true;
      loops.add("csr", "", "scaled:float_matrix", usual, csr, in_float);
    }
    add_block_forms(loops, problem);
  }
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names) {
    if (!wants(options, format)) continue;
    for (const FormatShape& shape : format_shapes(format, Impl::is_host_space<ExecutionSpace>))
      loops.add(std::string(name), shape.name, "scaled", usual, [&] {
        MakeOptions chosen;
        chosen.format = shape.options;
        chosen.with_transpose = false;
        chosen.spmv.deterministic = options.deterministic;
        auto made = make_operator<ExecutionSpace, Scalar>(exec, A, chosen);
        return FormType{std::move(made.A), made.fill};
      });
  }
  return loops.take();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template PcgLoopList<SCALAR> our_pcg_loops(const PcgProblem<SPACE, SCALAR>&, const BenchOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
