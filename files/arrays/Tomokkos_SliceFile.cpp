// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <cerrno>
#include <cstring>
#include <impl/Tomokkos_WriteAt.hpp>
#include <utility>
#include <vector>

namespace Tomokkos {

template <class Scalar>
SliceFile<Scalar>::SliceFile(std::filesystem::path destination, const SliceFormat& format,
                             const SliceExtents& shape, std::size_t done)
    : destination_(std::move(destination)),
      partial_(destination_.string() + partial_extension),
      format_(format),
      shape_(shape) {
  for (const std::filesystem::path& name : {destination_, partial_}) {
    AtomicFile::check(name);
    if (AtomicFile::is_stream(name)) fail("slices are written to a file, not to a pipe");
  }
  require_replaceable(destination_, format.kind);
  if (shape[0] > format.most_slices)
    fail(std::string(format.kind.name) + " holds at most " + std::to_string(format.most_slices) +
         " images, this one would hold " + std::to_string(shape[0]));
  layout_ = format.layout(shape, sizeof(Scalar));
  first_slice_ = layout_.head.size();
  try {
    if (done > 0)
      reopen(done);
    else
      create();
  } catch (...) {
    close();
    throw;
  }
}

template <class Scalar>
void SliceFile<Scalar>::create() {
  // The name gets a new file, so that nothing is written to a file behind a link.
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ >= 0) {
    lock();
    ::close(std::exchange(descriptor_, -1));
  }
  require_replaceable(partial_, format_.kind);
  ::unlink(partial_.c_str());
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::string("cannot create a file there: ") + std::strerror(errno));
  Impl::forget_read(descriptor_);
  lock();
  is_kept_ = false;
  if (format_.create != nullptr) {
    // Reports a limit of the file size, which a library reports without its reason.
    const std::uint64_t bytes = shape_[0] * layout_.slice_bytes;
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
      fail(std::string("writing failed: ") + std::strerror(errno));
    ::flock(descriptor_, LOCK_UN);  // the library has its own lock
    first_slice_ = format_.create(partial_, shape_, sizeof(Scalar));
    require_own_name();
    return lock();
  }
  if (::ftruncate(descriptor_, 0) != 0)
    fail(std::string("writing failed: ") + std::strerror(errno));
  put(0, layout_.head.data(), layout_.head.size());
}

template <class Scalar>
void SliceFile<Scalar>::reopen(std::size_t done) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(partial_.string() + ": the slices of the earlier run cannot be continued: " +
                     why + "; run without --resume to start again");
  };
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) refuse(errno == ELOOP ? "it is a link" : std::strerror(errno));
  if (format_.find != nullptr) first_slice_ = format_.find(partial_, shape_, sizeof(Scalar));
  lock();
  std::string found(layout_.head.size(), '\0');
  const ssize_t length = ::pread(descriptor_, found.data(), found.size(), 0);
  if (first_slice_ == 0 || length != static_cast<ssize_t>(found.size()) || found != layout_.head)
    refuse("it is not a file of " + std::to_string(shape_[0]) + " slices of " +
           std::to_string(shape_[1]) + " x " + std::to_string(shape_[2]) + " in " +
           scalar_name<Scalar>() + " precision");
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) < first_slice_ + done * layout_.slice_bytes)
    refuse("it holds fewer than the " + std::to_string(done) + " complete slices");
}

/// Makes sure that the name still belongs to the file that is open.
template <class Scalar>
void SliceFile<Scalar>::require_own_name() const {
  if (!Impl::is_same_file(descriptor_, partial_))
    fail("another program has moved or replaced " + partial_.string());
}

/// Makes sure that no other process writes the file.
template <class Scalar>
void SliceFile<Scalar>::lock() {
  // File systems without locks report other errors.
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail("another run is writing it");
}

template <class Scalar>
SliceFile<Scalar>::~SliceFile() {
  close();
}

/// Closes the file, and removes it if no slice has been written.
template <class Scalar>
void SliceFile<Scalar>::close() {
  if (descriptor_ < 0) return;
  if (!is_kept_ && Impl::is_same_file(descriptor_, partial_)) ::unlink(partial_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

template <class Scalar>
void SliceFile<Scalar>::fail(const std::string& what) const {
  throw OutputError("cannot write '" + destination_.string() + "': " + what);
}

template <class Scalar>
void SliceFile<Scalar>::put(std::uint64_t position, const void* data, std::size_t bytes) {
  if (!Impl::write_at(descriptor_, position, data, bytes))
    fail(std::string("writing failed: ") + std::strerror(errno));
}

template <class Scalar>
double SliceFile<Scalar>::fingerprint(std::size_t slice) const {
  std::vector<char> bytes(layout_.used_bytes);
  const std::uint64_t begin = first_slice_ + slice * layout_.slice_bytes;
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t read =
        ::pread(descriptor_, bytes.data() + at, bytes.size() - at, static_cast<off_t>(begin + at));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0)
      throw InputError(partial_.string() + ": slice " + std::to_string(slice) +
                       " cannot be read: " + (read < 0 ? std::strerror(errno) : "the file ends"));
    at += static_cast<std::size_t>(read);
  }
  return fingerprint_number(bytes.data(), bytes.size());
}

template <class Scalar>
std::vector<double> SliceFile<Scalar>::write(std::size_t first, std::span<const Scalar> values) {
  const std::size_t pixels = shape_[1] * shape_[2];
  std::vector<double> fingerprints;
  if (!layout_.slice_head) {
    put(first_slice_ + first * layout_.slice_bytes, values.data(), values.size_bytes());
    for (std::size_t at = 0; at < values.size(); at += pixels)
      fingerprints.push_back(fingerprint_number(values.data() + at, layout_.used_bytes));
  } else {
    std::vector<float> image(pixels);
    for (std::size_t j = 0; j * pixels < values.size(); ++j) {
      std::string page = layout_.slice_head(first + j);
      for (std::size_t i = 0; i < pixels; ++i)
        image[i] = static_cast<float>(values[j * pixels + i]);
      page.append(reinterpret_cast<const char*>(image.data()), pixels * sizeof(float));
      put(first_slice_ + (first + j) * layout_.slice_bytes, page.data(), page.size());
      fingerprints.push_back(fingerprint_number(page.data(), page.size()));
    }
  }
  is_kept_ = true;
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL && errno != ENOTSUP)
    fail(std::string("flushing to the disk failed: ") + std::strerror(errno));
  return fingerprints;
}

template <class Scalar>
void SliceFile<Scalar>::commit() {
  require_own_name();
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0 && errno != EINTR) fail(std::string("closing failed: ") + std::strerror(errno));
  if (::rename(partial_.c_str(), destination_.c_str()) != 0)
    fail(std::string("renaming failed: ") + std::strerror(errno));
}

#define TOMOKKOS_INSTANTIATE(Scalar) template class SliceFile<Scalar>;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
