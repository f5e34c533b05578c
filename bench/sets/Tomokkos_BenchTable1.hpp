// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "Tomokkos_BenchProfile.hpp"

namespace Tomokkos::Bench {

/// \brief One of the 21 test matrices of Table I of Vazquez, Fernandez and Garzon, "A new approach
/// for sparse matrix vector product on NVIDIA GPUs", 2011, as a profile.
struct Table1Matrix {
  std::string_view name;
  std::string_view origin;  ///< what the matrix is, and so its pattern
  Profile profile;
};

/// \brief All of them, in the order of the table.
///
/// Rows, entries, longest row, sigma and the share of HYB's regular part are those of the table,
/// but for
///  - `dw2048`: sigma 0.506, which its printed 10.24 % of the mean says; the printed 0.61 is that
///  of
///    `dw8192`;
///  - `qcd5_4`: rows of 39, as entries and sigma 0.00 say; the printed maximum is 40.
/// Quartiles of the row lengths are those of the matrix of that name in the SuiteSparse collection,
/// where it is there.
const std::vector<Table1Matrix>& table1();

/// \brief The one called \p name, or nullptr.
const Table1Matrix* find_table1(std::string_view name);

}  // namespace Tomokkos::Bench
