// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Reads a file that holds nothing but \p expected_length numbers in the byte order of this
/// machine.
///
/// \tparam T std::int32_t (counts) or float (images).
/// \param expected_name where the length comes from, for messages: `"rows of the matrix"`.
/// Throws `InputError` with both lengths when the file has another one, before any allocation, and
/// for values that are not finite (unless allowed). Whether negative values make sense is the
/// caller's business.
template <class T>
std::vector<T> read_raw(const std::filesystem::path& path, std::size_t expected_length,
                        std::string_view expected_name, const ReadOptions& options = {});

/// \brief Writes the bytes of \p values. Throws `OutputError`; see `AtomicFile`.
template <class T>
void write_raw(const std::filesystem::path& path, std::span<const T> values);

}  // namespace Tomokkos
