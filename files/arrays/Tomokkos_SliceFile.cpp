// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <Tomokkos_Tiff.hpp>
#include <bit>
#include <cerrno>
#include <cstring>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <impl/Tomokkos_WriteAt.hpp>
#include <utility>
#include <vector>

namespace Tomokkos {

namespace {

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Numbers are written in the byte order of the machine, which the first two bytes name.
constexpr std::uint16_t byte_order = std::endian::native == std::endian::little ? 0x4949 : 0x4d4d;
constexpr std::size_t page_entries = 12;

constexpr std::uint64_t rounded_up(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

std::uint64_t page_head_bytes(bool is_big) {
  return rounded_up(is_big ? 16 + page_entries * 20 : 6 + page_entries * 12);
}

const OutputKind& kind_of(SliceFormat format) {
  switch (format) {
    case SliceFormat::npy:
      return npy_output;
    case SliceFormat::tiff:
      return tiff_output;
    case SliceFormat::hdf5:
      break;
  }
  return hdf5_output;
}

}  // namespace

template <class Scalar>
SliceFile<Scalar>::SliceFile(std::filesystem::path destination, SliceFormat format,
                             const std::array<std::size_t, 3>& shape, std::size_t done)
    : destination_(std::move(destination)),
      partial_(destination_.string() + partial_extension),
      format_(format),
      shape_(shape) {
  for (const std::filesystem::path& name : {destination_, partial_}) {
    AtomicFile::check(name);
    if (AtomicFile::is_stream(name)) fail("slices are written to a file, not to a pipe");
  }
  require_replaceable(destination_, kind_of(format));
  const std::size_t pixels = shape[1] * shape[2];
  slice_bytes_ = pixels * sizeof(Scalar);
  if (format == SliceFormat::tiff) {
    if (shape[0] > most_pages)
      fail("a TIFF file holds at most " + std::to_string(most_pages) +
           " images, this one would hold " + std::to_string(shape[0]));
    is_big_ = shape[0] * (pixels * sizeof(float) + 512) > 4'000'000'000;
    slice_bytes_ = rounded_up(page_head_bytes(is_big_) + pixels * sizeof(float));
  }
  first_slice_ = head().size();
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
  require_replaceable(partial_, kind_of(format_));
  ::unlink(partial_.c_str());
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::string("cannot create a file there: ") + std::strerror(errno));
  Impl::forget_read(descriptor_);
  lock();
  is_kept_ = false;
  if (format_ == SliceFormat::hdf5) {
    // Reports a limit of the file size, which the HDF5 library reports without its reason.
    const std::uint64_t bytes = shape_[0] * slice_bytes_;
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
      fail(std::string("writing failed: ") + std::strerror(errno));
    ::flock(descriptor_, LOCK_UN);  // the library has its own lock
    first_slice_ = Impl::create_hdf5_array<Scalar>(partial_, {shape_.begin(), shape_.end()});
    require_own_name();
    return lock();
  }
  if (::ftruncate(descriptor_, 0) != 0)
    fail(std::string("writing failed: ") + std::strerror(errno));
  const std::string begin = head();
  put(0, begin.data(), begin.size());
}

template <class Scalar>
void SliceFile<Scalar>::reopen(std::size_t done) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(partial_.string() + ": the slices of the earlier run cannot be continued: " +
                     why + "; run without --resume to start again");
  };
  descriptor_ = ::open(partial_.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor_ < 0) refuse(errno == ELOOP ? "it is a link" : std::strerror(errno));
  if (format_ == SliceFormat::hdf5)
    first_slice_ = Impl::find_hdf5_array<Scalar>(partial_, {shape_.begin(), shape_.end()});
  lock();
  const std::string begin = head();
  std::string found(begin.size(), '\0');
  const ssize_t length = ::pread(descriptor_, found.data(), found.size(), 0);
  if (first_slice_ == 0 || length != static_cast<ssize_t>(begin.size()) || found != begin)
    refuse("it is not a file of " + std::to_string(shape_[0]) + " slices of " +
           std::to_string(shape_[1]) + " x " + std::to_string(shape_[2]) + " in " +
           scalar_name<Scalar>() + " precision");
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 ||
      static_cast<std::uint64_t>(status.st_size) < first_slice_ + done * slice_bytes_)
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

