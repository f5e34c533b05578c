// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchGenerators.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "Tomokkos_BenchRandom.hpp"

namespace Tomokkos::Bench {
namespace {

struct Position {
  Ordinal row, column;
  friend bool operator<(const Position& a, const Position& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  }
  friend bool operator==(const Position&, const Position&) = default;
};

template <class Spec>
std::size_t checked_count(const Spec& spec) {
  const double count = std::round(entry_count(spec));
  require(count >= 0 && count <= max_generated_entries,
          "a generated matrix can have at most 4e9 entries");
  return static_cast<std::size_t>(count);
}

template <class Scalar>
HostCsrMatrix<Scalar> assemble(Ordinal rows, Ordinal columns, std::vector<Position> positions,
                               std::mt19937_64& random) {
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("Tomokkos::CsrMatrix::row_offsets",
                                                         static_cast<std::size_t>(rows) + 1);
  const Kokkos::View<Ordinal*, Kokkos::HostSpace> column("Tomokkos::CsrMatrix::columns",
                                                         positions.size());
  const Kokkos::View<Scalar*, Kokkos::HostSpace> value("Tomokkos::CsrMatrix::values",
                                                       positions.size());
  for (std::size_t k = 0; k < positions.size(); ++k) {
    ++offsets(positions[k].row + 1);
    column(k) = positions[k].column;
    value(k) = static_cast<Scalar>(0.5 + unit(random));
  }
  for (Ordinal i = 0; i < rows; ++i) offsets(i + 1) += offsets(i);
  return {rows, columns, offsets, column, value};
}

}  // namespace

template <class Scalar>
HostCsrMatrix<Scalar> generate(const PowerLaw& spec) {
  require(spec.scale >= 0 && spec.scale <= 30,
          "the scale of a power law must lie between 0 and 30");
  const Ordinal n = Ordinal(1) << spec.scale;
  std::mt19937_64 random(spec.seed);
  std::vector<Position> positions(checked_count(spec));
  constexpr double a = 0.57, b = 0.19, c = 0.19;
  for (Position& position : positions) {
    position = {0, 0};
    for (int level = 0; level < spec.scale; ++level) {
      const double draw = unit(random);
      const int down = draw >= a + b ? 1 : 0;
      const int right = (draw >= a && draw < a + b) || draw >= a + b + c ? 1 : 0;
      position = {2 * position.row + down, 2 * position.column + right};
    }
  }
  return assemble<Scalar>(n, n, std::move(positions), random);
}

template <class Scalar>
HostCsrMatrix<Scalar> generate(const Uniform& spec) {
  require(spec.rows >= 1 && spec.columns >= 1,
          "a generated matrix must have at least one row and one column");
  std::mt19937_64 random(spec.seed);
  std::vector<Position> positions(checked_count(spec));
  for (Position& position : positions) {
    position.row = static_cast<Ordinal>(unit(random) * spec.rows);
    position.column = static_cast<Ordinal>(unit(random) * spec.columns);
  }
  return assemble<Scalar>(spec.rows, spec.columns, std::move(positions), random);
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                        \
  template HostCsrMatrix<SCALAR> generate(const PowerLaw&); \
  template HostCsrMatrix<SCALAR> generate(const Uniform&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
