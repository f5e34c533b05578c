// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

// The name does not contain the destination's, which may already be as long as a name can be.
std::filesystem::path temporary_name(const std::filesystem::path& destination) {
  static std::atomic<unsigned> counter{0};
  return destination.parent_path() / (".tomokkos-" + std::to_string(::getpid()) + "-" +
                                      std::to_string(counter.fetch_add(1)) + ".tmp");
}

// Where a link leads to that no file is behind yet.
std::filesystem::path target_of_link(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40; ++links) {
    const std::filesystem::path target = std::filesystem::read_symlink(path, error);
    if (error) break;  // it is none
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return path;
}

// The paths of the temporary files, where a signal handler can read them: no allocation, no lock.
enum SlotState : int { slot_free, slot_claimed, slot_valid };
struct Slot {
  std::atomic<int> state{slot_free};
  char path[PATH_MAX]{};
};
static_assert(std::atomic<int>::is_always_lock_free, "read by signal handlers");
constexpr int num_slots = 8;
Slot slots[num_slots];

int register_path(const std::filesystem::path& path) {
  if (path.native().size() >= sizeof(Slot::path)) return -1;
  for (int i = 0; i < num_slots; ++i) {
    int expected = slot_free;
    if (!slots[i].state.compare_exchange_strong(expected, slot_claimed)) continue;
    std::strcpy(slots[i].path, path.c_str());
    slots[i].state = slot_valid;
    return i;
  }
  return -1;
}

void unregister_path(int& slot) {
  if (slot >= 0) slots[slot].state = slot_free;
  slot = -1;
}

// libzip builds an archive in `<path>.XXXXXX` before it replaces the path.
void remove_siblings(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash != nullptr ? slash + 1 : path;
  const std::size_t length = std::strlen(name);
  char folder[PATH_MAX] = ".";
  if (slash != nullptr) {
    const auto bytes = static_cast<std::size_t>(name - path);
    std::memcpy(folder, path, bytes);
    folder[bytes] = '\0';
  }
  const int descriptor = ::open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  // Not readdir, which allocates.
  alignas(dirent64) char entries[4096];
  for (;;) {
    const ssize_t bytes = ::getdents64(descriptor, entries, sizeof entries);
    if (bytes <= 0) break;
    for (ssize_t at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(entries + at);
      at += entry->d_reclen;
      if (std::strncmp(entry->d_name, name, length) == 0 && entry->d_name[length] == '.' &&
          std::strlen(entry->d_name) == length + 7)
        ::unlinkat(descriptor, entry->d_name, 0);
    }
  }
  ::close(descriptor);
}

}  // namespace

void AtomicFile::remove_temporaries() noexcept {
  const int saved = errno;
  for (const Slot& slot : slots) {
    if (slot.state != slot_valid) continue;
    ::unlink(slot.path);
    remove_siblings(slot.path);
  }
  errno = saved;
}

AtomicFile::AtomicFile(std::filesystem::path destination)
    : destination_(std::move(destination)), buffer_(std::make_unique<char[]>(buffer_bytes)) {
  struct stat status {};
  if (::stat(destination_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("a folder of that name is in the way", EISDIR);
    // Renaming over a device or a pipe would replace it by a file.
    if (!S_ISREG(status.st_mode)) fail("it exists and is not a regular file", EEXIST);
    mode_ = status.st_mode & 07777;
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(destination_, error);
    if (!error) destination_ = target;
  } else {
    destination_ = target_of_link(destination_);
  }
  int error_number = 0;
  do {
    temporary_ = temporary_name(destination_);
    // Known before it exists: a signal may come at once.
    slot_ = register_path(temporary_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    error_number = errno;
    if (descriptor_ < 0) unregister_path(slot_);
  } while (descriptor_ < 0 && (error_number == EEXIST || error_number == EINTR));
  if (descriptor_ < 0) {
    temporary_.clear();
    fail("cannot create a file there", error_number);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unregister_path(slot_);
}

void AtomicFile::fail(const char* what, int error_number) const {
  throw OutputError("cannot write '" + destination_.string() + "': " + what + ": " +
                    std::strerror(error_number));
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  if (descriptor_ < 0) fail("written after it was closed", EBADF);
  const char* source = static_cast<const char*>(data);
  while (bytes > 0) {
    const std::size_t part = std::min(bytes, buffer_bytes - buffered_);
    std::memcpy(buffer_.get() + buffered_, source, part);
    buffered_ += part;
    source += part;
    bytes -= part;
    if (buffered_ == buffer_bytes) flush();
  }
}

void AtomicFile::flush() {
  std::size_t done = 0;
  while (done < buffered_) {
    const ssize_t written = ::write(descriptor_, buffer_.get() + done, buffered_ - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("writing failed", errno);
    }
    done += static_cast<std::size_t>(written);
  }
  buffered_ = 0;
}

void AtomicFile::close_descriptor() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  // Network file systems report a full disk only here.
  if (::close(descriptor) != 0 && errno != EINTR) fail("closing failed", errno);
}

const std::filesystem::path& AtomicFile::hand_over() {
  if (descriptor_ >= 0) {
    flush();
    close_descriptor();
  }
  return temporary_;
}

void AtomicFile::commit() {
  if (temporary_.empty()) fail("committed twice", EBADF);
  if (descriptor_ >= 0) {
    flush();
  } else {
    // A library may have replaced the file: open what is there now.
    descriptor_ = ::open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor_ < 0) fail("the temporary file is gone", errno);
  }
  // As far as the file system has such: a file of another owner, or none at all, is no error.
  if (mode_) ::fchmod(descriptor_, *mode_);
  // Some file systems have nothing to synchronise and say EINVAL.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("flushing to the disk failed", errno);
  }
  close_descriptor();
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) fail("renaming failed", errno);
  temporary_.clear();
  unregister_path(slot_);
}

}  // namespace Tomokkos
