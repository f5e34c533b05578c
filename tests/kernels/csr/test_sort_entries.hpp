// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows sorted as GPUs do it: short rows by threads; long rows, and those that take threads too
// long, by teams in scratch memory or in place.
#include <gtest/gtest.h>

#include <algorithm>
#include <impl/Tomokkos_SortEntries_impl.hpp>
#include <random>
#include <vector>

namespace {

using namespace Tomokkos;
using MemorySpace = TestSpace::memory_space;

template <class T>
Kokkos::View<T*, MemorySpace> on_device(const std::vector<T>& values) {
  const Kokkos::View<T*, MemorySpace> device("values", values.size());
  Kokkos::deep_copy(device, Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                values.data(), values.size()));
  return device;
}

template <class T>
std::vector<T> on_host(const Kokkos::View<T*, MemorySpace>& device) {
  std::vector<T> values(device.extent(0));
  Kokkos::deep_copy(
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(values.data(), values.size()),
      device);
  return values;
}

enum class Rows { shuffled, backwards, nearly_sorted, sorted };

template <class Scalar>
void expect_sorted(Rows kind) {
  const TestSpace exec;
  std::mt19937 random(7);
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns, sorted;
  std::vector<Scalar> values;
  // Lengths close to the limit of a thread, to powers of two, and to the size of the scratch
  // memory.
  for (const Ordinal length : {0, 1, 2, 31, 100, 255, 256, 257, 512, 1000, 2730, 2731, 4095, 4096,
                               4097, 5000, 0, 9000, 3}) {
    std::vector<Ordinal> row;
    for (Ordinal k = 0; k < length; ++k) row.push_back(3 * k + static_cast<Ordinal>(random() % 3));
    sorted.insert(sorted.end(), row.begin(), row.end());
    if (kind == Rows::shuffled) std::shuffle(row.begin(), row.end(), random);
    if (kind == Rows::backwards) std::reverse(row.begin(), row.end());
    if (kind == Rows::nearly_sorted && length > 1) std::swap(row[0], row[row.size() - 1]);
    for (const Ordinal column : row) {
      columns.push_back(column);
      values.push_back(static_cast<Scalar>(2 * column + 1));
    }
    offsets.push_back(static_cast<Offset>(columns.size()));
  }
  const auto num_rows = static_cast<Ordinal>(offsets.size()) - 1;
  const auto device_offsets = on_device(offsets);
  const auto device_columns = on_device(columns);
  const auto device_values = on_device(values);
  const Kokkos::View<char*, MemorySpace> unsorted("unsorted", num_rows);
  Impl::sort_rows(exec,
                  Impl::RowsToSort<Scalar>{device_offsets.data(), device_columns.data(),
                                           device_values.data(), unsorted.data()},
                  num_rows);
  exec.fence();
  EXPECT_EQ(on_host(device_columns), sorted);
  std::vector<Scalar> expected;
  for (const Ordinal column : sorted) expected.push_back(static_cast<Scalar>(2 * column + 1));
  EXPECT_EQ(on_host(device_values), expected);
}

TEST(SortEntries, rows_of_every_length_end_in_their_order) {
  for (const Rows kind : {Rows::shuffled, Rows::backwards, Rows::nearly_sorted, Rows::sorted}) {
    expect_sorted<float>(kind);
    expect_sorted<double>(kind);
  }
}

}  // namespace
