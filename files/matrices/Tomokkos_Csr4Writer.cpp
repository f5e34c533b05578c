// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_NumberText.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <impl/Tomokkos_ByteSink.hpp>
#include <impl/Tomokkos_Csr4Format.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {
namespace {

/// Collects the packed header with its unaligned numbers.
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

PackedBytes pack_scanner(const std::string& name, const Csr4Scanner& scanner) {
  const auto gaps = [](std::uint32_t parts) -> std::size_t { return parts == 0 ? 0 : parts - 1; };
  if (scanner.layers.empty() || scanner.block_gaps.size() != gaps(scanner.block_size) ||
      scanner.ring_gaps.size() != gaps(scanner.rings)) {
    throw OutputError("cannot write '" + name +
                      "': the scanner needs at least one layer, block_size - 1 gaps in a block and "
                      "rings - 1 gaps");
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

void check_offsets(const Kokkos::View<const Offset*, Kokkos::HostSpace>& offsets) {
  require(offsets.extent(0) > 0 && offsets(0) == 0, "row offsets must begin with 0");
  for (std::size_t row = 0; row + 1 < offsets.extent(0); ++row)
    if (offsets(row + 1) < offsets(row))
      throw Refused(Impl::text("row {} ends at entry {}, before it begins at {}", row,
                               offsets(row + 1), offsets(row)));
}

}  // namespace

const OutputKind csr4_output{"a csr4 file", [](const std::filesystem::path& file) {
                               return Impl::first_bytes(file, 4) ==
                                      std::string_view(Impl::csr4_magic, 4);
                             }};

Csr4Writer::Csr4Writer(const std::filesystem::path& path, Ordinal num_cols,
                       const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                       const Csr4Scanner& scanner)
    : num_cols_(num_cols), row_offsets_(row_offsets), name_(path.string()) {
  // Check before the file is created.
  check_offsets(row_offsets_);
  pack_scanner(name_, scanner);
  sink_ = std::make_unique<Impl::FileSink>(path, csr4_output);
  write_header(scanner);
}

Csr4Writer::Csr4Writer(std::unique_ptr<Impl::ByteSink> sink, std::string name, Ordinal num_cols,
                       const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                       const Csr4Scanner& scanner)
    : sink_(std::move(sink)),
      num_cols_(num_cols),
      row_offsets_(row_offsets),
      name_(std::move(name)) {
  check_offsets(row_offsets_);
  write_header(scanner);
}

Csr4Writer::Csr4Writer(Csr4Writer&&) noexcept = default;
Csr4Writer& Csr4Writer::operator=(Csr4Writer&&) noexcept = default;
Csr4Writer::~Csr4Writer() = default;

void Csr4Writer::write_header(const Csr4Scanner& scanner) {
  const PackedBytes packed_scanner = pack_scanner(name_, scanner);
  PackedBytes header;
  for (char c : Impl::csr4_magic) header.put(c);
  header.put(Impl::csr4_version);
  header.put(std::uint8_t{0});
  header.put(std::uint16_t{0});
  header.put(static_cast<std::uint32_t>(num_rows()));
  header.put(static_cast<std::uint32_t>(num_cols_));
  header.put(static_cast<std::uint64_t>(row_offsets_(num_rows())));
  header.put(static_cast<std::uint32_t>(packed_scanner.bytes().size()));
  sink_->write(header.bytes().data(), header.bytes().size());
  sink_->write(packed_scanner.bytes().data(), packed_scanner.bytes().size());
  sink_->write(row_offsets_.data() + 1, sizeof(Offset) * static_cast<std::size_t>(num_rows()));
}

template <class Scalar>
void Csr4Writer::write_rows(const HostCsrMatrix<Scalar>& block) {
  require_equal("columns of the block", block.num_cols, "columns of the file", num_cols_);
  if (block.num_rows > num_rows() - next_row_)
    throw DimensionMismatch(Impl::text("a block of {} rows does not fit after row {} of {}",
                                       block.num_rows, next_row_, num_rows()));
  for (Ordinal row = 0; row < block.num_rows; ++row)
    require_equal(Impl::text("entries of row {}", next_row_ + row),
                  block.row_offsets(row + 1) - block.row_offsets(row), "its row offsets",
                  row_offsets_(next_row_ + row + 1) - row_offsets_(next_row_ + row));
  const Offset nonzeros = block.num_nonzeros();
  std::vector<Impl::Csr4Entry> entries(
      static_cast<std::size_t>(std::min<Offset>(static_cast<Offset>(Impl::csr4_chunk), nonzeros)));
  for (Offset done = 0; done < nonzeros;) {
    const Offset part = std::min(static_cast<Offset>(Impl::csr4_chunk), nonzeros - done);
    for (Offset k = 0; k < part; ++k) {
      const Scalar value = block.values(done + k);
      const auto rounded = static_cast<float>(value);
      if (std::isinf(rounded) && std::isfinite(value))
        throw OutputError(
            "cannot write '" + name_ + "': the value " + Impl::number_text(value) +
            " exceeds the range of single precision, the only one that csr4 supports");
      entries[static_cast<std::size_t>(k)] = {static_cast<std::uint32_t>(block.columns(done + k)),
                                              rounded};
    }
    sink_->write(entries.data(), sizeof(Impl::Csr4Entry) * static_cast<std::size_t>(part));
    done += part;
  }
  next_row_ += block.num_rows;
}

void Csr4Writer::commit() {
  require_equal("rows that were written", next_row_, "rows of the file", num_rows());
  sink_->commit();
}

#define TOMOKKOS_INSTANTIATE(Scalar) \
  template void Csr4Writer::write_rows(const HostCsrMatrix<Scalar>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
