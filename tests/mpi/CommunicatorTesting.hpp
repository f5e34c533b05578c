// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators of every kind, and arrays for them. Define `TestSpace` before including this
// header.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_MpiCommunicator.hpp>
#include <cmath>
#include <impl/Tomokkos_HostCommunicator.hpp>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "MpiTesting.hpp"

namespace Tomokkos::Testing {

using TestMemory = TestSpace::memory_space;

/// Ranks, a communicator made from them, and its guarantees.
struct Kind {
  std::unique_ptr<MpiRanks> ranks;
  std::unique_ptr<Communicator<TestSpace>> communicator;
  /// Whether sums have the bits of an addition in double in the order of the ranks.
  bool sums_ordered;
  bool scatter_sums_ordered;
  bool deterministic;
  std::string name;
};

/// Communicators with messages of at most 48 bytes and with long ones, with arbitrary and with
/// fixed order of summation. They use MPI on the arrays and through staging memory, as for GPUs. On
/// a GPU, the automatic choice is included.
inline std::vector<Kind> all_kinds(const TestSpace& exec) {
  std::vector<Kind> kinds;
  for (const bool deterministic : {false, true}) {
    const auto add = [&](std::size_t largest, const auto& make) {
      Kind kind;
      kind.ranks = std::make_unique<MpiRanks>(world->comm(), largest);
      kind.communicator = make(*kind.ranks);
      const std::string moves = kind.communicator->transport();
      kind.deterministic = deterministic;
      kind.sums_ordered = moves != "nccl" && deterministic;
      kind.scatter_sums_ordered = moves != "nccl";
      kind.name = moves + (deterministic ? ", deterministic" : "") + ", messages of " +
                  std::to_string(largest) + " bytes";
      kinds.push_back(std::move(kind));
    };
    for (const std::size_t largest : {std::size_t{48}, MpiRanks::default_largest_message}) {
      add(largest, [&](const MpiRanks& ranks) {
        return make_communicator(exec, ranks, {deterministic, Transport::mpi});
      });
      if (Impl::is_host_space<TestSpace>)
        add(largest, [&](const MpiRanks& ranks) -> std::unique_ptr<Communicator<TestSpace>> {
          return std::make_unique<Impl::HostCommunicator<TestSpace, true>>(ranks, deterministic);
        });
    }
    if (!Impl::is_host_space<TestSpace>)
      add(MpiRanks::default_largest_message, [&](const MpiRanks& ranks) {
        return make_communicator(exec, ranks, {deterministic, Transport::automatic});
      });
  }
  return kinds;
}

template <class Scalar>
VectorView<Scalar, TestMemory> view(const Vector<Scalar, TestMemory>& values) {
  return VectorView<Scalar, TestMemory>(values.data(), values.extent(0));
}

template <class Scalar>
VectorView<Scalar, TestMemory> view(const Vector<Scalar, TestMemory>& values, std::size_t begin,
                                    std::size_t end) {
  return VectorView<Scalar, TestMemory>(values.data() + begin, end - begin);
}

template <class Scalar>
using HostView =
    Kokkos::View<Scalar*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

template <class Scalar>
void upload(const TestSpace& exec, const Vector<Scalar, TestMemory>& to, std::vector<Scalar> from) {
  Kokkos::deep_copy(exec, to, HostView<Scalar>(from.data(), from.size()));
  exec.fence();
}

template <class Scalar>
Vector<Scalar, TestMemory> upload(const TestSpace& exec, const std::vector<Scalar>& from) {
  Vector<Scalar, TestMemory> to("to", from.size());
  upload(exec, to, from);
  return to;
}

template <class Scalar>
std::vector<Scalar> download(const TestSpace& exec, const Vector<Scalar, TestMemory>& from) {
  std::vector<Scalar> to(from.extent(0));
  Kokkos::deep_copy(exec, HostView<Scalar>(to.data(), to.size()), from);
  exec.fence();
  return to;
}

/// Expects correct sums. Each partial sum may be rounded at most once for each rank.
template <class Scalar>
void expect_sums(const std::vector<Scalar>& sums, int ranks, bool ordered, const std::string& what,
                 std::size_t begin = 0, std::size_t end = std::size_t(-1), int seed = 0) {
  const std::vector<Scalar> expected = ordered_sums<Scalar>(ranks, sums.size(), seed);
  for (std::size_t i = begin; i < std::min(end, sums.size()); ++i) {
    double magnitude = 0.0;
    for (int r = 0; r < ranks; ++r)
      magnitude += std::abs(static_cast<double>(value_of<Scalar>(r, i, seed)));
    const double error = std::abs(static_cast<double>(sums[i]) - static_cast<double>(expected[i]));
    const double allowed =
        ordered ? 0.0
                : ranks * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) * magnitude;
    // The negated comparison also catches NaN.
    if (!(error <= allowed)) {
      ADD_FAILURE() << what << ": sum " << i << " of " << sums.size() << " is " << sums[i]
                    << ", expected " << expected[i];
      return;
    }
  }
}

/// Copies values slowly, so that a later operation that does not wait would read old values. The
/// loop does not change the value.
template <class Scalar>
struct SlowlySet {
  VectorView<Scalar, TestMemory> values;
  VectorView<const Scalar, TestMemory> from;
  KOKKOS_FUNCTION void operator()(Offset i) const {
    Scalar value = from(i);
    for (int k = 0; k < 200; ++k) value = value * Scalar(2) - value * Scalar(1);
    values(i) = value;
  }
};

template <class Scalar>
void slowly_set(const TestSpace& exec, const VectorView<Scalar, TestMemory>& values,
                const VectorView<Scalar, TestMemory>& from) {
  Kokkos::parallel_for("slowly_set", Impl::element_range(exec, values.extent(0)),
                       SlowlySet<Scalar>{values, from});
}

template <class Scalar>
struct NegateInto {
  VectorView<Scalar, TestMemory> values;
  VectorView<const Scalar, TestMemory> from;
  KOKKOS_FUNCTION void operator()(Offset i) const { values(i) = -from(i); }
};

template <class Scalar>
void negate_into(const TestSpace& exec, const VectorView<Scalar, TestMemory>& values,
                 const VectorView<Scalar, TestMemory>& from) {
  Kokkos::parallel_for("negate_into", Impl::element_range(exec, values.extent(0)),
                       NegateInto<Scalar>{values, from});
}

template <class Scalar>
class ForScalars : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;

}  // namespace Tomokkos::Testing
