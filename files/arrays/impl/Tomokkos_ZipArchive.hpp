// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only interface to the zip library.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Reader of a zip archive.
class ZipReader {
 public:
  /// \brief Opens an archive. Throws `InputError` for other files, and for an archive with two
  /// members of the same name.
  explicit ZipReader(const std::filesystem::path& path);
  ~ZipReader();

  /// \brief Names of all members.
  std::vector<std::string> names() const;
  /// \brief True if the archive has a member \p name.
  bool contains(const std::string& name) const;
  /// \brief Opens the member \p name.
  ///
  /// The reader must outlive the result. Several members may be open at the same time.
  ///
  /// \throws InputError if the member is missing or encrypted, or if its length exceeds what its
  /// compressed bytes can hold
  std::unique_ptr<ByteSource> open(const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// \brief Member of an archive to write: the concatenation of \p parts, whose memory must remain
/// valid.
struct ZipMember {
  std::string name;
  std::vector<std::span<const std::byte>> parts;
};

/// \brief Writes an archive; see `AtomicFile` for the errors. All times are 1 January 1980, as in
/// NumPy, so that equal contents give equal bytes.
void write_zip(const std::filesystem::path& path, const OutputKind& kind,
               const std::vector<ZipMember>& members, bool deflate);

}  // namespace Tomokkos::Impl
