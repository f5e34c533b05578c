// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "Tomokkos_BenchGenerators.hpp"
#include "Tomokkos_BenchRandom.hpp"

namespace Tomokkos::Bench {

template <class Scalar>
HostCsrMatrix<Scalar> generate(const Circulant& spec) {
  require(spec.block_rows >= 1 && spec.block_cols >= 1 && spec.blocks >= 1,
          "a generated matrix must have at least one row, one column and one block");
  const Offset columns = Offset{spec.block_cols} * spec.blocks;
  const Offset length = spec.entries_per_row;
  require(length >= 0 && length <= columns,
          Impl::text("a row of {} columns cannot have {} entries", columns, length));
  require(columns <= std::numeric_limits<Ordinal>::max(),
          Impl::text("{} columns are more than a 32-bit index can count", columns));
  require(entry_count(spec) <= max_generated_entries,
          "a generated matrix can have at most 4e9 entries");
  const Offset entries = length * spec.block_rows;
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets(
      "Tomokkos::CsrMatrix::row_offsets", static_cast<std::size_t>(spec.block_rows) + 1);
  const Kokkos::View<Ordinal*, Kokkos::HostSpace> column("Tomokkos::CsrMatrix::columns", entries);
  const Kokkos::View<Scalar*, Kokkos::HostSpace> value("Tomokkos::CsrMatrix::values", entries);
  std::mt19937_64 random(spec.seed);
  for (Ordinal i = 0; i < spec.block_rows; ++i) {
    const Offset first = offsets(i) = i * length;
    for (Offset e = 0; e < length; ++e) {
      // Choose one in each of equal parts of the positions l k + b, so that all are different.
      const Offset begin = e * columns / length, end = (e + 1) * columns / length;
      const auto place =
          begin + static_cast<Offset>(below(random, static_cast<std::uint64_t>(end - begin)));
      column(first + e) =
          static_cast<Ordinal>(place % spec.blocks * spec.block_cols + place / spec.blocks);
      value(first + e) = static_cast<Scalar>(0.5 + unit(random));
    }
    std::sort(column.data() + first, column.data() + first + length);
  }
  offsets(spec.block_rows) = entries;
  return {spec.block_rows, static_cast<Ordinal>(columns), offsets, column, value};
}

#define TOMOKKOS_INSTANTIATE(SCALAR) template HostCsrMatrix<SCALAR> generate(const Circulant&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
