// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <impl/Tomokkos_HostCsrBuilder.hpp>
#include <impl/Tomokkos_InputFile.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

constexpr char magic[] = {'P', 'C', 'S', 'R'};
constexpr std::uint8_t supported_version = 4;
constexpr std::uint64_t header_bytes = 28;
constexpr std::uint32_t smallest_scanner = 60;
constexpr std::uint64_t largest_ordinal = std::numeric_limits<Ordinal>::max();

struct Header {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint64_t nnz = 0;
  std::uint32_t scanner_bytes = 0;
};

/// A column and a value, as in the file.
struct PackedEntry {
  std::uint32_t column;
  float value;
};
static_assert(sizeof(PackedEntry) == 8);

template <class T>
T read_number(Impl::ByteSource& file, const char* what) {
  T number{};
  file.read_exactly(&number, sizeof(T), what);
  return number;
}

void check_flags(const Impl::ByteSource& file, unsigned flags) {
  if (flags == 0) return;
  std::string names;
  for (int axis = 0; axis < 3; ++axis) {
    if ((flags >> axis & 1u) == 0) continue;
    if (!names.empty()) names += ", ";
    names += "xyz"[axis];
  }
  if (names.empty() || flags > 7) {
    file.fail_at(5, "unknown flags " + std::to_string(flags));
  }
  file.fail_at(5, "the matrix is reduced by mirror symmetry in " + names +
                      ": its other rows are not in the file; write it without symmetries");
}

Header read_header(Impl::ByteSource& file) {
  char word[4] = {};
  file.read_exactly(word, sizeof(word), "the header");
  if (!std::equal(word, word + 4, magic)) file.fail_at(0, "a csr4 file begins with PCSR");
  const auto version = read_number<std::uint8_t>(file, "the header");
  if (version != supported_version) {
    file.fail_at(4, "version " + std::to_string(version) + " is not supported, only 4");
  }
  check_flags(file, read_number<std::uint8_t>(file, "the header"));
  read_number<std::uint16_t>(file, "the header");
  Header header;
  header.rows = read_number<std::uint32_t>(file, "the header");
  header.columns = read_number<std::uint32_t>(file, "the header");
  header.nnz = read_number<std::uint64_t>(file, "the header");
  header.scanner_bytes = read_number<std::uint32_t>(file, "the header");
  if (header.rows > largest_ordinal) {
    file.fail_at(8, std::to_string(header.rows) + " rows exceed 2147483647");
  }
  if (header.columns > largest_ordinal) {
    file.fail_at(12, std::to_string(header.columns) + " columns exceed 2147483647");
  }
  if (header.scanner_bytes < smallest_scanner) {
    file.fail_at(24, "the scanner's description is said to have " +
                         std::to_string(header.scanner_bytes) + " bytes; it has 60 at least");
  }
  // rows and scanner_bytes have 32 bits, so only the entries can overflow.
  const std::uint64_t before = header_bytes + header.scanner_bytes + std::uint64_t{8} * header.rows;
  const auto entries = Impl::checked_multiply(header.nnz, sizeof(PackedEntry));
  const auto total = entries ? Impl::checked_add(before, *entries) : std::nullopt;
  if (!total || *total != file.size()) {
    file.fail_at(16, std::to_string(header.rows) + " rows and " + std::to_string(header.nnz) +
                         " entries need " +
                         (total ? std::to_string(*total) : std::string("more than 2^64")) +
                         " bytes, the file has " + std::to_string(file.size()));
  }
  return header;
}

/// The description is part of a file whose length was checked; its own lengths are checked against
/// its size, so nothing large is allocated.
class ScannerReader {
 public:
  ScannerReader(Impl::ByteSource& file, std::uint32_t bytes) : file_(file), left_(bytes) {}

  Csr4Scanner read() {
    Csr4Scanner scanner;
    const auto layers = take<std::uint32_t>();
    require_room(layers, sizeof(scanner.layers[0]));
    scanner.layers.resize(layers);
    for (auto& layer : scanner.layers) layer = take<std::array<float, 5>>();
    scanner.blocks = take<std::uint32_t>();
    scanner.block_size = take<std::uint32_t>();
    scanner.block_gaps = take_gaps(scanner.block_size);
    scanner.rings = take<std::uint32_t>();
    scanner.ring_gaps = take_gaps(scanner.rings);
    scanner.voxel_size = take<std::array<float, 3>>();
    scanner.grid = take<std::array<std::uint32_t, 3>>();
    if (left_ != 0) {
      file_.fail_at(file_.position(),
                    std::to_string(left_) + " bytes of the scanner's description are left over");
    }
    return scanner;
  }

