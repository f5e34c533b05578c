// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <impl/Tomokkos_CompressedFile.hpp>
#include <string>

#if defined(TOMOKKOS_HAVE_LIBARCHIVE)

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {
namespace {

/// Reads the members of an archive in order. Decompression is our own: unlike the library, it
/// verifies the checksum and limits the size.
class TarReader {
 public:
  explicit TarReader(const std::filesystem::path& path)
      : source_(open_gzip(path)), archive_(archive_read_new()), part_(std::size_t{1} << 16) {
    if (archive_ == nullptr) throw InputError(path.string() + ": cannot be read: out of memory");
    archive_read_support_format_tar(archive_);
    check(archive_read_open(archive_, this, nullptr, read_part, nullptr));
  }
  ~TarReader() { archive_read_free(archive_); }
  TarReader(const TarReader&) = delete;
  TarReader& operator=(const TarReader&) = delete;

  const std::string& file() const { return source_->name(); }

  /// Advances to the next member that is a file.
  bool next() {
    while (true) {
      const int status = archive_read_next_header(archive_, &entry_);
      if (status == ARCHIVE_EOF) break;
      check(status);
      if (archive_entry_filetype(entry_) == AE_IFREG && archive_entry_hardlink(entry_) == nullptr)
        return true;
    }
    // The checksum follows the end of the archive.
    std::vector<char> rest(part_.size());
    while (source_->read_up_to(rest.data(), rest.size()) > 0) continue;
    return false;
  }

  std::string name() const {
    const char* text = archive_entry_pathname(entry_);
    std::string name = text == nullptr ? "" : text;
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; }, '?');
    return name.starts_with("./") ? name.substr(2) : name;
  }

  std::uint64_t size() const {
    return static_cast<std::uint64_t>(std::max<la_int64_t>(archive_entry_size(entry_), 0));
  }

  std::size_t read(void* buffer, std::size_t bytes) {
    const la_ssize_t got = archive_read_data(archive_, buffer, bytes);
    if (got < 0) check(static_cast<int>(got));
    return static_cast<std::size_t>(got);
  }

 private:
  void check(int status) {
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    const char* reason = archive_error_string(archive_);
    throw InputError(file() +
                     ": not a readable tar archive: " + (reason == nullptr ? "damaged" : reason));
  }

  // No exception may pass through the library.
  static la_ssize_t read_part(archive* archive, void* self, const void** buffer) noexcept {
    auto& reader = *static_cast<TarReader*>(self);
    *buffer = reader.part_.data();
    try {
      return static_cast<la_ssize_t>(
          reader.source_->read_up_to(reader.part_.data(), reader.part_.size()));
    } catch (...) {
      reader.error_ = std::current_exception();
      archive_set_error(archive, EIO, "reading failed");
      return -1;
    }
  }

  std::unique_ptr<ByteSource> source_;
  archive* archive_;
  archive_entry* entry_ = nullptr;
  std::vector<char> part_;
  std::exception_ptr error_;
};

class TarSource final : public ByteSource {
 public:
  TarSource(std::unique_ptr<TarReader> reader, const std::string& member)
      : ByteSource(reader->file() + "(" + member + ")", reader->size()),
        reader_(std::move(reader)) {}

 protected:
  std::size_t read_some(void* buffer, std::size_t bytes) override {
    return reader_->read(buffer, bytes);
  }

 private:
  std::unique_ptr<TarReader> reader_;
};

/// True for `NAME/NAME.mtx`.
bool is_matrix_of_its_folder(const std::string& member) {
  const std::size_t slash = member.find('/');
  return slash != std::string::npos && slash > 0 &&
         member.substr(slash + 1) == member.substr(0, slash) + ".mtx";
}

/// Finds the number of the member that is the matrix, and its name.
std::pair<std::size_t, std::string> find_matrix(const std::filesystem::path& path) {
  constexpr std::size_t most_listed = 20;
  TarReader reader(path);
  std::optional<std::pair<std::size_t, std::string>> matrix;
  std::string list;
  std::size_t matrices = 0, members = 0;
  for (; reader.next(); ++members) {
    const std::string name = reader.name();
    if (members < most_listed) list += (list.empty() ? "" : ", ") + name;
    if (!is_matrix_of_its_folder(name)) continue;
    if (++matrices == 1) matrix = {members, name};
  }
  if (members > most_listed) list += Impl::text(" and {} more", members - most_listed);
  if (matrices == 1) return *matrix;
  throw InputError(
      path.string() + ": has " +
      (matrices == 0 ? "no member" : Impl::text("{} members", matrices)) +
      " NAME/NAME.mtx, of which one is expected; it has: " + (list.empty() ? "none" : list));
}

}  // namespace

std::unique_ptr<ByteSource> open_tar_gzip(const std::filesystem::path& path) {
  const auto [number, name] = find_matrix(path);
  auto reader = std::make_unique<TarReader>(path);
  for (std::size_t i = 0; i <= number; ++i)
    if (!reader->next()) throw InputError(path.string() + ": changes while it is read");
  return std::make_unique<TarSource>(std::move(reader), name);
}

}  // namespace Tomokkos::Impl

#else

namespace Tomokkos::Impl {

std::unique_ptr<ByteSource> open_tar_gzip(const std::filesystem::path& path) {
  throw InputError(path.string() +
                   ": cannot be read: this library was built without libarchive; unpack the "
                   "archive (tar xzf) and name the .mtx file");
}

}  // namespace Tomokkos::Impl

#endif
