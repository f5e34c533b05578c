// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers as a user calls them: with a user's operator, on several instances of an execution space,
// with wrong shapes; and properties of the iteration loop.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>
#include <map>
#include <thread>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

template <class Params>
void set_iterations(Params& params, int iterations) {
  if constexpr (requires { params.sweeps; })
    params.sweeps = iterations;
  else
    params.iterations = iterations;
}

template <class AnySolver>
class SolverInterface : public ::testing::Test {};
using Solvers =
    ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>, Sirt<TestSpace, float>,
                     Sirt<TestSpace, double>, Cgls<TestSpace, float>, Cgls<TestSpace, double>,
                     Art<TestSpace, float>, Art<TestSpace, double>>;
TYPED_TEST_SUITE(SolverInterface, Solvers);

TYPED_TEST(SolverInterface, takes_the_operator_of_a_user) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const int n = 80;
  const PlainCsr A = blur_matrix(n);
  const Values b = positive_vector(n, 1), start = positive_vector(n, 2);
  typename TypeParam::params_type params;
  set_iterations(params, 4);
  const auto expected = run_solver<TypeParam>(exec, A, b, start, params);
  const BlurOperator<Scalar> user(n);
  const auto device_b = make_vector<Scalar>(exec, b);
  TypeParam solver(exec, n, n, params);
  const auto x = make_vector<Scalar>(exec, start);
  const SolveResult direct = solver.solve(exec, user, device_b, x);
  EXPECT_EQ(direct.iterations, 4);
  EXPECT_LT(relative_difference(to_std_vector(x), expected), tolerance<Scalar>(1e-5, 1e-12));
  const auto y = make_vector<Scalar>(exec, start);
  const AnyOperator<TestSpace, Scalar> erased = user;
  const SolveResult through_interface = solver.solve(exec, erased, device_b, y);
  EXPECT_TRUE(same_bits(to_std_vector(x), to_std_vector(y)));
  EXPECT_EQ(direct.residual, through_interface.residual);
}

TYPED_TEST(SolverInterface, names_both_shapes_that_do_not_fit) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const auto op = make_operator<Scalar>(exec, A);
  const auto run = [&](int solver_rows, int solver_columns, int b_length, int x_length) {
    const auto b = make_vector<Scalar>(exec, Values(b_length, 1));
    const auto x = make_vector<Scalar>(exec, Values(x_length, 1));
    TypeParam solver(exec, solver_rows, solver_columns);
    try {
      solver.solve(exec, op, b, x);
    } catch (const DimensionMismatch& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect_both = [](const std::string& message, const char* one, const char* other) {
    EXPECT_TRUE(contains(message, one) && contains(message, other)) << message;
  };
  expect_both(run(300, 120, 299, 120), "299", "300");
  expect_both(run(300, 120, 300, 121), "121", "120");
  expect_both(run(301, 120, 300, 120), "301", "300");
  expect_both(run(300, 119, 300, 120), "119", "120");
}

TYPED_TEST(SolverInterface, refuses_negative_sizes) {
  const TestSpace exec;
  for (const auto& [rows, columns] : {std::pair{-1, 3}, {3, -1}, {-5, -5}})
    EXPECT_TRUE(contains(error_of([&] { TypeParam(exec, rows, columns); }), "not be negative"))
        << rows << " " << columns;
}

TYPED_TEST(SolverInterface, refuses_arrays_that_overlap) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const int n = 12;
  const PlainCsr A = blur_matrix(n);
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const auto values = make_vector<Scalar>(exec, Values(2 * n, 1));
  const auto solve = [&](std::size_t b, std::size_t x) {
    const VectorView<const Scalar, TestSpace::memory_space> data(values.data() + b, n);
    const VectorView<Scalar, TestSpace::memory_space> image(values.data() + x, n);
    return error_of([&] { TypeParam(exec, n, n).solve(exec, op, data, image); });
  };
  for (const std::size_t x : {0, 1, n - 1})
    EXPECT_TRUE(contains(solve(0, x), "overlap in memory")) << x;
  EXPECT_TRUE(contains(solve(n - 1, 0), "overlap in memory"));
  EXPECT_EQ(solve(0, n), "");
  EXPECT_EQ(solve(n, 0), "");
  // Columns next to each other, each contiguous.
  const Kokkos::View<Scalar**, Kokkos::LayoutLeft, TestSpace::memory_space> columns("columns", n,
                                                                                    2);
  Kokkos::deep_copy(columns, Scalar(1));
  const auto b = Kokkos::subview(columns, Kokkos::ALL(), 0);
  const auto x = Kokkos::subview(columns, Kokkos::ALL(), 1);
  EXPECT_EQ(error_of([&] { TypeParam(exec, n, n).solve(exec, op, b, x); }), "");
}

