// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantRows.hpp>
#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {

namespace {

std::string describe_file(const MatrixGrids& grids) {
  if (grids.views == 0) return "scan: matrix from a file";
  return "scan: " + std::to_string(grids.views) + " views x " + std::to_string(grids.detectors) +
         " detectors, matrix from a file";
}

}  // namespace

std::string FileRows::describe() const { return describe_file(lie); }

std::string CirculantFileRows::describe() const { return describe_file(lie); }

std::int64_t CirculantFileRows::num_rows() const {
  return std::int64_t{read<float>().second.block_rows} * blocks;
}

std::int64_t CirculantFileRows::num_cols() const {
  return std::int64_t{read<float>().second.block_cols} * blocks;
}

template <class Scalar>
std::pair<HostCsrMatrix<Scalar>, CirculantSize> CirculantFileRows::read() const {
  const HostCsrMatrix<Scalar> row = read_matrix<Scalar>(file);
  if (row.num_cols % blocks != 0)
    throw InputError(file.string() + ": the row of blocks has " + std::to_string(row.num_cols) +
                     " columns, which " + std::to_string(blocks) +
                     " blocks (problem.blocks) do not divide");
  const CirculantSize size{row.num_rows, row.num_cols / blocks, blocks, row.num_nonzeros()};
  try {
    check_circulant_shape(size.block_rows, size.block_cols, blocks);
  } catch (const Error& error) {
    throw InputError(file.string() + ": " + error.what());
  }
  return {row, size};
}

#define TOMOKKOS_INSTANTIATE(SCALAR) \
  template std::pair<HostCsrMatrix<SCALAR>, CirculantSize> CirculantFileRows::read<SCALAR>() const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
