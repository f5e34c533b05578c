// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <Tomokkos_BenchProfile.hpp>

namespace Tomokkos::Bench {

/// \brief A published matrix, as a profile from which it is generated.
struct SetMatrix {
  std::string name;
  std::string origin;  ///< what the matrix is, and so its pattern
  Profile profile;
};

/// \brief The matrices of a set in its order: of the data file bench/sets/<name>.yaml, which is
/// part of the program. Row lengths that cannot be met are refused only when a matrix is made.
///
/// \throw Error where there is no such set
const std::vector<SetMatrix>& matrix_set(std::string_view name);

/// \brief The matrix called \p matrix in the set \p name, or nullptr.
const SetMatrix* find_in_set(std::string_view name, std::string_view matrix);

/// \brief A data file as text.
struct SetText {
  std::string_view name;
  std::string_view text;
};

/// \brief All data files; CMake writes the source.
std::vector<SetText> set_texts();

}  // namespace Tomokkos::Bench
