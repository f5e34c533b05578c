// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views whose entries are not contiguous: columns and parts of multivectors. They are refused as
// vectors, and the memory between their entries is not touched.
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_VectorOps.hpp>

#include "FileTesting.hpp"
#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

using MemorySpace = TestSpace::memory_space;
using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, MemorySpace>;

constexpr int n = 4;

/// Matrix with 2 on the diagonal, so that every solver has something to do.
PlainCsr diagonal_matrix() {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    A.add(i, 2);
    A.end_row();
  }
  return A;
}

Matrix filled(double first) {
  const Matrix X("test::X", n, 3);
  const auto host = Kokkos::create_mirror_view(X);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < 3; ++j) host(i, j) = first + 10 * i + j;
  Kokkos::deep_copy(X, host);
  return X;
}

/// Expects that \p action throws `Error` and leaves both multivectors unchanged.
template <class Action>
void expect_refused(const char* what, const Matrix& B, const Matrix& X, const Action& action) {
  SCOPED_TRACE(what);
  const auto before_b = to_std_vector(B), before_x = to_std_vector(X);
  const std::string message = Testing::message_of<Error>(action);
  EXPECT_NE(message.find(" stride"), std::string::npos) << message;
  EXPECT_EQ(to_std_vector(B), before_b);
  EXPECT_EQ(to_std_vector(X), before_x);
}

TEST(StridedViews, are_no_vectors) {
  const Matrix X = filled(1);
  const auto column = Kokkos::subview(X, Kokkos::ALL(), 1);
  EXPECT_EQ(
      Testing::message_of<Error>([&] { as_vector(column); }),
      "the vector 'test::X' of length 4 has a stride of 3: its entries must lie side by side, "
      "but those of a column of a row-major multivector do not; copy it into a vector of its "
      "own, or pass all columns");
  EXPECT_THROW(as_multivector(column), Error);
  EXPECT_THROW((VectorView<const double, MemorySpace>(column)), Error);
  // The stride of one entry, or of none, does not matter. A row is contiguous, whatever its type.
  EXPECT_EQ(as_vector(Kokkos::subview(X, std::make_pair(0, 1), 1)).extent(0), 1u);
  EXPECT_EQ(as_vector(Kokkos::subview(X, std::make_pair(2, 2), 1)).extent(0), 0u);
  EXPECT_EQ(as_vector(Kokkos::subview(X, 2, Kokkos::ALL())).data(), X.data() + 6);
  const Kokkos::View<double*, Kokkos::LayoutStride, MemorySpace> row(X.data(),
                                                                     Kokkos::LayoutStride(3, 1));
  EXPECT_EQ((VectorView<double, MemorySpace>(row).data()), X.data());
  const Kokkos::View<double*, Kokkos::LayoutLeft, MemorySpace> left("left", 5);
  EXPECT_EQ((VectorView<const double, MemorySpace>(left).extent(0)), 5u);
}

TEST(StridedViews, are_no_multivectors) {
  const Matrix X = filled(1);
  using Strided = Kokkos::View<double**, Kokkos::LayoutStride, MemorySpace>;
  for (const Strided& part :
       {Strided(Kokkos::subview(X, Kokkos::ALL(), std::make_pair(0, 2))),  // some columns
        Strided(X.data(), Kokkos::LayoutStride(3, 1, 4, 3)),               // column-major
        Strided(X.data(), Kokkos::LayoutStride(2, 6, 3, 1))}) {            // every other row
    const std::string message = Testing::message_of<Error>([&] { as_multivector(part); });
    EXPECT_NE(message.find("multivectors are row-major without gaps"), std::string::npos)
        << message;
    EXPECT_THROW(as_vector(part), Error);
    EXPECT_THROW((MultiVectorView<const double, MemorySpace>(part)), Error);
  }
  // Also refused if the type is row-major: the rows of a part have the distance of those of the
  // whole.
  const auto columns = Kokkos::subview(X, std::make_pair(0, n), std::make_pair(0, 2));
  EXPECT_THROW(as_vector(columns), Error);
  // A range of whole rows has no gaps, and the stride of a single row or column does not matter.
  EXPECT_EQ(as_multivector(Kokkos::subview(X, std::make_pair(1, 3), Kokkos::ALL())).data(),
            X.data() + 3);
  EXPECT_EQ(as_multivector(Strided(X.data(), Kokkos::LayoutStride(1, 7, 3, 1))).extent(1), 3u);
  EXPECT_EQ(as_vector(Strided(X.data(), Kokkos::LayoutStride(3, 1, 1, 9))).extent(0), 3u);
}

TEST(StridedViews, are_refused_by_every_entry_before_anything_is_written) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, double>(exec, diagonal_matrix());
  const Operator<double> op(exec, A);
  const AnyOperator<TestSpace, double> any = op;
  const Matrix B = filled(100), X = filled(1);
  const auto b = Kokkos::subview(B, Kokkos::ALL(), 1), x = Kokkos::subview(X, Kokkos::ALL(), 1);
  const auto plain = make_vector<double>(exec, Values(n, 1));
  expect_refused("uniform_start", B, X, [&] { uniform_start(exec, op, b, x); });
  expect_refused("uniform_start of a plain x", B, X, [&] { uniform_start(exec, op, b, plain); });
  expect_refused("uniform_start, erased", B, X, [&] { uniform_start(exec, any, plain, x); });
  const SpmvPlan<TestSpace, CsrMatrix<double, MemorySpace>> plan(exec, A);
  expect_refused("spmv, x", B, X, [&] { spmv(exec, plan, A, 1.0, x, 0.0, plain); });
  expect_refused("spmv, y", B, X, [&] { spmv(exec, plan, A, 1.0, plain, 0.0, x); });
  const auto some = Kokkos::subview(X, Kokkos::ALL(), std::make_pair(0, 2));
  expect_refused("spmm", B, X, [&] { spmm(exec, A, all_rows, 1.0, some, 0.0, some); });
  expect_refused("apply", B, X,
                 [&] { op.apply(exec, 1.0, as_multivector(plain), 0.0, as_multivector(x)); });
  expect_refused("apply, erased", B, X, [&] { any.apply(exec, 1.0, some, 0.0, some); });
  expect_refused("diagonal", B, X, [&] { op.diagonal(exec, x); });
  IndexMap<MemorySpace> map;
  expect_refused("gather", B, X,
                 [&] { gather<TestSpace, double>(exec, map, as_multivector(b), some); });
  expect_refused("axpby", B, X, [&] { axpby<TestSpace, double>(exec, 1.0, plain, 1.0, x); });

  const auto solve = [&](auto&& solver, const auto& system) {
    expect_refused("b", B, X, [&] { solver.solve(exec, system, b, plain); });
    expect_refused("x", B, X, [&] { solver.solve(exec, system, plain, x); });
  };
  solve(Mlem<TestSpace, double>(exec, n, n), op);
  solve(Sirt<TestSpace, double>(exec, n, n), op);
  solve(Cgls<TestSpace, double>(exec, n, n), op);
  solve(Pcg<TestSpace, double>(exec, n), any);
  solve(BiCgStab<TestSpace, double>(exec, n), any);
  solve(Gmres<TestSpace, double>(exec, n), any);
  Pcg<TestSpace, double> stack(exec, n, {}, 2);
  expect_refused("solve", B, X, [&] { stack.solve(exec, any, some, some); });
}

}  // namespace
