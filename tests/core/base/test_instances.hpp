// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on two instances of an execution space at the same time, and on parts of larger arrays.
#include <gtest/gtest.h>

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_VectorOps.hpp>
#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using TwoInstances = std::vector<TestSpace>;

/// Creates two instances, which run concurrently if the backend supports it.
TwoInstances two_instances() { return Impl::partition_space(TestSpace(), 2); }

/// Calls `launch(instance, out)` once on each instance, and then several times on both before it
/// waits for any of them. Each call has its own output vector. Instances may have different numbers
/// of threads, and round differently; each gives the same bits every time.
/// \param expected the result up to rounding
template <class Launch>
void check_both(const TwoInstances& two, std::size_t length, const std::string& name,
                const std::vector<float>& expected, const Launch& launch) {
  std::vector<Vector<float, TestMemory>> out;
  for (int i = 0; i < 8; ++i)
    out.push_back(allocate<Vector<float, TestMemory>>(two[i % 2], "test::out", length));
  std::vector<float> alone[2];
  for (std::size_t i = 0; i < 2; ++i) {
    launch(static_cast<int>(i), out[i]);
    alone[i] = to_std_vector(out[i]);
    float worst = 0;
    for (std::size_t j = 0; j < length; ++j)
      worst = std::max(worst, std::abs(alone[i][j] - expected[j]));
    ASSERT_LE(worst, 1e-4F) << name;
    Kokkos::deep_copy(out[i], 0.0F);
  }
  for (int i = 0; i < 8; ++i) launch(i % 2, out[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(to_std_vector(out[i]), alone[i % 2]) << name;
}

}  // namespace

TEST(Instances, every_format_multiplies_on_two_instances_at_once) {
  const TestSpace exec;
  const TwoInstances two = two_instances();
  const auto plain = battery::make("uneven", 20000, 9000, [](int i) { return i % 90; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto x = to_device<TestSpace, float>(exec, random_vector(9000, 1));
  const auto check = [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    using Plan = SpmvPlan<TestSpace, std::decay_t<decltype(A)>>;
    // A plan serves one instance at a time.
    const Plan plans[2] = {Plan(two[0], A, options), Plan(two[1], A, options)};
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(20000));
    spmv(exec, Plan(exec, A, options), A, 1.0F, x, 0.0F, y);
    check_both(two, 20000, name, to_std_vector(y),
               [&](int i, const auto& out) { spmv(two[i], plans[i], A, 1.0F, x, 0.0F, out); });
  };
  for_each_format(csr, check);
  for (const auto variant :
       {SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged, SpmvVariant::merge_path,
        SpmvVariant::crs_vector, SpmvVariant::spmv4gpu}) {
    SpmvOptions options;
    options.variant = variant;
    // The template arguments of the product with CSR cannot be deduced.
    using Plan = SpmvPlan<TestSpace, TestCsr<float>>;
    const Plan plans[2] = {Plan(two[0], csr, options), Plan(two[1], csr, options)};
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(20000));
    spmv<TestSpace, float>(exec, plans[0], csr, 1.0F, x, 0.0F, y);
    check_both(two, 20000, "csr", to_std_vector(y), [&](int i, const auto& out) {
      spmv<TestSpace, float>(two[i], plans[i], csr, 1.0F, x, 0.0F, out);
    });
  }
}

TEST(Instances, products_with_several_vectors_run_on_two_instances_at_once) {
  const TestSpace exec;
  const TwoInstances two = two_instances();
  const auto plain = battery::make("uneven", 20000, 9000, [](int i) { return i % 90; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto x = to_device<TestSpace, float>(exec, random_vector(9000 * 8, 1));
  const MultiVectorView<const float, TestMemory> X(x.data(), 9000, 8);
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(20000 * 8));
  const auto check = [&](const std::string& name, const auto& multiply) {
    multiply(exec, MultiVectorView<float, TestMemory>(y.data(), 20000, 8));
    check_both(two, 20000 * 8, name, to_std_vector(y), [&](int i, const auto& out) {
      multiply(two[i], MultiVectorView<float, TestMemory>(out.data(), 20000, 8));
    });
  };
  check("csr", [&](const TestSpace& instance, const auto& Y) {
    spmm<TestSpace, float>(instance, csr, all_rows, 1.0F, X, 0.0F, Y);
  });
  const auto check_format = [&](const std::string& name, const auto& A) {
    check(name,
          [&](const TestSpace& instance, const auto& Y) { spmm(instance, A, 1.0F, X, 0.0F, Y); });
  };
  check_format("ell_r", ell_r_from_csr<TestSpace, float>(exec, csr, {false, any_fill}));
  check_format("sell", sell_from_csr<TestSpace, float>(exec, csr));
  check_format("bcsr", bcsr_from_csr<4, TestSpace, float>(exec, csr, {any_fill}));
}

// Kokkos ends the program if a part of OpenMP would have no thread.
TEST(Instances, a_space_may_have_more_parts_than_threads) {
  const TestSpace exec;
  const int threads = Impl::is_host_space<TestSpace> ? Impl::concurrency(exec) : 3;
  const bool divides_threads = backend_name<TestSpace>() == std::string("openmp");
  EXPECT_TRUE(Impl::can_be_split(exec, threads));
  EXPECT_EQ(Impl::can_be_split(exec, threads + 1), !divides_threads);
  for (const int parts : {1, threads, threads + 1}) {
    const auto instances = Impl::partition_space(exec, parts);
    ASSERT_EQ(instances.size(), static_cast<std::size_t>(parts));
    for (const TestSpace& instance : instances) {
      const auto x = allocate<Vector<float, TestMemory>>(instance, "test::x", 5);
      fill(instance, x, 2.0F);
      EXPECT_EQ(to_std_vector(x), std::vector<float>(5, 2));
    }
  }
}

TEST(Instances, conversions_run_on_a_non_default_instance) {
  const TestSpace exec;
  const TwoInstances two = two_instances();
  const auto plain = battery::make("uneven", 2000, 900, [](int i) { return i % 90; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto sell = sell_from_csr<TestSpace, float>(two[1], csr);
  const auto back = to_csr(two[0], sell);
  EXPECT_EQ(to_std_vector(back.columns), to_std_vector(csr.columns));
  EXPECT_EQ(to_std_vector(back.values), to_std_vector(csr.values));
}

// The vectors begin at several offsets within larger ones.
TEST(Instances, products_leave_the_rest_of_a_larger_vector_unchanged) {
  const TestSpace exec;
  const auto plain = battery::make("uneven", 500, 300, [](int i) { return i % 90; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  for (const int shift : {1, 2, 4, 7}) {
    const auto all = random_vector(400, 1);
    const auto x_plain = std::vector<double>(all.begin() + shift, all.begin() + shift + 300);
    const auto x = to_device<TestSpace, float>(exec, all);
    for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
      const auto y = to_device<TestSpace, float>(exec, std::vector<double>(520, 7.0));
      const SpmvPlan<TestSpace, std::decay_t<decltype(A)>> plan(exec, A, options);
      spmv(exec, plan, A, 1.0F, VectorView<const float, TestMemory>(x.data() + shift, 300), 0.0F,
           VectorView<float, TestMemory>(y.data() + shift, 500));
      const auto computed = to_std_vector(y);
      auto reference = reference_product(plain, 1, x_plain, 0, x_plain);
      for (auto& length : reference.row_length) length = std::min<std::int64_t>(8 * length, 300);
      EXPECT_LE(worst_row_error(
                    std::vector<float>(computed.begin() + shift, computed.begin() + shift + 500),
                    reference),
                1)
          << name << ", from element " << shift;
      for (int i = 0; i < 520; ++i)
        if (i < shift || i >= shift + 500) {
          EXPECT_EQ(computed[static_cast<std::size_t>(i)], 7) << i;
        }
    });
  }
}
