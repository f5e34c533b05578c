// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes of a run in a format, estimated from some rows of its matrix.
#pragma once

#include <Tomokkos_Formats.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Size of a matrix as far as some of its rows tell it.
struct MatrixSample {
  double nonzeros = 0;  ///< approximate number of nonzeros of the whole matrix
  double sampled = 0;   ///< nonzeros of the rows that were built
  std::vector<FormatSize>
      sizes;  ///< sizes of these rows in each format that depends on the pattern
};

/// \brief Counts up to 16 views of the matrix of \p input, or first crystals, and builds some rows
/// with at most a few million nonzeros.
///
/// \pre the matrix is built from a geometry
template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RunInput& input);

/// \brief Estimate of a run in one format.
struct FormatEstimate {
  double bytes = 0;      ///< of the matrix, with its stored transpose if the run makes one
  double run_bytes = 0;  ///< of the whole run, when it needs most of them
};

/// \brief Estimates the run of \p config. Empty if its format is `automatic`, which is chosen when
/// the matrix is known.
template <class ExecutionSpace, class Scalar>
std::optional<FormatEstimate> estimate_format(const ExecutionSpace& exec, const RunConfig& config,
                                              const RunInput& input, const MatrixSample& sample);

}  // namespace Tomokkos
