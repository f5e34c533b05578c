// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A writer replaces only files of its own kind. In a program that protects its inputs, it never
// replaces a file that was read.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Kind of the files of a writer.
struct OutputKind {
  std::string_view name;  ///< with its article, for messages: `a NumPy array of floats`
  /// True if the file \p file is of this kind. Throws nothing.
  bool (*recognises)(const std::filesystem::path& file);
};

/// \brief Checks that an output of this kind may take the name \p destination.
///
/// It may if nothing is there, an empty file, a file of this kind, or one that `allow_replacing`
/// names. A link counts as the file behind it.
///
/// \throws InputError if it is of another kind, or if the program protects its inputs and has read
/// the file under any name
void require_replaceable(const std::filesystem::path& destination, const OutputKind& kind);

/// \brief Protects the files that the process reads from now on. Called once by a program whose
/// inputs are never its outputs; a library may read a file and write it again.
void protect_inputs();

/// \brief Lets outputs replace \p file whatever it contains: a report names it as a result.
void allow_replacing(const std::filesystem::path& file);

namespace Impl {

/// \brief Remembers the file behind \p path as one that has been read.
void note_read(const std::filesystem::path& path);

/// \brief Remembers an open file as one that has been read.
void note_read(int descriptor);

/// \brief Forgets an open file that this process has just created. It may have the number of a file
/// that was read and removed.
void forget_read(int descriptor);

/// \brief True if this process has read the file at \p path, under any name.
bool has_been_read(const std::filesystem::path& path);

/// \brief Files that the thread reads while this object exists do not count as read: they are
/// looked at before they are replaced.
class LookOnly {
 public:
  LookOnly();
  ~LookOnly();
  LookOnly(const LookOnly&) = delete;
  LookOnly& operator=(const LookOnly&) = delete;

 private:
  bool before_;
};

/// \brief First bytes of a file, at most \p most; empty if it cannot be read.
std::string first_bytes(const std::filesystem::path& file, std::size_t most);

/// \brief True if both are names of one existing file.
bool is_same_file(int descriptor, const std::filesystem::path& path);

}  // namespace Impl
}  // namespace Tomokkos
