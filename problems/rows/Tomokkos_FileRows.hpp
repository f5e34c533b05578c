// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowTraits.hpp>
#include <filesystem>
#include <string>

namespace Tomokkos {

/// \brief Rows of a matrix in a file: see `read_matrix`. The members are described at `RowSource`.
/// Every call reads the file; `RankMatrixFile` reads only some rows.
struct FileRows {
  static constexpr RowTraits traits{true, false, true, false};

  std::filesystem::path file{};
  MatrixGrids lie{};  ///< grids of columns and rows, as far as known

  std::string name() const { return file.string(); }
  std::string describe() const;
  std::int64_t num_rows() const { return read_matrix<float>(file).num_rows; }
  std::int64_t num_cols() const { return read_matrix<float>(file).num_cols; }
  MatrixGrids grids() const { return lie; }

  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(file);
    if (rows.is_all()) return copy_to<typename ExecutionSpace::memory_space>(exec, A);
    return csr_row_range<ExecutionSpace, Scalar>(exec, A, rows);
  }
};

}  // namespace Tomokkos
