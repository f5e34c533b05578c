// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief The keys of `operator` that give a format its shape, of all formats.
std::vector<std::string_view> format_keys();

/// \brief The names that `operator.format` takes: those of `MatrixFormat`, `scsr`,
/// `block_circulant` and `automatic`.
std::vector<std::string_view> format_names();

/// \brief The formats whose products can be restricted to a range of rows, as a message names them:
/// "csr and ray_tiles".
std::string formats_with_row_ranges();

/// \brief Reads what gives the format of \p section its shape. Keys of other formats are refused
/// with the formats that have them.
void read_format_keys(const ConfigReader& reader, OperatorSection& section);

/// \brief Refuses all of these keys, for a matrix that is stored as \p format says.
void refuse_format_keys(const ConfigReader& reader, const std::string& format);

/// \brief Sets the keys of the format of \p section in \p node.
void write_format_keys(const OperatorSection& section, ConfigNode& node);

}  // namespace Tomokkos
