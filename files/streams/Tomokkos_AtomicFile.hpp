// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace Tomokkos {

/// \brief File that appears completely or not at all: written next to its destination, then
/// renamed.
///
/// The bytes go to a new file in the same folder. `commit` flushes it to the disk, closes it and
/// renames it to the destination, whose previous contents remain until then. Without `commit`
/// (after an exception or an error) the destructor removes the temporary file. A replaced file
/// passes its permissions on, already to the temporary file. A symbolic link is replaced, and the
/// file behind it stays. Pipes, terminals, `/dev/stdout` and `/dev/fd/N` are written directly, from
/// the beginning to the end. Folders and other devices are rejected.
///
/// \throws InputError if the destination may not be replaced (`require_replaceable`)
/// \throws OutputError with the destination and the reason given by the system for every failure:
/// full disk, size limit with SIGXFSZ ignored by the caller, missing folder, no permission
///
/// No destructor runs when a signal ends the program. To remove temporary files in this case, call
/// `remove_temporaries` in a signal handler; the library installs none. Files left by SIGKILL or a
/// power failure can be removed later by `remove_abandoned`: a temporary file is locked as long as
/// its writer runs, and its name identifies the machine.
class AtomicFile {
 public:
  /// \brief Creates the temporary file next to \p destination.
  AtomicFile(std::filesystem::path destination, const OutputKind& kind);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \brief Checks the name of \p destination without creating anything. The folder need not exist
  /// yet.
  ///
  /// \throws OutputError if the name is too long, or belongs to a folder or a disk
  static void check(const std::filesystem::path& destination);

  /// \brief Checks that \p destination can be written, before a long computation. Leaves nothing.
  static void probe(const std::filesystem::path& destination, const OutputKind& kind);

  /// \brief True for pipes, terminals, `/dev/stdout` and the like, which are written once.
  static bool is_stream(const std::filesystem::path& destination);

  /// \brief Appends \p bytes bytes through a buffer.
  void write(const void* data, std::size_t bytes);

  /// \brief Appends \p text.
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// \brief Writes \p bytes bytes at \p position without a buffer, for formats that fill in earlier
  /// parts later. Must not be combined with `write`.
  void write_at(std::uint64_t position, const void* data, std::size_t bytes);

  /// \brief Moves the file to its destination.
  void commit();

  /// \brief Removes the temporary files of all existing objects (at most eight). For the signal
  /// handler of a program that ends immediately afterwards: async-signal-safe, and the objects
  /// become unusable.
  static void remove_temporaries() noexcept;

  /// \brief Removes temporary files in \p folder whose writers no longer run, as shown by their
  /// missing locks.
  ///
  /// If locks may not be visible to other machines (shared file systems), only files written on
  /// this machine since its last boot are removed. Failures are ignored.
  ///
  /// \return number of removed files
  static int remove_abandoned(const std::filesystem::path& folder);

 private:
  void create_temporary();
  void open_stream();
  void flush();
  [[noreturn]] void fail(const char* what, int error_number) const;
  [[noreturn]] static void fail(const std::filesystem::path& destination, const char* what,
                                int error_number);

  std::filesystem::path destination_;
  std::filesystem::path temporary_;  // empty for a stream, and after `commit`
  bool is_stream_ = false;
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
  std::optional<mode_t> mode_;  // permissions of the file that is replaced
  int descriptor_ = -1;
  int slot_ = -1;  // index in the list for signal handlers
};

}  // namespace Tomokkos
