// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Tomokkos_BenchProfile.hpp>

namespace Tomokkos::Bench {

/// \brief Published matrix, given as a profile from which it is generated.
struct SetMatrix {
  std::string name;
  std::string origin;  ///< description of the matrix, which explains its pattern
  Profile profile;
};

/// \brief Returns the matrices of a set in the order of its data file bench/sets/<name>.yaml, which
/// is part of the program.
///
/// Row lengths that cannot be met cause an error only when the matrix is made.
///
/// \throws Error when there is no such set
const std::vector<SetMatrix>& matrix_set(std::string_view name);

/// \brief Finds the matrix called \p matrix in the set \p name; nullptr if there is none.
const SetMatrix* find_set_matrix(std::string_view name, std::string_view matrix);

/// \brief Data file as text.
struct SetText {
  std::string_view name;
  std::string_view text;
};

/// \brief Returns all data files. CMake writes the source of this function.
std::vector<SetText> set_texts();

}  // namespace Tomokkos::Bench
