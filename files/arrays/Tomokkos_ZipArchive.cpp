// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <impl/Tomokkos_ZipArchive.hpp>
#include <utility>

#if defined(TOMOKKOS_HAVE_LIBZIP)

#include <zip.h>

namespace Tomokkos::Impl {
namespace {

std::string describe(zip_error_t& error) {
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

std::string describe_code(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  return describe(error);
}

class ZipSource final : public ByteSource {
 public:
  ZipSource(std::string name, std::uint64_t size, zip_file_t* file)
      : ByteSource(std::move(name), size), file_(file) {}
  ~ZipSource() override { zip_fclose(file_); }

 protected:
  std::size_t read_some(void* buffer, std::size_t bytes) override {
    const zip_int64_t got = zip_fread(file_, buffer, bytes);
    if (got < 0) fail_at(position(), std::string("damaged archive: ") + zip_file_strerror(file_));
    return static_cast<std::size_t>(got);
  }

 private:
  zip_file_t* file_;
};

}  // namespace

struct ZipReader::State {
  std::string path;
  std::uint64_t file_bytes = 0;
  zip_t* archive = nullptr;
};

ZipReader::ZipReader(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->path = path.string();
  // Rejects missing files and folders with the reason given by the system.
  state_->file_bytes = InputFile(path).size();
  int code = 0;
  state_->archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (state_->archive == nullptr) {
    throw InputError(state_->path + ": not a readable zip archive: " + describe_code(code));
  }
  // Of several members with one name this library would return the first, NumPy the last.
  std::vector<std::string> all = names();
  std::sort(all.begin(), all.end());
  const auto twice = std::adjacent_find(all.begin(), all.end());
  if (twice == all.end()) return;
  zip_discard(state_->archive);
  throw InputError(state_->path + ": has more than one member '" + *twice +
                   "', so the name is ambiguous");
}

ZipReader::~ZipReader() { zip_discard(state_->archive); }

std::vector<std::string> ZipReader::names() const {
  std::vector<std::string> result;
  const zip_int64_t count = zip_get_num_entries(state_->archive, 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(state_->archive, static_cast<zip_uint64_t>(i), 0);
    if (name != nullptr) result.emplace_back(name);
  }
  return result;
}

bool ZipReader::contains(const std::string& name) const {
  return zip_name_locate(state_->archive, name.c_str(), 0) >= 0;
}

std::unique_ptr<ByteSource> ZipReader::open(const std::string& name) const {
  const zip_int64_t index = zip_name_locate(state_->archive, name.c_str(), 0);
  if (index < 0) {
    std::string present;
    for (const std::string& other : names()) present += (present.empty() ? "" : ", ") + other;
    throw InputError(state_->path + ": has no member '" + name +
                     "'; it has: " + (present.empty() ? "none" : present));
  }
  const std::string shown = state_->path + "(" + name + ")";
  zip_stat_t status;
  zip_stat_init(&status);
  constexpr zip_uint64_t needed = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
  if (zip_stat_index(state_->archive, static_cast<zip_uint64_t>(index), 0, &status) != 0 ||
      (status.valid & needed) != needed) {
    throw InputError(shown + ": damaged archive: " + zip_strerror(state_->archive));
  }
  // Deflate compresses at most 1032 bytes into one. NumPy uses no other method.
  const std::uint64_t ratio = status.comp_method == ZIP_CM_STORE ? 1 : 1032;
  if (status.comp_size > state_->file_bytes || status.size / ratio > status.comp_size) {
    throw InputError(Impl::text(
        "{}: damaged archive: its header gives {} bytes from {} compressed ones in a file of {}",
        shown, status.size, status.comp_size, state_->file_bytes));
  }
  zip_file_t* file = zip_fopen_index(state_->archive, static_cast<zip_uint64_t>(index), 0);
  if (file == nullptr) {
    throw InputError(shown + ": cannot be read: " + zip_strerror(state_->archive));
  }
  return std::make_unique<ZipSource>(shown, status.size, file);
}

namespace {

/// Receives the bytes from libzip and writes them directly to our temporary file. Otherwise libzip
/// would create its own temporary file.
class ZipSink {
 public:
  explicit ZipSink(AtomicFile& file) : file_(file) { zip_error_init(&error_); }
  ~ZipSink() { zip_error_fini(&error_); }
  ZipSink(const ZipSink&) = delete;
  ZipSink& operator=(const ZipSink&) = delete;

  /// \brief Rethrows the error of the file, if any.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

  static zip_int64_t call(void* sink, void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
    return static_cast<ZipSink*>(sink)->answer(data, bytes, command);
  }

