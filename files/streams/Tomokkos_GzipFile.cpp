// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <impl/Tomokkos_CompressedFile.hpp>
#include <string>
#include <utility>
#include <vector>

#if defined(TOMOKKOS_HAVE_ZLIB)
#include <zlib.h>
#endif

namespace Tomokkos::Impl {

#if defined(TOMOKKOS_HAVE_ZLIB)

namespace {

constexpr std::size_t part_bytes = std::size_t{1} << 16;
constexpr std::uint64_t most_bytes_for_one = 1032;

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(const std::filesystem::path& path, std::uint64_t file_bytes)
      : ByteSource(path.string(),
                   checked_multiply(file_bytes, most_bytes_for_one).value_or(UINT64_MAX)),
        file_(path),
        part_(part_bytes) {
    // 16: expect the header and the checksum of gzip
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK)
      throw InputError(name() + ": cannot be unpacked: out of memory");
  }
  ~GzipSource() override { inflateEnd(&stream_); }

 protected:
  std::size_t read_some(void* buffer, std::size_t bytes) override {
    stream_.next_out = static_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(std::min(bytes, std::size_t{1} << 30));
    const std::size_t wanted = stream_.avail_out;
    while (stream_.avail_out == wanted) {
      if (stream_.avail_in == 0 && !next_part()) break;
      if (between_members_ && !begin_member()) continue;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END)
        between_members_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR)
        fail("damaged: " + std::string(stream_.msg ? stream_.msg : "it cannot be unpacked"));
    }
    unpacked_ += wanted - stream_.avail_out;
    const std::uint64_t limit = unpacked_bytes_limit(file_.size());
    if (unpacked_ > limit)
      fail(
          Impl::text("unpacks to more than {} bytes, which is too much for the {} bytes of the "
                     "file to be a matrix; to read it anyway, unpack it first",
                     limit, file_.size()));
    return wanted - stream_.avail_out;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(name() + ": " + message);
  }

  bool next_part() {
    stream_.next_in = part_.data();
    stream_.avail_in = static_cast<uInt>(file_.read_up_to(part_.data(), part_.size()));
    if (stream_.avail_in > 0) return true;
    if (!between_members_ || file_.size() == 0)
      fail("damaged: the file ends before its compressed content does");
    return false;
  }

  /// Begins a further member; skips zeros that fill a block of a tape.
  bool begin_member() {
    while (stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (*stream_.next_in != 0x1f) fail("damaged: there are bytes after the compressed content");
    inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  InputFile file_;
  std::vector<Bytef> part_;
  z_stream stream_{};
  std::uint64_t unpacked_ = 0;
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_gzip(const std::filesystem::path& path) {
  return std::make_unique<GzipSource>(path, InputFile(path).size());
}

#else

std::unique_ptr<ByteSource> open_gzip(const std::filesystem::path& path) {
  throw InputError(path.string() +
                   ": cannot be read: this library was built without zlib; unpack the file "
                   "(gunzip) and name the .mtx file");
}

#endif

std::uint64_t unpacked_bytes_limit(std::uint64_t compressed) {
  return std::max(std::uint64_t{1} << 28, checked_multiply(compressed, 100).value_or(UINT64_MAX));
}

Packing packing_of(const std::filesystem::path& path) {
  std::string name = path.filename().string();
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (name.ends_with(".tar.gz") || name.ends_with(".tgz")) return Packing::tar_gzip;
  return name.ends_with(".gz") ? Packing::gzip : Packing::plain;
}

std::unique_ptr<ByteSource> open_matrix_text(const std::filesystem::path& path) {
  switch (packing_of(path)) {
    case Packing::gzip:
      return open_gzip(path);
    case Packing::tar_gzip:
      return open_tar_gzip(path);
    case Packing::plain:
      break;
  }
  return std::make_unique<InputFile>(path);
}

}  // namespace Tomokkos::Impl
