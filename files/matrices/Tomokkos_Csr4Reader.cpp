// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostCsrBuilder.hpp>
#include <Tomokkos_InputFile.hpp>
#include <algorithm>
#include <cmath>
#include <impl/Tomokkos_Csr4Format.hpp>
#include <limits>
#include <string>
#include <utility>

namespace Tomokkos {
namespace {

constexpr std::uint64_t largest_ordinal = std::numeric_limits<Ordinal>::max();

struct Header {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  std::uint64_t nnz = 0;
  std::uint32_t scanner_bytes = 0;
};

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
    file.fail_at(5, Impl::text("unknown flags {}", flags));
  }
  file.fail_at(5, "the matrix is reduced by mirror symmetry in " + names +
                      ": its other rows are not in the file; write it without symmetries");
}

Header read_header(Impl::ByteSource& file) {
  char word[4] = {};
  file.read_exactly(word, sizeof(word), "the header");
  if (!std::equal(word, word + 4, Impl::csr4_magic))
    file.fail_at(0, "a csr4 file begins with PCSR");
  const auto version = read_number<std::uint8_t>(file, "the header");
  if (version != Impl::csr4_version) {
    file.fail_at(4, Impl::text("version {} is not supported, only 4", version));
  }
  check_flags(file, read_number<std::uint8_t>(file, "the header"));
  read_number<std::uint16_t>(file, "the header");
  Header header;
  header.rows = read_number<std::uint32_t>(file, "the header");
  header.columns = read_number<std::uint32_t>(file, "the header");
  header.nnz = read_number<std::uint64_t>(file, "the header");
  header.scanner_bytes = read_number<std::uint32_t>(file, "the header");
  if (header.rows > largest_ordinal) {
    file.fail_at(8, Impl::text("{} rows exceed 2147483647", header.rows));
  }
  if (header.columns > largest_ordinal) {
    file.fail_at(12, Impl::text("{} columns exceed 2147483647", header.columns));
  }
  if (header.scanner_bytes < Impl::csr4_smallest_scanner) {
    file.fail_at(
        24, Impl::text("the scanner's description should have {} bytes, but at least 60 are needed",
                       header.scanner_bytes));
  }
  // rows and scanner_bytes have 32 bits, so only the size of the entries can overflow.
  const std::uint64_t before =
      Impl::csr4_header_bytes + header.scanner_bytes + std::uint64_t{8} * header.rows;
  const auto entries = Impl::checked_multiply(header.nnz, sizeof(Impl::Csr4Entry));
  const auto total = entries ? Impl::checked_add(before, *entries) : std::nullopt;
  if (!total || *total != file.size()) {
    file.fail_at(
        16, Impl::text("{} rows and {} entries need {} bytes, but the file has {}", header.rows,
                       header.nnz, total ? std::to_string(*total) : std::string("more than 2^64"),
                       file.size()));
  }
  return header;
}

/// The length of the file has been checked. The lengths within the description are compared with
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
                    Impl::text("{} bytes of the scanner's description are left over", left_));
    }
    return scanner;
  }

 private:
  void require_room(std::uint64_t count, std::uint64_t bytes) {
    if (count * bytes <= left_) return;
    file_.fail_at(file_.position(),
                  Impl::text("the scanner's description needs {} bytes here, but only {} are left",
                             count * bytes, left_));
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
  // Offset and the u64 of the file have the same size. A value beyond 2^63 also exceeds nnz.
  file.read_exactly(offsets + 1, sizeof(Offset) * header.rows, "the row offsets");
  std::uint64_t previous = 0;
  for (std::uint64_t i = 0; i < header.rows; ++i) {
    const std::uint64_t end = static_cast<std::uint64_t>(offsets[i + 1]);
    const bool last = i + 1 == header.rows;
    if (end < previous || end > header.nnz || (last && end != header.nnz)) {
      file.fail_at(begin + i * sizeof(Offset),
                   Impl::text("row {} (counted from 0) ends at entry {}; the previous row ends at "
                              "{}, and there are {} entries",
                              i, end, previous, header.nnz));
    }
    previous = end;
  }
  if (header.rows == 0 && header.nnz != 0) file.fail_at(16, "entries without rows");
}

