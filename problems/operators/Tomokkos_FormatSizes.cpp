// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <Tomokkos_FormatSizes.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <algorithm>
#include <typeinfo>

namespace Tomokkos {
namespace {

using Offsets = Kokkos::View<const Offset*, Kokkos::HostSpace>;
using Columns = Kokkos::View<const Ordinal*, Kokkos::HostSpace>;

constexpr Offset sell_chunk = 32;

Offset length(const Offsets& offsets, Ordinal row) { return offsets(row + 1) - offsets(row); }

/// The shortest length that the usual share of the rows does not exceed.
Offset hyb_width(const Offsets& offsets, Ordinal rows) {
  if (rows == 0) return 0;
  std::vector<Offset> lengths(static_cast<std::size_t>(rows));
  for (Ordinal row = 0; row < rows; ++row) lengths[row] = length(offsets, row);
  const double place = HybOptions{}.quantile * rows;
  auto index = static_cast<std::size_t>(place);
  if (static_cast<double>(index) == place && index > 0) --index;
  index = std::min(index, lengths.size() - 1);
  std::nth_element(lengths.begin(), lengths.begin() + static_cast<std::ptrdiff_t>(index),
                   lengths.end());
  return lengths[index];
}

Offset count_blocks(const Offsets& offsets, const Columns& columns, Ordinal rows, Ordinal block) {
  Offset blocks = 0;
  std::vector<Ordinal> met;
  for (Offset first = 0; first < rows; first += block) {
    const Offset last = std::min<Offset>(rows, first + block);
    met.clear();
    for (Offset k = offsets(first); k < offsets(last); ++k) met.push_back(columns(k) / block);
    std::sort(met.begin(), met.end());
    blocks += std::unique(met.begin(), met.end()) - met.begin();
  }
  return blocks;
}

}  // namespace

std::vector<FormatSize> format_sizes(Ordinal num_rows, const Offsets& row_offsets,
                                     const Columns& columns) {
  const auto rows = static_cast<Offset>(num_rows);
  const auto nonzeros = static_cast<Offset>(columns.extent(0));
  Offset longest = 0;
  for (Ordinal row = 0; row < num_rows; ++row)
    longest = std::max(longest, length(row_offsets, row));
  const auto index_bytes = [](Offset entries, Offset lengths, Offset offsets) {
    return static_cast<std::size_t>(entries + lengths) * sizeof(Ordinal) +
           static_cast<std::size_t>(offsets) * sizeof(Offset);
  };

  std::vector<FormatSize> sizes;
  sizes.push_back({"csr", nonzeros, index_bytes(nonzeros, 0, rows + 1)});
  sizes.push_back({"coo", nonzeros, index_bytes(2 * nonzeros, 0, 0)});
  sizes.push_back({"ell", rows * longest, index_bytes(rows * longest, 0, 0)});
  sizes.push_back({"ell_r", rows * longest, index_bytes(rows * longest, rows, 0)});

  const Offset width = hyb_width(row_offsets, num_rows);
  Offset rest = 0;
  for (Ordinal row = 0; row < num_rows; ++row)
    rest += std::max<Offset>(length(row_offsets, row) - width, 0);
  sizes.push_back({"hyb", rows * width + rest, index_bytes(rows * width + 2 * rest, 0, 0)});

  Offset stored = 0;
  const Offset chunks = (rows + sell_chunk - 1) / sell_chunk;
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    Offset widest = 0;
    for (Offset row = chunk * sell_chunk; row < std::min(rows, (chunk + 1) * sell_chunk); ++row)
      widest = std::max(widest, length(row_offsets, static_cast<Ordinal>(row)));
    stored += widest * sell_chunk;
  }
  sizes.push_back({"sell", stored, index_bytes(stored, chunks * sell_chunk, chunks + 1)});

  for (const Ordinal block : {2, 4}) {
    const Offset blocks = count_blocks(row_offsets, columns, num_rows, block);
    const std::string name = std::to_string(block);
    sizes.push_back({"bcsr_" + name + "x" + name, blocks * block * block,
                     index_bytes(blocks, 0, (rows + block - 1) / block + 1)});
  }
  return sizes;
}

template <class ExecutionSpace, class Scalar>
std::vector<PackedRowsSize> packed_rows_sizes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto bytes = [&]<class Other, TileValues Values>() {
    // Sizes follow from the pattern; values are not looked at.
    CsrMatrix<Other, MemorySpace> pattern;
    pattern.num_rows = A.num_rows;
    pattern.num_cols = A.num_cols;
    pattern.row_offsets = A.row_offsets;
    pattern.columns = A.columns;
    pattern.values = Kokkos::View<const Other*, MemorySpace>(nullptr, A.values.extent(0));
    return packed_csr_size<ExecutionSpace, Other, Values>(exec, pattern, {}, rows).bytes;
  };
  try {
    PackedRowsSize plain{"packed_csr", {}};
#define TOMOKKOS_ADD(SCALAR)                      \
  plain.bytes.emplace_back(scalar_name<SCALAR>(), \
                           bytes.template operator()<SCALAR, TileValues::plain>());
    TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
    const std::pair<std::string, std::size_t> packed{
        scalar_name<float>(), bytes.template operator()<float, TileValues::half>()};
    return {plain, {"packed_csr_half", {packed}}, {"packed_csr_scaled", {packed}}};
  } catch (const Error& error) {
    // What packed rows cannot hold has no size; no memory is another matter.
    if (typeid(error) != typeid(Error)) throw;
    return {};
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template std::vector<PackedRowsSize> packed_rows_sizes<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,       \
      const IndexMap<SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