 private:
  zip_int64_t answer(void* data, zip_uint64_t bytes, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        // libzip also requests support for reading, but does not read data that do not exist yet.
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
            ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
            ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE,
            ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE, -1);
      case ZIP_SOURCE_STAT:
        // The archive does not exist yet.
        zip_error_set(&error_, ZIP_ER_READ, ENOENT);
        return -1;
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error_, data, bytes);
      case ZIP_SOURCE_WRITE:
        return write(data, bytes);
      case ZIP_SOURCE_SEEK_WRITE: {
        const zip_int64_t at =
            zip_source_seek_compute_offset(position_, size_, data, bytes, &error_);
        if (at < 0) return -1;
        position_ = static_cast<zip_uint64_t>(at);
        return 0;
      }
      case ZIP_SOURCE_TELL_WRITE:
        return static_cast<zip_int64_t>(position_);
      case ZIP_SOURCE_BEGIN_WRITE:
      case ZIP_SOURCE_COMMIT_WRITE:
      case ZIP_SOURCE_ROLLBACK_WRITE:
      case ZIP_SOURCE_REMOVE:
      case ZIP_SOURCE_FREE:
        return 0;
      default:
        zip_error_set(&error_, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }

  zip_int64_t write(const void* data, zip_uint64_t bytes) {
    try {
      file_.write_at(position_, data, bytes);
    } catch (...) {
      failure_ = std::current_exception();
      zip_error_set(&error_, ZIP_ER_WRITE, 0);
      return -1;
    }
    position_ += bytes;
    size_ = std::max(size_, position_);
    return static_cast<zip_int64_t>(bytes);
  }

  AtomicFile& file_;
  zip_error_t error_;
  zip_uint64_t position_ = 0;
  zip_uint64_t size_ = 0;
  std::exception_ptr failure_;
};

class ZipWriter {
 public:
  ZipWriter(const std::filesystem::path& destination, AtomicFile& file)
      : destination_(destination), sink_(file) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_function_create(ZipSink::call, &sink_, &error);
    if (source != nullptr) archive_ = zip_open_from_source(source, ZIP_CREATE, &error);
    if (archive_ == nullptr) {
      if (source != nullptr) zip_source_free(source);
      fail(describe(error));
    }
    zip_error_fini(&error);
  }
  ~ZipWriter() {
    if (archive_ != nullptr) zip_discard(archive_);
  }
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;

  void add(const ZipMember& member, bool deflate) {
    std::vector<zip_buffer_fragment_t> fragments;
    for (const auto& part : member.parts) {
      if (part.empty()) continue;
      // The library requires non-const pointers but only reads.
      auto* data = const_cast<zip_uint8_t*>(reinterpret_cast<const zip_uint8_t*>(part.data()));
      fragments.push_back({data, part.size()});
    }
    zip_source_t* source =
        zip_source_buffer_fragment(archive_, fragments.data(), fragments.size(), 0);
    if (source == nullptr) fail(zip_strerror(archive_));
    const zip_int64_t added = zip_file_add(archive_, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) {
      const std::string reason = zip_strerror(archive_);
      zip_source_free(source);
      fail(reason);
    }
    const auto index = static_cast<zip_uint64_t>(added);
    // Fastest level: indices of system matrices are stride patterns, for which level 6 takes
    // several times as long and hardly compresses better.
    constexpr zip_uint32_t fastest = 1;
    constexpr zip_uint16_t first_of_january_1980 = (0 << 9) | (1 << 5) | 1;
    if (zip_set_file_compression(archive_, index, deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                                 deflate ? fastest : 0) != 0 ||
        zip_file_set_dostime(archive_, index, 0, first_of_january_1980, 0) != 0) {
      fail(zip_strerror(archive_));
    }
  }

  void close() {
    if (zip_close(archive_) != 0) fail(zip_strerror(archive_));
    archive_ = nullptr;
  }

 private:
  [[noreturn]] void fail(const std::string& reason) const {
    sink_.rethrow();
    throw OutputError("cannot write '" + destination_.string() + "': " + reason);
  }

  std::filesystem::path destination_;
  ZipSink sink_;
  zip_t* archive_ = nullptr;
};

}  // namespace

void write_zip(const std::filesystem::path& path, const OutputKind& kind,
               const std::vector<ZipMember>& members, bool deflate) {
  AtomicFile file(path, kind);
  ZipWriter writer(path, file);
  for (const ZipMember& member : members) writer.add(member, deflate);
  writer.close();
  file.commit();
}

}  // namespace Tomokkos::Impl

bool Tomokkos::can_write_npz() { return true; }

#else

namespace Tomokkos::Impl {

struct ZipReader::State {};

ZipReader::ZipReader(const std::filesystem::path& path) {
  throw InputError(
      path.string() +
      ": cannot be read: this library was built without libzip, which is needed for .npz");
}

ZipReader::~ZipReader() = default;

std::vector<std::string> ZipReader::names() const { return {}; }

bool ZipReader::contains(const std::string&) const { return false; }

std::unique_ptr<ByteSource> ZipReader::open(const std::string&) const { return {}; }

void write_zip(const std::filesystem::path& path, const OutputKind&, const std::vector<ZipMember>&,
               bool) {
  throw OutputError("cannot write '" + path.string() +
                    "': this library was built without libzip, which is needed for .npz");
}

}  // namespace Tomokkos::Impl

bool Tomokkos::can_write_npz() { return false; }

#endif