/// Reads entries [first, first + count) of the file, which must be the next ones.
template <class Scalar>
void read_entries(Impl::ByteSource& file, std::uint64_t first, std::uint64_t count,
                  Ordinal num_cols, bool allow_non_finite, Ordinal* columns, Scalar* values) {
  constexpr std::uint64_t entry_bytes = sizeof(Impl::Csr4Entry);
  std::vector<Impl::Csr4Entry> entries(static_cast<std::size_t>(std::min(Impl::csr4_chunk, count)));
  for (std::uint64_t done = 0; done < count;) {
    const auto part = static_cast<std::size_t>(std::min(Impl::csr4_chunk, count - done));
    const std::uint64_t begin = file.position();
    file.read_exactly(entries.data(), part * entry_bytes, "the entries");
    const auto where = [&](std::size_t k) {
      return Impl::text("entry {} (counted from 0) ", first + done + k);
    };
    for (std::size_t k = 0; k < part; ++k) {
      const Impl::Csr4Entry entry = entries[k];
      if (entry.column >= static_cast<std::uint32_t>(num_cols))
        file.fail_at(begin + k * entry_bytes,
                     Impl::text("{}has the column {}, but the matrix has {}", where(k),
                                entry.column, num_cols));
      if (!allow_non_finite && !std::isfinite(entry.value))
        file.fail_at(begin + k * entry_bytes + 4, where(k) + "is not finite");
      columns[done + k] = static_cast<Ordinal>(entry.column);
      values[done + k] = static_cast<Scalar>(entry.value);
    }
    done += part;
  }
}

}  // namespace

Csr4Reader::Csr4Reader(const std::filesystem::path& path)
    : Csr4Reader(std::make_unique<Impl::InputFile>(path)) {}

Csr4Reader::Csr4Reader(std::unique_ptr<Impl::ByteSource> source) : source_(std::move(source)) {
  const Header header = read_header(*source_);
  scanner_ = ScannerReader(*source_, header.scanner_bytes).read();
  Impl::MemoryNeed()
      .add(std::uint64_t{header.rows} + 1, sizeof(Offset))
      .require_available("reading the row offsets of " + source_->name());
  const auto offsets = Impl::allocate_host<Offset>(std::uint64_t{header.rows} + 1,
                                                   "Tomokkos::Csr4Reader::row_offsets");
  read_offsets(*source_, header, offsets.data());
  row_offsets_ = offsets;
  num_cols_ = static_cast<Ordinal>(header.columns);
  first_entry_ = source_->position();
}

Csr4Reader::Csr4Reader(Csr4Reader&&) noexcept = default;
Csr4Reader& Csr4Reader::operator=(Csr4Reader&&) noexcept = default;
Csr4Reader::~Csr4Reader() = default;

template <class Scalar>
HostCsrMatrix<Scalar> Csr4Reader::read_rows(RowRange rows, const ReadOptions& options) {
  Impl::ByteSource& file = *source_;
  rows = rows.resolved(num_rows());
  if (rows.begin < next_row_ || rows.end < rows.begin || rows.end > num_rows())
    throw Refused(Impl::text(
        "{}: rows {} to {} (excluded) were requested, but only rows {} to {} (excluded) are "
        "left; rows are read in ascending order",
        file.name(), rows.begin, rows.end, next_row_, num_rows()));
  const Ordinal count = rows.end - rows.begin;
  const Offset first = row_offsets_(rows.begin);
  const auto nonzeros = static_cast<std::uint64_t>(row_offsets_(rows.end) - first);
  Impl::MemoryNeed()
      .add_csr(static_cast<std::uint64_t>(count), nonzeros, sizeof(Scalar))
      .require_available("reading " + file.name());
  Impl::HostCsrBuilder<Scalar> builder;
  builder.allocate_rows(count, num_cols_);
  for (Ordinal row = 0; row <= count; ++row)
    builder.row_offsets(row) = row_offsets_(rows.begin + row) - first;
  builder.allocate_entries(nonzeros);
  const auto position_of = [&](Ordinal row) {
    return first_entry_ + sizeof(Impl::Csr4Entry) * static_cast<std::uint64_t>(row_offsets_(row));
  };
  file.skip(position_of(rows.begin) - file.position());
  read_entries(file, static_cast<std::uint64_t>(first), nonzeros, num_cols_,
               options.allow_non_finite, builder.columns.data(), builder.values.data());
  next_row_ = rows.end;
  if (next_row_ == num_rows()) file.expect_end();
  const DuplicatePolicy duplicates =
      options.duplicates == DuplicatePolicy::sum ? DuplicatePolicy::sum : DuplicatePolicy::refuse;
  return builder.finish(
      duplicates, options.allow_non_finite,
      [&](Ordinal row, Ordinal) {
        return Impl::text("{}: byte {}: ", file.name(), position_of(row));
      },
      rows.begin);
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template HostCsrMatrix<Scalar> Csr4Reader::read_rows(RowRange, const ReadOptions&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
