// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npz.hpp>
#include <algorithm>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

constexpr const char* blocks_name = "blocks";

}  // namespace

template <class Scalar>
void write_block_row(const std::filesystem::path& path, const HostCsrMatrix<Scalar>& block_row,
                     Ordinal blocks) {
  switch (matrix_output_format(path)) {
    case MatrixFileFormat::npz:
      return write_npz_matrix(path, block_row, NpzCompression::deflated, {{blocks_name, blocks}});
    case MatrixFileFormat::matrix_market:
      return write_matrix_market(
          path, block_row,
          Impl::text("the first row of blocks of a block-circulant matrix of {} x {} blocks",
                     blocks, blocks));
    case MatrixFileFormat::csr4:
      break;
  }
  throw OutputError(path.string() +
                    ": a csr4 file cannot store a row of blocks; allowed are .mtx, .npz");
}

std::optional<Ordinal> read_number_of_blocks(const std::filesystem::path& path) {
  if (matrix_file_format(path) != MatrixFileFormat::npz) return std::nullopt;
  const auto names = npz_array_names(path);
  if (std::find(names.begin(), names.end(), blocks_name) == names.end()) return std::nullopt;
  const HostArray<double> number = read_npz_array<double>(path, blocks_name);
  const auto blocks = number.data.size() == 1
                          ? static_cast<Ordinal>(std::clamp(number.data[0], 0.0, 2147483647.0))
                          : 0;
  if (blocks > 0 && blocks == number.data[0]) return blocks;
  throw InputError(
      Impl::text("{}: the array {} should be the number of blocks, a whole number from 1 to {}",
                 path.string(), blocks_name, std::numeric_limits<Ordinal>::max()));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                        \
  template void write_block_row(const std::filesystem::path&, const HostCsrMatrix<Scalar>&, \
                                Ordinal);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