 private:
  void require_room(std::uint64_t count, std::uint64_t bytes) {
    if (count * bytes <= left_) return;
    file_.fail_at(file_.position(), "the scanner's description needs " +
                                        std::to_string(count * bytes) + " bytes here, but only " +
                                        std::to_string(left_) + " of it are left");
  }

  template <class T>
  T take() {
    require_room(1, sizeof(T));
    left_ -= sizeof(T);
    return read_number<T>(file_, "the scanner's description");
  }

  std::vector<float> take_gaps(std::uint32_t parts) {
    const std::uint32_t count = parts == 0 ? 0 : parts - 1;
    require_room(count, sizeof(float));
    std::vector<float> gaps(count);
    for (float& gap : gaps) gap = take<float>();
    return gaps;
  }

  Impl::ByteSource& file_;
  std::uint64_t left_;
};

void read_offsets(Impl::ByteSource& file, const Header& header, Offset* offsets) {
  const std::uint64_t begin = file.position();
  offsets[0] = 0;
  // Offset and the file's u64 have the same size; a value beyond 2^63 exceeds nnz.
  file.read_exactly(offsets + 1, sizeof(Offset) * header.rows, "the row offsets");
  std::uint64_t previous = 0;
  for (std::uint64_t i = 0; i < header.rows; ++i) {
    const std::uint64_t end = static_cast<std::uint64_t>(offsets[i + 1]);
    const bool last = i + 1 == header.rows;
    if (end < previous || end > header.nnz || (last && end != header.nnz)) {
      file.fail_at(begin + i * sizeof(Offset),
                   "row " + std::to_string(i) + " (counted from 0) ends at entry " +
                       std::to_string(end) + ", after a row that ends at " +
                       std::to_string(previous) + ", with " + std::to_string(header.nnz) +
                       " entries in all");
    }
    previous = end;
  }
  if (header.rows == 0 && header.nnz != 0) file.fail_at(16, "entries without rows");
}

template <class Scalar>
void read_entries(Impl::ByteSource& file, const Header& header, bool allow_non_finite,
                  Ordinal* columns, Scalar* values) {
  constexpr std::uint64_t chunk = 1 << 15;
  std::vector<PackedEntry> entries(static_cast<std::size_t>(std::min(chunk, header.nnz)));
  for (std::uint64_t done = 0; done < header.nnz;) {
    const auto part = static_cast<std::size_t>(std::min(chunk, header.nnz - done));
    const std::uint64_t begin = file.position();
    file.read_exactly(entries.data(), part * sizeof(PackedEntry), "the entries");
    for (std::size_t k = 0; k < part; ++k) {
      const PackedEntry entry = entries[k];
      if (entry.column >= header.columns) {
        file.fail_at(begin + k * sizeof(PackedEntry),
                     "entry " + std::to_string(done + k) + " (counted from 0) has the column " +
                         std::to_string(entry.column) + ", but there are " +
                         std::to_string(header.columns));
      }
      if (!allow_non_finite && !std::isfinite(entry.value)) {
        file.fail_at(begin + k * sizeof(PackedEntry) + 4,
                     "entry " + std::to_string(done + k) + " (counted from 0) is not finite");
      }
      columns[done + k] = static_cast<Ordinal>(entry.column);
      values[done + k] = static_cast<Scalar>(entry.value);
    }
    done += part;
  }
}

/// Collects the packed header, whose numbers are not aligned.
class PackedBytes {
 public:
  template <class T>
  void put(const T& value) {
    const std::size_t position = bytes_.size();
    bytes_.resize(position + sizeof(T));
    std::memcpy(bytes_.data() + position, &value, sizeof(T));
  }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  std::vector<char> bytes_;
};

