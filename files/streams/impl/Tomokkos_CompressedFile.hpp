// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of matrices in compressed files, decompressed while they are read.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <filesystem>
#include <memory>

namespace Tomokkos::Impl {

/// \brief Compression of a text file, determined by its extension in upper or lower case.
enum class Packing { plain, gzip, tar_gzip };
Packing packing_of(const std::filesystem::path& path);

/// \brief Opens a Matrix Market text: a plain file, the contents of a `.gz` file, or the member
/// `NAME/NAME.mtx` of a `.tar.gz` or `.tgz` archive.
///
/// \throws InputError for a damaged file, for an archive with no such member or with several, and
/// for an archive if the library was built without libarchive; while reading, for a wrong checksum
/// or more bytes than `unpacked_bytes_limit` allows
std::unique_ptr<ByteSource> open_matrix_text(const std::filesystem::path& path);

/// \brief Opens a gzip file with one or more members and verifies its checksums. Its size is the
/// bound given by deflate: 1032 bytes per compressed byte.
std::unique_ptr<ByteSource> open_gzip(const std::filesystem::path& path);

/// \brief Opens the member `NAME/NAME.mtx` of the tar archive in a gzip file. The archive is read
/// twice: first to its end, for the names of its members and the checksum.
std::unique_ptr<ByteSource> open_tar_gzip(const std::filesystem::path& path);

/// \brief Largest number of bytes that a file of \p compressed bytes may decompress to: a quarter
/// of a gigabyte, or 100 per compressed byte if that is more. Texts of matrices shrink to a fifth,
/// rarely to a twentieth. A decompression bomb is a thousand times as large as its file.
std::uint64_t unpacked_bytes_limit(std::uint64_t compressed);

}  // namespace Tomokkos::Impl
