// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that a prepared system reports in addition to its matrix, compared with sizes computed
// here.
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>

#include "FlatFormat.hpp"
#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

using Space = TestSpace::memory_space;
using Csr = CsrMatrix<double, Space>;

/// Matrix of three nodes that touch each other, with two components: 6 rows of 6 entries, 9 blocks,
/// 6 of them with couplings.
PlainCsr triangle() {
  PlainCsr A;
  A.columns = 6;
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      const int from = i / 2, to = j / 2;
      const double a = from == to ? 4 : -1;
      const double b = from == to ? 0 : (from < to ? 0.25 : -0.25);
      A.add(j, i % 2 == j % 2 ? a : (i % 2 == 0 ? -b : b));
    }
    A.end_row();
  }
  return A;
}

/// Bytes held in addition to the diagonal of 6 numbers.
std::size_t beside(const AnyOperator<TestSpace, double>& A, bool in_float = false) {
  PreconditionerOptions options;
  options.float_matrix = in_float;
  const PreconditionedSystem<TestSpace, double> system(TestSpace(), A, options);
  EXPECT_TRUE(system.is_scaled());
  return system.memory_bytes() - 6 * sizeof(double);
}

}  // namespace

TEST(SystemMemory, of_csr_is_the_values_and_what_its_products_need) {
  const TestSpace exec;
  const Csr csr = to_device<TestSpace, double>(exec, triangle());
  OperatorOptions options;
  options.spmv.variant = options.transpose_spmv.variant = SpmvVariant::scalar;
  options.transpose = TransposeMethod::atomic;
  EXPECT_EQ(beside(Operator<double>(exec, csr, options)), 36u * 8);
  EXPECT_EQ(beside(Operator<double>(exec, csr, options), true), 36u * 4);
  options.transpose = TransposeMethod::stored;
  EXPECT_EQ(beside(Operator<double>(exec, csr, options)), 36u * 8 + 36 * 12 + 7 * 8);
  EXPECT_EQ(beside(Operator<double>(exec, csr, options), true), 36u * 4);
  // Tiles of 8 along a path of 6 rows and 36 entries.
  options.transpose = TransposeMethod::atomic;
  options.spmv.variant = SpmvVariant::merge_path;
  options.spmv.items_per_tile = 8;
  EXPECT_EQ(beside(Operator<double>(exec, csr, options)), 36u * 8 + 7 * 4 + 6 * 8);
}

TEST(SystemMemory, of_every_format_is_the_stored_entries) {
  const TestSpace exec;
  const Csr csr = to_device<TestSpace, double>(exec, triangle());
  const auto expect = [&](MatrixFormat format, const auto& matrix) {
    using Matrix = std::decay_t<decltype(matrix)>;
    const std::size_t plan = SpmvPlan<TestSpace, Matrix>(exec, matrix).memory_bytes();
    FlatFormat options;
    options.format = format;
    options.block = 2;
    for (const bool transposed : {false, true}) {
      const auto made = make_format_operator<TestSpace, double>(exec, csr, options, transposed);
      EXPECT_EQ(beside(made.A),
                (transposed ? 2 : 1) * (8 * static_cast<std::size_t>(matrix.num_stored()) + plan))
          << to_string(format);
    }
  };
  expect(MatrixFormat::coo, coo_from_csr<TestSpace, double>(exec, csr));
  expect(MatrixFormat::ell, ell_from_csr<TestSpace, double>(exec, csr));
  expect(MatrixFormat::ell_r, ell_r_from_csr<TestSpace, double>(exec, csr));
  expect(MatrixFormat::hyb, hyb_from_csr<TestSpace, double>(exec, csr));
  expect(MatrixFormat::sell, sell_from_csr<TestSpace, double>(exec, csr));
  expect(MatrixFormat::bcsr, bcsr_from_csr<2, TestSpace, double>(exec, csr));
}

TEST(SystemMemory, of_forms_is_their_numbers) {
  const TestSpace exec;
  const auto complex = complex_from_csr(
      copy_to<Kokkos::HostSpace>(exec, Csr(to_device<TestSpace, double>(exec, triangle()))));
  const MatrixOperator blocks(exec, copy_to<Space>(exec, complex));
  EXPECT_EQ(beside(blocks), 2u * 9 * 8);
  EXPECT_EQ(beside(blocks, true), 2u * 9 * 4);
  const MatrixOperator shared(exec, copy_to<Space>(exec, shared_from_complex(complex)));
  EXPECT_EQ(beside(shared), (9u + 6) * 8);
  EXPECT_EQ(beside(shared, true), (9u + 6) * 4);
}

TEST(SystemMemory, without_scaling_is_the_preconditioner) {
  const TestSpace exec;
  const Operator<double> A = make_operator<double>(exec, triangle());
  const auto bytes = [&](const PreconditionerOptions& options) {
    return PreconditionedSystem<TestSpace, double>(exec, A, options).memory_bytes();
  };
  using Kind = PreconditionerKind;
  EXPECT_EQ(bytes({Kind::none}), 0u);
  EXPECT_EQ(bytes({Kind::jacobi, 2, false}), 6u * 8);
  EXPECT_EQ(bytes({Kind::block_jacobi, 2}), 3u * 4 * 8);
  EXPECT_EQ(bytes({Kind::block_jacobi, 4}), 2u * 16 * 8);
}
