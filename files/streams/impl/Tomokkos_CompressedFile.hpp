// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of matrices in compressed files, unpacked while they are read.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <filesystem>
#include <memory>

namespace Tomokkos::Impl {

/// \brief How a file holds a text, told by its extension in upper or lower case.
enum class Packing { plain, gzip, tar_gzip };
Packing packing_of(const std::filesystem::path& path);

/// \brief Opens a Matrix Market text: a plain file, the content of a `.gz` file, or the member
/// `NAME/NAME.mtx` of a `.tar.gz` or `.tgz` archive.
///
/// Throws `InputError` for what is damaged, for an archive with no such member or with several, for
/// an archive where the library was built without libarchive, and, while it is read, when the check
/// sum is wrong or more bytes appear than `unpacked_bytes_limit` allows.
std::unique_ptr<ByteSource> open_matrix_text(const std::filesystem::path& path);

/// \brief The content of a gzip file, one or several members one after the other. Its check sums
/// are compared. The size is the bound that deflate has: 1032 bytes for one.
std::unique_ptr<ByteSource> open_gzip(const std::filesystem::path& path);

/// \brief The member `NAME/NAME.mtx` of the tar archive in a gzip file. An archive is read twice:
/// first to its end, for the names of its members and the check sum.
std::unique_ptr<ByteSource> open_tar_gzip(const std::filesystem::path& path);

/// \brief Bytes that a file of \p compressed bytes may unpack to: a quarter of a gigabyte, or 100
/// for one where that is more. Texts of matrices shrink to a fifth, seldom to a twentieth; a bomb
/// is a thousand times as large as its file.
std::uint64_t unpacked_bytes_limit(std::uint64_t compressed);

}  // namespace Tomokkos::Impl
