// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
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
/// replaced hands on its permissions, already to the temporary one. A destination that is a
/// symbolic link is followed, also to where there is no file yet; one that is a folder or a device
/// is refused.
///
/// Every failure (full disk, size limit with SIGXFSZ ignored by the caller, missing folder, no
/// permission) throws `OutputError` with the destination and the system's reason.
///
/// A signal that ends the program destroys nothing: a program that wants no temporary file to stay
/// behind calls `remove_temporaries` in its handler. The library installs none. What SIGKILL or a
/// power cut leaves is for `remove_abandoned` of a later program: a temporary file is locked as
/// long as its writer lives, and its name tells the machine.
class AtomicFile {
 public:
  /// \brief Creates the temporary file beside \p destination.
  explicit AtomicFile(std::filesystem::path destination);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// \brief Throws what the constructor would throw because of the name of \p destination: it is
  /// too long, or that of a folder or a device. Creates nothing; the folder need not exist yet.
  static void check(const std::filesystem::path& destination);

  /// \brief Appends \p bytes bytes, through a buffer.
  void write(const void* data, std::size_t bytes);

  /// \brief Appends \p text.
  void write(std::string_view text) { write(text.data(), text.size()); }

  /// \brief Writes \p bytes bytes at \p position, at once, for formats that go back to fill in what
  /// they did not know. Not together with `write`.
  void write_at(std::uint64_t position, const void* data, std::size_t bytes);

  /// \brief Makes the file appear at its destination.
  void commit();

  /// \brief Removes the temporary files of all objects there are (the first eight, should there be
  /// more). For the signal handler of a program that ends right after: async-signal-safe, and the
  /// objects are good for nothing afterwards.
  static void remove_temporaries() noexcept;

  /// \brief Removes the temporary files in \p folder whose writers are gone: they are not locked.
  /// Where locks may not reach from one machine to another (shared file systems), only those that
  /// were written on this machine since it was started. Never throws for what it cannot do.
  ///
  /// \return how many were removed
  static int remove_abandoned(const std::filesystem::path& folder);

 private:
  void create_temporary();
  void flush();
  [[noreturn]] void fail(const char* what, int error_number) const;
  [[noreturn]] static void fail(const std::filesystem::path& destination, const char* what,
                                int error_number);

  std::filesystem::path destination_;
  std::filesystem::path temporary_;
  std::unique_ptr<char[]> buffer_;
  std::size_t buffered_ = 0;
  std::optional<mode_t> mode_;  // of the file that is replaced
  int descriptor_ = -1;
  int slot_ = -1;  // among the paths that signal handlers see
};

}  // namespace Tomokkos