PackedBytes pack_scanner(const std::filesystem::path& path, const Csr4Scanner& scanner) {
  const auto gaps = [](std::uint32_t parts) -> std::size_t { return parts == 0 ? 0 : parts - 1; };
  if (scanner.layers.empty() || scanner.block_gaps.size() != gaps(scanner.block_size) ||
      scanner.ring_gaps.size() != gaps(scanner.rings)) {
    throw OutputError("cannot write '" + path.string() +
                      "': the scanner needs a layer, block_size - 1 and rings - 1 gaps");
  }
  PackedBytes packed;
  packed.put(static_cast<std::uint32_t>(scanner.layers.size()));
  for (const auto& layer : scanner.layers) packed.put(layer);
  packed.put(scanner.blocks);
  packed.put(scanner.block_size);
  for (float gap : scanner.block_gaps) packed.put(gap);
  packed.put(scanner.rings);
  for (float gap : scanner.ring_gaps) packed.put(gap);
  packed.put(scanner.voxel_size);
  packed.put(scanner.grid);
  return packed;
}

}  // namespace

template <class Scalar>
Csr4Matrix<Scalar> read_csr4(const std::filesystem::path& path, const ReadOptions& options) {
  Impl::InputFile file(path);
  const Header header = read_header(file);
  Csr4Matrix<Scalar> result;
  result.scanner = ScannerReader(file, header.scanner_bytes).read();
  Impl::MemoryNeed()
      .add_csr(header.rows, header.nnz, sizeof(Scalar))
      .require_available("reading " + file.name());
  Impl::HostCsrBuilder<Scalar> builder;
  builder.allocate_rows(static_cast<Ordinal>(header.rows), static_cast<Ordinal>(header.columns));
  read_offsets(file, header, builder.row_offsets.data());
  builder.allocate_entries(header.nnz);
  read_entries(file, header, options.allow_non_finite, builder.columns.data(),
               builder.values.data());
  file.expect_end();
  const DuplicatePolicy duplicates =
      options.duplicates == DuplicatePolicy::sum ? DuplicatePolicy::sum : DuplicatePolicy::refuse;
  const std::uint64_t first_entry = header_bytes + header.scanner_bytes + 8ull * header.rows;
  result.matrix = builder.finish(duplicates, options.allow_non_finite, [&](Ordinal row, Ordinal) {
    const auto before = static_cast<std::uint64_t>(builder.row_offsets(row));
    return file.name() + ": byte " + std::to_string(first_entry + 8 * before) + ": ";
  });
  return result;
}

template <class Scalar>
void write_csr4(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& A,
                const Csr4Scanner& scanner) {
  const PackedBytes packed_scanner = pack_scanner(path, scanner);
  const Offset nnz = A.num_nonzeros();
  for (Offset k = 0; k < nnz; ++k) {
    if (!std::isfinite(A.values(k)) || std::isfinite(static_cast<float>(A.values(k)))) continue;
    throw OutputError("cannot write '" + path.string() + "': the value " +
                      std::to_string(A.values(k)) +
                      " exceeds single precision, which is all that csr4 has");
  }
  PackedBytes header;
  for (char c : magic) header.put(c);
  header.put(supported_version);
  header.put(std::uint8_t{0});
  header.put(std::uint16_t{0});
  header.put(static_cast<std::uint32_t>(A.num_rows));
  header.put(static_cast<std::uint32_t>(A.num_cols));
  header.put(static_cast<std::uint64_t>(nnz));
  header.put(static_cast<std::uint32_t>(packed_scanner.bytes().size()));
  AtomicFile file(path);
  file.write(header.bytes().data(), header.bytes().size());
  file.write(packed_scanner.bytes().data(), packed_scanner.bytes().size());
  file.write(A.row_offsets.data() + 1, sizeof(Offset) * static_cast<std::size_t>(A.num_rows));
  for (Offset k = 0; k < nnz; ++k) {
    const PackedEntry entry{static_cast<std::uint32_t>(A.columns(k)),
                            static_cast<float>(A.values(k))};
    file.write(&entry, sizeof(entry));
  }
  file.commit();
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                       \
  template Csr4Matrix<Scalar> read_csr4(const std::filesystem::path&, const ReadOptions&); \
  template void write_csr4(const std::filesystem::path&, const HostCsrMatrix<Scalar>&,     \
                           const Csr4Scanner&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