TYPED_TEST(SolverInterface, refuses_data_whose_squares_are_zero) {
  using Scalar = typename TypeParam::scalar_type;
  if (std::is_same_v<TypeParam, Cgls<TestSpace, Scalar>>) return;  // CGLS solves them
  if (std::is_same_v<Scalar, float>) return;                       // squares of floats are not 0
  const TestSpace exec;
  const PlainCsr A = blur_matrix(20);
  for (const double size : {1e-170, 1e-300}) {
    const auto solve = [&] {
      run_solver<TypeParam>(exec, A, Values(20, size), Values(20, 1),
                            typename TypeParam::params_type());
    };
    EXPECT_TRUE(contains(error_of(solve), "leave the range of double")) << size;
  }
}

TYPED_TEST(SolverInterface, is_right_on_two_instances_at_once) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const auto instances = Impl::partition_space(exec, 2);
  const PlainCsr A = positive_matrix();
  typename TypeParam::params_type params;
  set_iterations(params, 6);
  const Values b[2] = {positive_vector(A.rows, 1), positive_vector(A.rows, 2)};
  const Values start(A.columns, 1);
  std::vector<Scalar> expected[2], computed[2];
  for (int i = 0; i < 2; ++i) expected[i] = run_solver<TypeParam>(exec, A, b[i], start, params);
  const auto device_A = to_device<TestSpace, Scalar>(exec, A);
  std::vector<Operator<Scalar>> operators;
  std::vector<TypeParam> solvers;
  std::vector<DeviceVector<Scalar>> device_b, x;
  for (int i = 0; i < 2; ++i) {
    operators.emplace_back(instances[i], device_A);
    solvers.emplace_back(instances[i], A.rows, A.columns, params);
    device_b.push_back(make_vector<Scalar>(exec, b[i]));
    x.push_back(make_vector<Scalar>(exec, start));
  }
  const auto solve = [&](int i) {
    solvers[i].solve(instances[i], operators[i], device_b[i], x[i]);
  };
  // Kokkos 3.4 to 3.6 accepts launches on a host from one thread only. Another one is refused.
  bool may_launch = false;
  std::string refusal;
  std::thread other([&] {
    may_launch = Impl::may_launch_from_this_thread<TestSpace>();
    try {
      solve(1);
    } catch (const Refused& error) {
      refusal = error.what();
    }
  });
  solve(0);
  other.join();
  EXPECT_EQ(refusal.empty(), may_launch) << refusal;
  if (!may_launch) {
    EXPECT_TRUE(contains(refusal, "called by the thread that has initialised it")) << refusal;
    solve(1);
  }
  for (int i = 0; i < 2; ++i) {
    computed[i] = to_std_vector(x[i]);
    // An instance may have fewer threads, and sum in another order.
    EXPECT_LT(relative_difference(computed[i], expected[i]), tolerance<Scalar>(1e-4, 1e-11));
  }
  EXPECT_GT(relative_difference(computed[0], computed[1]), 1e-2);
}

TYPED_TEST(SolverInterface, is_reusable) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const auto op = make_operator<Scalar>(exec, A);
  const auto b = make_vector<Scalar>(exec, positive_vector(A.rows, 1));
  typename TypeParam::params_type params;
  set_iterations(params, 5);
  TypeParam solver(exec, A.rows, A.columns, params);
  const auto x = make_vector<Scalar>(exec, Values(A.columns, 1));
  const auto y = make_vector<Scalar>(exec, Values(A.columns, 1));
  const SolveResult first = solver.solve(exec, op, b, x);
  const SolveResult second = solver.solve(exec, op, b, y);
  EXPECT_TRUE(same_bits(to_std_vector(x), to_std_vector(y)));
  EXPECT_EQ(first.residual, second.residual);
  EXPECT_EQ(first.history.size(), second.history.size());
}

