// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos::Bench {

/// \brief A matrix with a power law in rows and columns: R-MAT with the probabilities of Graph500
/// (0.57, 0.19, 0.19, 0.05).
struct PowerLaw {
  int scale = 16;               ///< `2^scale` rows and columns
  double entries_per_row = 16;  ///< before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief Entries spread evenly over all positions.
struct Uniform {
  Ordinal rows = 1;
  Ordinal columns = 1;
  double entries_per_row = 16;  ///< before duplicates are merged
  std::uint64_t seed = 1;
};

/// \brief The most entries, before duplicates are merged, that `generate` takes.
inline constexpr double max_generated_entries = 4e9;

/// \brief Entries of the matrix before duplicates are merged.
inline double entry_count(const PowerLaw& spec) {
  return std::ldexp(spec.entries_per_row, spec.scale);
}
/// \brief Likewise.
inline double entry_count(const Uniform& spec) { return spec.entries_per_row * spec.rows; }

/// \brief The matrix, rows sorted, duplicates merged; values in [0.5, 1.5). The same on every
/// machine for one seed; the scalar does not change the pattern.
///
/// On one host thread: about a second for ten million entries.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const PowerLaw& spec);

/// \brief Likewise.
template <class Scalar>
HostCsrMatrix<Scalar> generate(const Uniform& spec);

}  // namespace Tomokkos::Bench
