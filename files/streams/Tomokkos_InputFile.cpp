// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace Tomokkos::Impl {

std::size_t ByteSource::read_up_to(void* buffer, std::size_t bytes) {
  char* target = static_cast<char*>(buffer);
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t got = read_some(target + done, bytes - done);
    if (got == 0) break;
    done += got;
  }
  position_ += done;
  return done;
}

void ByteSource::read_exactly(void* buffer, std::size_t bytes, std::string_view what) {
  const std::uint64_t begin = position_;
  if (read_up_to(buffer, bytes) == bytes) return;
  fail_at(position_, Impl::text("the file ends within {}, which needs {} bytes from byte {}", what,
                                bytes, begin));
}

void ByteSource::skip(std::uint64_t bytes) {
  if (bytes > remaining()) {
    fail_at(size_,
            Impl::text("the file ends, but {} more bytes should be skipped", bytes - remaining()));
  }
  skip_some(bytes);
  position_ += bytes;
}

void ByteSource::skip_some(std::uint64_t bytes) {
  std::array<char, 4096> unused;
  while (bytes > 0) {
    const std::size_t got = read_some(
        unused.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, unused.size())));
    if (got == 0) fail_at(position_, "the file ends before its length");
    bytes -= got;
  }
}

void ByteSource::expect_end() {
  const std::uint64_t end = position_;
  char byte = 0;
  // Attempting to read one more byte also makes an archive verify its checksum.
  if (read_up_to(&byte, 1) != 0) fail_at(end, "there are bytes after the end of the data");
}

void ByteSource::fail_at(std::uint64_t where, const std::string& message) const {
  throw InputError(Impl::text("{}: byte {}: {}", name_, where, message));
}

InputFile::Opened InputFile::open(const std::filesystem::path& path) {
  // Non-blocking, so that a pipe without a writer is rejected below instead of blocking.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) throw InputError(path.string() + ": cannot be read: " + std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const int error_number = errno;
    ::close(descriptor);
    throw InputError(path.string() + ": cannot be read: " + std::strerror(error_number));
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw InputError(path.string() + ": " +
                     (S_ISDIR(status.st_mode) ? "is a folder" : "is not a regular file"));
  }
  note_read(descriptor);
  return {descriptor, static_cast<std::uint64_t>(status.st_size)};
}

InputFile::InputFile(const std::filesystem::path& path) : InputFile(path, open(path)) {}

InputFile::InputFile(const std::filesystem::path& path, const Opened& opened)
    : ByteSource(path.string(), opened.size), descriptor_(opened.descriptor) {}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read_some(void* buffer, std::size_t bytes) {
  while (true) {
    // Linux reads at most 2^31 - 4096 bytes at once.
    const ssize_t got = ::read(descriptor_, buffer, std::min(bytes, std::size_t{1} << 30));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail_at(position(), std::string("reading failed: ") + std::strerror(errno));
  }
}

void InputFile::skip_some(std::uint64_t bytes) {
  if (::lseek(descriptor_, static_cast<off_t>(bytes), SEEK_CUR) < 0) {
    fail_at(position(), std::string("reading failed: ") + std::strerror(errno));
  }
}

namespace {
constexpr std::size_t line_buffer_bytes = std::size_t{1} << 20;
}

LineReader::LineReader(const std::filesystem::path& path)
    : LineReader(std::make_unique<InputFile>(path)) {}

LineReader::LineReader(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)),
      buffer_(std::make_unique_for_overwrite<char[]>(line_buffer_bytes)) {}

std::size_t LineReader::find(char c, std::size_t begin, std::size_t end) const {
  const void* place = std::memchr(buffer_.get() + begin, c, end - begin);
  return place == nullptr
             ? end
             : static_cast<std::size_t>(static_cast<const char*>(place) - buffer_.get());
}

bool LineReader::refill() {
  std::memmove(buffer_.get(), buffer_.get() + start_, filled_ - start_);
  filled_ -= start_;
  start_ = 0;
  if (filled_ == line_buffer_bytes) {
    ++line_number_;
    fail(Impl::text("the line is longer than {} bytes", line_buffer_bytes));
  }
  const std::size_t before = filled_;
  filled_ += source_->read_up_to(buffer_.get() + filled_, line_buffer_bytes - filled_);
  line_feed_ = find('\n', before, filled_);
  return filled_ > before;
}

bool LineReader::next(std::string_view& line) {
  if (line_feed_ < start_) line_feed_ = find('\n', start_, filled_);
  std::size_t stop = find('\r', start_, line_feed_);
  // The line may continue beyond the buffer, and a LF may follow a CR at its end.
  while (line_feed_ == filled_ && stop + 1 >= filled_) {
    const std::size_t length = stop - start_;
    const bool more = refill();
    stop = find('\r', start_ + length, line_feed_);
    if (more) continue;
    if (filled_ == start_) return false;
    break;
  }
  line = std::string_view(buffer_.get() + start_, stop - start_);
  // If there is no LF, this is one position beyond the end.
  start_ = std::min(stop + (stop + 1 == line_feed_ ? 2 : 1), filled_);
  ++line_number_;
  return true;
}

std::string LineReader::where() const {
  return Impl::text("{}:{}: ", source_->name(), line_number_);
}

void LineReader::fail(const std::string& message) const { throw InputError(where() + message); }

}  // namespace Tomokkos::Impl
