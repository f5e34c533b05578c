// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paired rows on both backends have equal entries in equal places, and fixed-point A^T x has equal
// bits.
#include <gtest/gtest.h>

#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using Host = Kokkos::OpenMP;
using Device = Kokkos::Cuda;

std::vector<PlainCsr> matrices() {
  return {battery::make("crowded", 301, 70, [](int i) { return 20 + i * 31 % 30; }),
          battery::make("two lengths", 255, 700, [](int i) { return i % 2 ? 40 : 30; }),
          battery::make("ragged", 5000, 900, [](int i) { return i % 53; })};
}

template <class Space, class Scalar>
auto pair_up(const PlainCsr& A) {
  const Space exec;
  return pair_blocked_from_csr<Space, Scalar>(exec, to_device<Space, Scalar>(exec, A));
}

/// Entries pair by pair, independent of the stride between places.
template <class Space, class Scalar>
std::pair<std::vector<Ordinal>, std::vector<Scalar>> entries_of(
    const PairBlockedMatrix<Scalar, typename Space::memory_space>& A) {
  const auto columns = to_std_vector(A.columns);
  const auto values = to_std_vector(A.values);
  std::pair<std::vector<Ordinal>, std::vector<Scalar>> all;
  for (Ordinal pair = 0; pair < A.num_pairs(); ++pair)
    for (Ordinal place = 0; place < A.width; ++place) {
      all.first.push_back(columns[static_cast<std::size_t>(place * A.pair_stride + pair)]);
      all.second.push_back(values[static_cast<std::size_t>(place * A.pair_stride + pair)]);
    }
  return all;
}

template <class Space, class Scalar>
std::vector<Scalar> transposed(const PlainCsr& plain, const std::vector<double>& x) {
  const Space exec;
  const auto A = pair_up<Space, Scalar>(plain);
  const PairBlockedPlan<Space, Scalar> plan(exec, A, PairTranspose::fixed_point);
  const Vector<Scalar, typename Space::memory_space> y("test::y",
                                                       static_cast<std::size_t>(A.num_cols));
  spmv_transpose<Space, Scalar>(exec, plan, A, Scalar(2), to_device<Space, Scalar>(exec, x),
                                Scalar(0), y);
  return to_std_vector(y);
}

template <class Scalar>
void compare(const PlainCsr& plain) {
  const auto on_host = pair_up<Host, Scalar>(plain);
  const auto on_device = pair_up<Device, Scalar>(plain);
  EXPECT_EQ(on_device.pair_stride % lock_step_lanes, 0);
  EXPECT_EQ(to_std_vector(on_host.rows), to_std_vector(on_device.rows)) << plain.name;
  EXPECT_EQ(to_std_vector(on_host.junctions), to_std_vector(on_device.junctions)) << plain.name;
  EXPECT_TRUE((entries_of<Host, Scalar>(on_host) == entries_of<Device, Scalar>(on_device)))
      << plain.name;
  EXPECT_EQ(count_collisions(on_host),
            count_collisions(copy_to<Kokkos::HostSpace>(Device(), on_device)));
  const auto x = random_vector(static_cast<std::size_t>(plain.rows), 3);
  EXPECT_EQ((transposed<Host, Scalar>(plain, x)), (transposed<Device, Scalar>(plain, x)))
      << plain.name;
}

}  // namespace

TEST(CrossPairBlocked, places_and_fixed_point_products_are_equal) {
  for (const PlainCsr& plain : matrices()) {
    compare<float>(plain);
    compare<double>(plain);
  }
}
