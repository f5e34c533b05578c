// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>
#include <impl/Tomokkos_WriteAt.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace Tomokkos {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

constexpr const char* name_begin = ".tomokkos-";
constexpr const char* name_end = ".tmp";

// Identifies this machine since its last boot, as part of a file name: `node17.3f2a91bc`.
const std::string& machine_name() {
  static const std::string name = [] {
    char host[65] = "";
    ::gethostname(host, sizeof host - 1);
    std::string result;
    for (const char* c = host; *c != '\0'; ++c)
      result += std::isalnum(static_cast<unsigned char>(*c)) != 0 ? *c : '_';
    char boot[9] = "";
    if (const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
        file >= 0) {
      if (::read(file, boot, 8) != 8) boot[0] = '\0';
      ::close(file);
    }
    return result + "." + boot;
  }();
  return name;
}

// Common beginning of the names of this machine's temporary files.
std::string own_name_begin() { return name_begin + machine_name() + "-"; }

// Does not contain the name of the destination, which may already have the maximum length.
std::filesystem::path temporary_name(const std::filesystem::path& destination) {
  static std::atomic<unsigned> counter{0};
  return destination.parent_path() /
         Impl::text("{}{}-{}{}", own_name_begin(), ::getpid(), counter.fetch_add(1), name_end);
}

// True if all processes that may write to the folder see each other's locks.
bool locks_reach_everywhere(const std::filesystem::path& folder) {
  struct statfs status {};
  if (::statfs(folder.c_str(), &status) != 0) return false;
  constexpr unsigned long xfs = 0x58465342, zfs = 0x2fc12fc1;
  switch (static_cast<unsigned long>(status.f_type)) {
    case EXT4_SUPER_MAGIC:
    case xfs:
    case BTRFS_SUPER_MAGIC:
    case zfs:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC:
    case OVERLAYFS_SUPER_MAGIC:
      return true;
    default:
      return false;
  }
}

// Removes a temporary file unless it is locked.
bool remove_unlocked(const std::filesystem::path& file) {
  // Opened for writing, because some network file systems require this for an exclusive lock.
  const int descriptor = ::open(file.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return false;
  struct stat status {};
  const bool removed = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
                       ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && ::unlink(file.c_str()) == 0;
  ::close(descriptor);
  return removed;
}

// Number of an open file that a path names; -1: it names none.
int named_descriptor(const std::filesystem::path& path) {
  const std::string name = path.lexically_normal().string();
  if (name == "/dev/stdout") return STDOUT_FILENO;
  if (name == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    int number = -1;
    const char* const end = name.data() + name.size();
    const auto result = std::from_chars(name.data() + folder.size(), end, number);
    if (result.ec == std::errc() && result.ptr == end) return number;
  }
  return -1;
}

// Paths of the temporary files for signal handlers: no allocation, no lock.
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

}  // namespace

void AtomicFile::remove_temporaries() noexcept {
  const int saved = errno;
  for (const Slot& slot : slots)
    if (slot.state == slot_valid) ::unlink(slot.path);
  errno = saved;
}

int AtomicFile::remove_abandoned(const std::filesystem::path& folder) {
  int count = 0;
  std::error_code error;
  const bool any_machine = locks_reach_everywhere(folder);
  const std::string begin = any_machine ? std::string(name_begin) : own_name_begin();
  // Names with fewer parts have an older format: these files have no lock and do not identify the
  // machine.
  const auto is_ours = [&](const std::string& name) {
    return name.starts_with(begin) && name.ends_with(name_end) &&
           std::count(name.begin(), name.end(), '-') == 3;
  };
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (is_ours(entry->path().filename().string()) && remove_unlocked(entry->path())) ++count;
  return count;
}

AtomicFile::AtomicFile(std::filesystem::path destination, const OutputKind& kind)
    : destination_(std::move(destination)), buffer_(std::make_unique<char[]>(buffer_bytes)) {
  check(destination_);
  if (is_stream(destination_)) {
    open_stream();
    return;
  }
  require_replaceable(destination_, kind);
  struct stat status {};
  if (::lstat(destination_.c_str(), &status) == 0 && S_ISREG(status.st_mode))
    mode_ = status.st_mode & 07777;
  create_temporary();
}

bool AtomicFile::is_stream(const std::filesystem::path& destination) {
  struct stat status {};
  return named_descriptor(destination) >= 0 ||
         (::stat(destination.c_str(), &status) == 0 &&
          (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)));
}

