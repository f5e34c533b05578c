// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
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

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path destination)
    : destination_(std::move(destination)), buffer_(std::make_unique<char[]>(buffer_bytes)) {
  struct stat status {};
  if (::stat(destination_.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("a folder of that name is in the way", EISDIR);
    // Renaming over a device or a pipe would replace it by a file.
    if (!S_ISREG(status.st_mode)) fail("it exists and is not a regular file", EEXIST);
    std::error_code error;
    const std::filesystem::path target = std::filesystem::canonical(destination_, error);
    if (!error) destination_ = target;
  }
  do {
    temporary_ = temporary_name(destination_);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) {
    const int error_number = errno;
    temporary_.clear();
    fail("cannot create a file there", error_number);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
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
  // Some file systems have nothing to synchronise and say EINVAL.
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP) {
    fail("flushing to the disk failed", errno);
  }
  close_descriptor();
  if (::rename(temporary_.c_str(), destination_.c_str()) != 0) fail("renaming failed", errno);
  temporary_.clear();
}

}  // namespace Tomokkos