/// Bytes before the first slice; empty for HDF5, whose library writes them.
template <class Scalar>
std::string SliceFile<Scalar>::head() const {
  if (format_ == SliceFormat::npy)
    return Impl::npy_header_text(Impl::npy_descr<Scalar>(), {shape_.begin(), shape_.end()});
  std::string bytes;
  if (format_ == SliceFormat::hdf5) return bytes;
  append(bytes, byte_order);
  if (is_big_) {
    append(bytes, std::uint16_t{43});
    append(bytes, std::uint16_t{8});
    append(bytes, std::uint16_t{0});
    append(bytes, std::uint64_t{16});
  } else {
    append(bytes, std::uint16_t{42});
    append(bytes, std::uint32_t{16});
  }
  bytes.resize(16, '\0');
  return bytes;
}

/// Directory of a page, whose pixels follow it as one strip.
template <class Scalar>
std::string SliceFile<Scalar>::page_head(std::size_t slice) const {
  const std::uint64_t begin = first_slice_ + slice * slice_bytes_;
  const std::uint64_t pixel_bytes = shape_[1] * shape_[2] * sizeof(float);
  std::string bytes;
  const auto number = [&](std::uint64_t value) {
    if (is_big_) return append(bytes, value);
    append(bytes, static_cast<std::uint32_t>(value));
  };
  const auto entry = [&](int tag, std::uint64_t value, bool is_position = false) {
    constexpr int type_long = 4, type_long8 = 16;
    append(bytes, static_cast<std::uint16_t>(tag));
    append(bytes, static_cast<std::uint16_t>(is_position && is_big_ ? type_long8 : type_long));
    number(1);
    number(value);
  };
  if (is_big_)
    append(bytes, std::uint64_t{page_entries});
  else
    append(bytes, static_cast<std::uint16_t>(page_entries));
  entry(254, 2);                                             // NewSubfileType: a page
  entry(256, shape_[2]);                                     // ImageWidth
  entry(257, shape_[1]);                                     // ImageLength
  entry(258, 8 * sizeof(float));                             // BitsPerSample
  entry(259, 1);                                             // Compression: none
  entry(262, 1);                                             // PhotometricInterpretation: grey
  entry(273, begin + page_head_bytes(is_big_), true);        // StripOffsets
  entry(277, 1);                                             // SamplesPerPixel
  entry(278, shape_[1]);                                     // RowsPerStrip
  entry(279, pixel_bytes, true);                             // StripByteCounts
  entry(284, 1);                                             // PlanarConfiguration
  entry(339, 3);                                             // SampleFormat: floating point
  number(slice + 1 < shape_[0] ? begin + slice_bytes_ : 0);  // next page
  bytes.resize(page_head_bytes(is_big_), '\0');
  return bytes;
}

template <class Scalar>
void SliceFile<Scalar>::put(std::uint64_t position, const void* data, std::size_t bytes) {
  if (!Impl::write_at(descriptor_, position, data, bytes))
    fail(std::string("writing failed: ") + std::strerror(errno));
}

/// Bytes of a slice without those that fill it up to the next one.
template <class Scalar>
std::size_t SliceFile<Scalar>::used_bytes() const {
  if (format_ != SliceFormat::tiff) return slice_bytes_;
  return page_head_bytes(is_big_) + shape_[1] * shape_[2] * sizeof(float);
}

template <class Scalar>
double SliceFile<Scalar>::fingerprint(std::size_t slice) const {
  std::vector<char> bytes(used_bytes());
  const std::uint64_t begin = first_slice_ + slice * slice_bytes_;
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
  if (format_ != SliceFormat::tiff) {
    put(first_slice_ + first * slice_bytes_, values.data(), values.size_bytes());
    for (std::size_t at = 0; at < values.size(); at += pixels)
      fingerprints.push_back(fingerprint_number(values.data() + at, used_bytes()));
  } else {
    std::vector<float> image(pixels);
    for (std::size_t j = 0; j * pixels < values.size(); ++j) {
      std::string page = page_head(first + j);
      for (std::size_t i = 0; i < pixels; ++i)
        image[i] = static_cast<float>(values[j * pixels + i]);
      page.append(reinterpret_cast<const char*>(image.data()), pixels * sizeof(float));
      put(first_slice_ + (first + j) * slice_bytes_, page.data(), page.size());
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