void AtomicFile::probe(const std::filesystem::path& destination, const OutputKind& kind) {
  // A pipe that is closed again would end its reader.
  if (is_stream(destination)) return;
  const AtomicFile file(destination, kind);
}

void AtomicFile::open_stream() {
  is_stream_ = true;
  const int open_file = named_descriptor(destination_);
  if (open_file == STDOUT_FILENO) std::fflush(stdout);
  // The duplicate of a redirected output continues where the output is.
  descriptor_ = open_file >= 0 ? ::fcntl(open_file, F_DUPFD_CLOEXEC, 0)
                               : ::open(destination_.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor_ < 0) fail("cannot be opened", errno);
}

void AtomicFile::check(const std::filesystem::path& destination) {
  struct stat status {};
  if (::stat(destination.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(destination, "a folder of that name exists", EISDIR);
    if (!S_ISREG(status.st_mode) && !is_stream(destination))
      fail(destination, "it exists and is neither a regular file nor a pipe", EEXIST);
    return;
  }
  // If the folder does not exist yet, the nearest existing parent folder determines the longest
  // possible name.
  std::error_code error;
  std::filesystem::path folder = destination.parent_path();
  while (folder.has_relative_path() && !std::filesystem::exists(folder, error))
    folder = folder.parent_path();
  if (::lstat((folder / destination.filename()).c_str(), &status) != 0 && errno == ENAMETOOLONG)
    fail(destination, "cannot create a file there", ENAMETOOLONG);
}

void AtomicFile::create_temporary() {
  // Never more permissive than the file that it replaces, not even temporarily.
  const mode_t mode = mode_ ? *mode_ & 0777 : 0666;
  for (;;) {
    temporary_ = temporary_name(destination_);
    // Registered before the file is created, because a signal may arrive immediately.
    slot_ = register_path(temporary_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    const int error_number = errno;
    if (descriptor_ < 0) {
      unregister_path(slot_);
      if (error_number == EEXIST || error_number == EINTR) continue;
      temporary_.clear();
      fail("cannot create a file there", error_number);
    }
    // Held until the file is renamed. On file systems without locks, files are never treated as
    // abandoned.
    struct stat status {};
    const bool locked = ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (locked && ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0) {
      Impl::forget_read(descriptor_);
      return;
    }
    // Another program found the file before it was locked and is removing it.
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
    unregister_path(slot_);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  unregister_path(slot_);
}

void AtomicFile::fail(const std::filesystem::path& destination, const char* what,
                      int error_number) {
  throw OutputError("cannot write '" + destination.string() + "': " + what + ": " +
                    std::strerror(error_number));
}

void AtomicFile::fail(const char* what, int error_number) const {
  fail(destination_, what, error_number);
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

void AtomicFile::write_at(std::uint64_t position, const void* data, std::size_t bytes) {
  if (descriptor_ < 0) fail("written after it was closed", EBADF);
  if (is_stream_) fail("this format needs a file, not a pipe", ESPIPE);
  if (!Impl::write_at(descriptor_, position, data, bytes)) fail("writing failed", errno);
}

void AtomicFile::commit() {
  if (!is_stream_ && temporary_.empty()) fail("committed twice", EBADF);
  if (descriptor_ < 0) fail("committed after an error", EBADF);
  flush();
  if (is_stream_) {
    if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR)
      fail("closing failed", errno);
    return;
  }
  // Best effort: another owner, or a file system without permissions, is not an error.
  if (mode_) ::fchmod(descriptor_, *mode_);
  // Some file systems have nothing to synchronise and return EINVAL.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("flushing to the disk failed", errno);
  }
  // Network file systems report a full disk only when the file is closed. The duplicate keeps the
  // lock.
  const int lock = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  const int closed = ::close(std::exchange(descriptor_, -1));
  int error_number = closed != 0 && errno != EINTR ? errno : 0;
  const char* what = "closing failed";
  if (error_number == 0 && lock >= 0 && !Impl::is_same_file(lock, temporary_)) {
    error_number = EEXIST;
    what = "another program has replaced its temporary file";
    temporary_.clear();  // not ours
  }
  if (error_number == 0 && ::rename(temporary_.c_str(), destination_.c_str()) != 0) {
    error_number = errno;
    what = "renaming failed";
  }
  if (lock >= 0) ::close(lock);
  if (error_number != 0) fail(what, error_number);
  temporary_.clear();
  unregister_path(slot_);
  // Keeps a power failure from restoring the previous file. The new file itself is already safe.
  const std::filesystem::path folder = destination_.parent_path();
  const int directory =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);
  ::close(directory);
}

}  // namespace Tomokkos
