// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of arrays and texts.
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Row-major array of an archive. The values must outlive the object.
struct NpzArray {
  std::string name;  ///< name that NumPy shows, without `.npy`
  std::vector<std::size_t> shape;
  std::variant<std::span<const float>, std::span<const double>> values;
};

/// \brief Text in an archive, which `numpy.load` returns as bytes.
struct NpzText {
  std::string name;
  std::string text;
};

/// \brief True if this library was built with libzip. Without it, archives can be neither read nor
/// written.
bool can_write_npz();

/// \brief True if \p file is an archive with all of these members, whose names include `.npy`.
/// Throws nothing.
bool has_npz_members(const std::filesystem::path& file,
                     std::initializer_list<std::string_view> members);

/// \brief Any archive that NumPy reads.
extern const OutputKind npz_output;

/// \brief Writes arrays and texts, uncompressed, for `numpy.load`, `read_npz_array` and
/// `read_npz_text`. The file appears completely or not at all.
///
/// \pre the product of each shape is the number of its values
/// \param kind what the archive is; it replaces nothing else
/// \throws OutputError when the file cannot be written; see `AtomicFile`
void write_npz(const std::filesystem::path& path, const std::vector<NpzArray>& arrays,
               const std::vector<NpzText>& texts = {}, const OutputKind& kind = npz_output);

/// \brief Reads the text \p name.
///
/// \throws InputError for a damaged archive or a missing text
/// \throws MemoryError if the text does not fit in memory
std::string read_npz_text(const std::filesystem::path& path, const std::string& name);

}  // namespace Tomokkos
