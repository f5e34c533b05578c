// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <vector>

namespace Tomokkos {

/// \brief True for the extensions `.txt` and `.csv`, in upper or lower case.
bool is_number_list(const std::filesystem::path& path);

/// \brief Reads the numbers of a text file: one in each line, or several, separated by blanks or by
/// single commas. `#` begins a comment; lines without content are skipped.
///
/// The first line of a `.csv` file is skipped if it is a name instead of numbers.
///
/// \throws InputError with file and line for a word that is not a finite number, a missing number
/// between commas, a header of several columns, and a table whose first column numbers its lines;
/// with the file if it holds no number
std::vector<double> read_number_list(const std::filesystem::path& path);

}  // namespace Tomokkos
