// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos {

std::string FileRows::describe() const {
  if (lie.views == 0) return "scan: matrix from a file";
  return "scan: " + std::to_string(lie.views) + " views x " + std::to_string(lie.detectors) +
         " detectors, matrix from a file";
}

template <class Scalar>
std::pair<HostCsrMatrix<Scalar>, CirculantSize> CirculantFileRows::read() const {
  const HostCsrMatrix<Scalar> row = read_matrix<Scalar>(file);
  if (row.num_cols % blocks != 0)
    throw InputError(file.string() + ": the row of blocks has " + std::to_string(row.num_cols) +
                     " columns, which are not divisible by " + std::to_string(blocks) +
                     " blocks (problem.blocks)");
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
