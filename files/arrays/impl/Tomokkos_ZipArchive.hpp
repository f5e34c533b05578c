// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that knows the zip library.
#pragma once

#include <Tomokkos_InputFile.hpp>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief A zip archive that is read.
class ZipReader {
 public:
  /// \brief Throws `InputError` for what is no archive, and for one with two members of one name.
  explicit ZipReader(const std::filesystem::path& path);
  ~ZipReader();

  /// \brief Names of all members.
  std::vector<std::string> names() const;
  /// \brief True when there is a member \p name.
  bool contains(const std::string& name) const;
  /// \brief Opens the member \p name. Throws `InputError` when there is none, when it is
  /// encrypted, or when its length is more than its compressed bytes can give. The reader must
  /// outlive what it returns; several members may be open.
  std::unique_ptr<ByteSource> open(const std::string& name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// \brief A member of an archive to be written: the concatenation of \p parts, which must stay
/// alive.
struct ZipMember {
  std::string name;
  std::vector<std::span<const std::byte>> parts;
};

/// \brief Writes an archive; see `AtomicFile` for the errors. All times are set to the first of
/// January 1980, as NumPy does, so that equal content gives equal bytes.
void write_zip(const std::filesystem::path& path, const std::vector<ZipMember>& members,
               bool deflate);

}  // namespace Tomokkos::Impl
