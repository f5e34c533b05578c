// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_MatrixFile.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Scalar>
class MatrixFileTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixFileTest, Scalars);

TYPED_TEST(MatrixFileTest, EveryExtensionComesBack) {
  const TemporaryFolder folder;
  const auto A = make_matrix<TypeParam>(2, 3, {{0, 1, TypeParam(0.5)}, {1, 2, -3}});
  for (const char* name : {"a.mtx", "a.npz", "a.csr4", "A.MTX", "A.NpZ", "b.c.CSR4"}) {
    SCOPED_TRACE(name);
    write_matrix(folder / name, A);
    expect_same(read_matrix<TypeParam>(folder / name), A);
    expect_same(read_matrix<double>(folder / name), A);
  }
  EXPECT_EQ(matrix_file_precision(folder / "a.mtx"), FilePrecision::float64);
  EXPECT_EQ(matrix_file_precision(folder / "a.csr4"), FilePrecision::float32);
  EXPECT_EQ(matrix_file_precision(folder / "a.npz"),
            sizeof(TypeParam) == 4 ? FilePrecision::float32 : FilePrecision::float64);
}

TYPED_TEST(MatrixFileTest, VectorsComeBack) {
  const TemporaryFolder folder;
  const std::vector<TypeParam> x{1, TypeParam(0.1), 0};
  for (const char* name : {"x.npy", "x.mtx", "X.NPY"}) {
    write_vector<TypeParam>(folder / name, x);
    EXPECT_EQ(read_vector<TypeParam>(folder / name), x);
  }
}

TEST(MatrixFile, OptionsReachTheReaders) {
  const TemporaryFolder folder;
  const auto A = make_matrix<float>(1, 2, {{0, 0, NAN}, {0, 1, 2}});
  ReadOptions options;
  options.allow_non_finite = true;
  for (const char* name : {"a.mtx", "a.npz", "a.csr4"}) {
    SCOPED_TRACE(name);
    write_matrix(folder / name, A);
    expect_input_error([&] { read_matrix<float>(folder / name); }, name, "not finite");
    EXPECT_EQ(read_matrix<float>(folder / name, options).values(1), 2);
  }
}

TEST(MatrixFile, ScannersOfOtherMatricesHaveAGrid) {
  const TemporaryFolder folder;
  write_matrix(folder / "a.csr4", make_matrix<float>(1, 7, {}));
  EXPECT_EQ(read_csr4<float>(folder / "a.csr4").scanner.grid,
            (std::array<std::uint32_t, 3>{7, 1, 1}));
}

TEST(MatrixFile, OtherExtensionsAreRefusedWithTheAllowedOnes) {
  const TemporaryFolder folder;
  expect_input_error([] { read_matrix<float>("a.txt"); }, "a.txt", "'.txt'", ".mtx, .npz, .csr4");
  expect_input_error([] { read_matrix<float>("matrix"); }, ".mtx, .npz, .csr4");
  expect_input_error([] { matrix_file_precision("a.h5"); }, ".mtx, .npz, .csr4");
  expect_input_error([] { read_vector<float>("a.npz"); }, ".npy, .mtx");
  EXPECT_THROW(write_matrix(folder / "a.txt", make_matrix<float>(1, 1, {})), OutputError);
  EXPECT_THROW(write_vector<float>(folder / "a.txt", std::span<const float>()), OutputError);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
