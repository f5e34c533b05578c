// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

namespace Tomokkos {

/// \brief A file that appears whole or not at all: written beside its place, then renamed.
///
/// The bytes go to a new file in the same folder. `commit` flushes it to the disk, closes it and
/// renames it over the destination, which until then keeps what it held. An object that is
/// destroyed before `commit` (an exception, an error) removes its temporary file. A file that is
/// replaced hands on its permissions. A destination that is a symbolic link is followed, also to
/// where there is no file yet; one that is a folder or a device is refused.
///
/// Every failure (full disk, size limit with SIGXFSZ ignored by the caller, missing folder, no
/// permission) throws `OutputError` with the destination and the system's reason.
///
/// A signal that ends the program destroys nothing: a program that wants no temporary file to stay
/// behind calls `remove_temporaries` in its handler. The library installs none.
class AtomicFile {
 public:
  /// \brief Creates the temporary file beside \p destination.
  explicit AtomicFile(std::filesystem::path destination);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \brief Appends \p bytes bytes, through a buffer.
  void write(const void* data, std::size_t bytes);

  /// \brief Appends \p text.
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// \brief Closes the temporary file and returns its path, for a library that writes files by
  /// name. `write` must not be called afterwards; `commit` must.
  const std::filesystem::path& hand_over();

  /// \brief Makes the file appear at its destination.
  void commit();

  /// \brief Removes the temporary files of all objects there are (the first eight, should there be
  /// more), and those that a library has made beside one. For the signal handler of a program that
  /// ends right after: async-signal-safe, and the objects are good for nothing afterwards.
  static void remove_temporaries() noexcept;

 private:
  void flush();
  void close_descriptor();
  [[noreturn]] void fail(const char* what, int error_number) const;

  std::filesystem::path destination_;
  std::filesystem::path temporary_;
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
  std::optional<mode_t> mode_;  // of the file that is replaced
  int descriptor_ = -1;
  int slot_ = -1;  // among the paths that signal handlers see
};

}  // namespace Tomokkos
