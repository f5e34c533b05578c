// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of matrices by `tomokkos info`.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Options of the description of a matrix.
struct MatrixQuestions {
  Ordinal blocks = 0;       ///< blocks of the first block row in a file; 0: not given
  bool exact = false;       ///< builds the matrix of a configuration whatever its size
  bool collisions = false;  ///< counts collisions in pairs of rows, which converts the matrix twice
};

/// \brief Describes the matrix in \p file, also as the first block row of a block-circulant matrix
/// if the number of blocks is given or in the file.
///
/// \throws InputError; MemoryError; ConfigError if the number of blocks does not divide the columns
/// or differs from that in the file
void add_matrix_file(const std::string& file, const MatrixQuestions& asked, Description& node);

/// \brief Describes the matrix of a configuration, read from \p root: its figures and its bytes in
/// each format, unless it is large and `asked.exact` is false. Without building the matrix of a
/// scan, estimates the bytes of a run in each format that the configuration allows, and whether
/// they fit.
void add_matrix_of_problem(const ConfigNode& root, const RunConfig& config,
                           const MatrixQuestions& asked, Description& node);

}  // namespace Tomokkos
