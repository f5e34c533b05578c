// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <cerrno>
#include <mutex>
#include <set>
#include <utility>

namespace Tomokkos {

namespace {

/// Files that this process has read, independent of their names, and names that may be replaced.
struct KnownFiles {
  std::mutex mutex;
  bool are_protected = false;
  std::set<std::pair<dev_t, ino_t>> read;
  std::set<std::filesystem::path> replaceable;
};

KnownFiles& known_files() {
  static KnownFiles files;
  return files;
}

std::filesystem::path full_name(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal();
}

bool may_be_replaced(const std::filesystem::path& file) {
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  return known.replaceable.count(full_name(file)) > 0;
}

thread_local bool looks_only = false;

void note(const struct stat& status) {
  if (looks_only) return;
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  if (known.are_protected) known.read.emplace(status.st_dev, status.st_ino);
}

}  // namespace

void require_replaceable(const std::filesystem::path& destination, const OutputKind& kind) {
  struct stat status {};
  if (::stat(destination.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return;
  if (Impl::has_been_read(destination))
    throw InputError(destination.string() +
                     ": would be overwritten, but is a file that is read; choose another name for "
                     "the output");
  const Impl::LookOnly looks;
  if (status.st_size == 0 || kind.recognises(destination) || may_be_replaced(destination)) return;
  throw InputError(destination.string() + ": exists and is not " + std::string(kind.name) +
                   ", so it is not replaced; move it, or choose another name for the output");
}

void protect_inputs() {
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.are_protected = true;
}

void allow_replacing(const std::filesystem::path& file) {
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.replaceable.insert(full_name(file));
}

namespace Impl {

void note_read(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) note(status);
}

void note_read(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) == 0) note(status);
}

void forget_read(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return;
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  known.read.erase({status.st_dev, status.st_ino});
}

bool has_been_read(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  KnownFiles& known = known_files();
  const std::lock_guard<std::mutex> lock(known.mutex);
  return known.read.count({status.st_dev, status.st_ino}) > 0;
}

LookOnly::LookOnly() : before_(std::exchange(looks_only, true)) {}
LookOnly::~LookOnly() { looks_only = before_; }

std::string first_bytes(const std::filesystem::path& file, std::size_t most) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return {};
  std::string bytes(most, '\0');
  ssize_t length = 0;
  do {
    length = ::pread(descriptor, bytes.data(), most, 0);
  } while (length < 0 && errno == EINTR);
  ::close(descriptor);
  bytes.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return bytes;
}

bool is_same_file(int descriptor, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

}  // namespace Impl
}  // namespace Tomokkos
