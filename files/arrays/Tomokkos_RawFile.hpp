// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Reads a file of exactly \p expected_length numbers in the byte order of this machine,
/// without a header.
///
/// \tparam T std::int32_t (counts) or float (images)
/// \param expected_name quantity that determines the length, for messages: `"rows of the matrix"`
/// \throws InputError with both lengths if the file has another one, before any allocation; and for
/// values that are not finite (unless allowed)
///
/// Negative values are not checked.
template <class T>
std::vector<T> read_raw(const std::filesystem::path& path, std::size_t expected_length,
                        std::string_view expected_name, const ReadOptions& options = {});

/// \brief Writes the bytes of \p values. Throws `OutputError`; see `AtomicFile`.
template <class T>
void write_raw(const std::filesystem::path& path, std::span<const T> values);

}  // namespace Tomokkos
