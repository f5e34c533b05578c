// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of arrays, and of texts beside them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief An array of an archive, row-major. The values must outlive what is done with it.
struct NpzArray {
  std::string name;  ///< as NumPy shows it, without `.npy`
  std::vector<std::size_t> shape;
  std::variant<std::span<const float>, std::span<const double>> values;
};

/// \brief A member that is a text, which `numpy.load` gives as bytes.
struct NpzText {
  std::string name;
  std::string text;
};

/// \brief True where this library was built with libzip. Without it archives are neither read nor
/// written.
bool can_write_npz();

/// \brief Writes arrays and texts, not compressed, so that `numpy.load` opens them and
/// `read_npz_array` and `read_npz_text` read them. The file appears whole or not at all.
///
/// \pre the product of a shape is the number of its values. Throws `OutputError`; see `AtomicFile`.
void write_npz(const std::filesystem::path& path, const std::vector<NpzArray>& arrays,
               const std::vector<NpzText>& texts = {});

/// \brief Reads the text \p name. Throws `InputError` for a damaged archive and where there is
/// none; `MemoryError` when it does not fit in memory.
std::string read_npz_text(const std::filesystem::path& path, const std::string& name);

}  // namespace Tomokkos