TYPED_TEST(SolverInterface, can_be_chosen_at_run_time) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const Values data = positive_vector(A.rows, 1), start(A.columns, 1);
  typename TypeParam::params_type params;
  set_iterations(params, 5);
  const auto b = make_vector<Scalar>(exec, data);
  const auto x = make_vector<Scalar>(exec, start);
  const std::unique_ptr<Solver<TestSpace, Scalar>> solver =
      std::make_unique<TypeParam>(exec, A.rows, A.columns, params);
  int calls = 0;
  const SolveResult result = solver->solve(exec, op, b, x, [&](const auto&, const auto&) {
    ++calls;
    return MonitorAction::proceed;
  });
  EXPECT_EQ(result.iterations, 5);
  EXPECT_GE(calls, 2);
  EXPECT_TRUE(same_bits(to_std_vector(x), run_solver<TypeParam>(exec, A, data, start, params)));
  const TypeParam plain(exec, A.rows, A.columns, params);
  EXPECT_EQ(solver->workspace_bytes(), plain.workspace_bytes());
  EXPECT_EQ(solver->iteration_bytes(op), plain.iteration_bytes(op));
}

int allocations, copies, launches, foreign_labels;
std::map<std::string, int> allocation_labels;

/// Kokkos reports an allocation of size 0 for the scratch memory of a team that needs none.
void count_allocation(Kokkos::Tools::SpaceHandle, const char* label, const void*,
                      std::uint64_t bytes) {
  if (bytes == 0) return;
  ++allocations;
  ++allocation_labels[label];
}

std::string describe_allocations() {
  std::string all;
  for (const auto& [label, count] : allocation_labels)
    all += label + " (" + std::to_string(count) + "), ";
  return all;
}
std::map<std::string, int> copies_by_name;
void count_copy(Kokkos::Tools::SpaceHandle, const char* to, const void*, Kokkos::Tools::SpaceHandle,
                const char* from, const void*, std::uint64_t) {
  // Kokkos also reports fills here, with these names as their source: for example those of the
  // counters of a launch.
  const std::string source(from);
  if (source == "Scalar" || source == "(none)") return;
  ++copies;
  ++copies_by_name[std::string(to) + " of " + source];
}
std::string describe_copies() {
  std::string result;
  for (const auto& [name, count] : copies_by_name)
    result += name + ", " + std::to_string(count) + "\n";
  return result;
}
void count_launch(const char* label, std::uint32_t, std::uint64_t*) {
  ++launches;
  const std::string name(label);
  // Kokkos uses its own names for fills.
  if (!contains(name, "Tomokkos::") && !contains(name, "Kokkos::")) ++foreign_labels;
}

TYPED_TEST(SolverInterface, allocates_and_copies_nothing_in_the_loop) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const auto op = make_operator<Scalar>(exec, A);
  const auto b = make_vector<Scalar>(exec, positive_vector(A.rows, 1));
  const auto x = make_vector<Scalar>(exec, Values(A.columns, 1));
  int counted_allocations[2], counted_copies[2], counted_launches[2];
  foreign_labels = 0;
  // The first run grows the buffers that the backend keeps.
  for (const int run : {0, 0, 1}) {
    typename TypeParam::params_type params;
    set_iterations(params, run == 0 ? 5 : 35);
    TypeParam solver(exec, A.rows, A.columns, params);
    allocations = copies = launches = 0;
    copies_by_name.clear();
    Kokkos::Tools::Experimental::set_allocate_data_callback(count_allocation);
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(count_copy);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(count_launch);
    solver.solve(exec, op, b, x);
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr);
    Kokkos::Tools::Experimental::set_begin_parallel_for_callback(nullptr);
    counted_allocations[run] = allocations;
    counted_copies[run] = copies;
    counted_launches[run] = launches;
  }
  EXPECT_EQ(counted_allocations[0], counted_allocations[1]) << describe_allocations();
  EXPECT_GT(counted_launches[1], counted_launches[0] + 29);
  EXPECT_EQ(foreign_labels, 0);
  // ART keeps the previous x, which is one copy on the device per sweep.
  const bool is_art = std::is_same_v<typename TypeParam::params_type, ArtParams>;
  EXPECT_EQ(counted_copies[1] - counted_copies[0], is_art ? 30 : 0) << describe_copies();
}

TYPED_TEST(SolverInterface, tells_its_bytes) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const TypeParam solver(exec, A.rows, A.columns);
  EXPECT_GE(solver.workspace_bytes(), (A.rows + A.columns) * sizeof(Scalar));
  EXPECT_GT(solver.iteration_bytes(op), op.apply_bytes());
  const BlurOperator<Scalar> silent(A.columns);
  EXPECT_LT(solver.iteration_bytes(silent), solver.iteration_bytes(op));
}

}  // namespace
