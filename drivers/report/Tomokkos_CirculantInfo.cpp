// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_CirculantInfo.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

template <class ExecutionSpace, class Scalar>
Description info_description(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  Description result = Description::map();
  result.set_all(describe_circulant<ExecutionSpace, Scalar>(exec, A));
  const auto stored = static_cast<double>(A.num_stored());
  // A row of blocks has the arrays of a CSR matrix.
  const auto row = [&](std::size_t scalar_bytes) {
    return static_cast<std::size_t>(csr_bytes(scalar_bytes, A.block_rows, stored));
  };
  Description bytes = Description::map();
  bytes.set("row", bytes_by_scalar(row));
  bytes.set("row_with_stored_transpose", bytes_by_scalar([&](std::size_t scalar_bytes) {
              return row(scalar_bytes) +
                     static_cast<std::size_t>(csr_bytes(scalar_bytes, A.block_cols, stored));
            }));
  bytes.set("expanded_csr", bytes_by_scalar([&](std::size_t scalar_bytes) {
              return static_cast<std::size_t>(
                  csr_bytes(scalar_bytes, A.num_rows(), static_cast<double>(A.num_nonzeros())));
            }));
  result.set("memory_bytes", std::move(bytes));
  return result;
}

}  // namespace

template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       Description& result) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  const Ordinal told = read_number_of_blocks(file).value_or(0);
  if (given > 0 && told > 0 && given != told)
    throw ConfigError("--blocks " + std::to_string(given) + ": " + file + " contains " +
                      std::to_string(told) + " blocks");
  const Ordinal blocks = std::max(given, told);
  if (blocks == 0) return;
  if (row.num_cols % blocks != 0)
    throw ConfigError("--blocks " + std::to_string(blocks) + ": the block row in " + file +
                      " has " + std::to_string(row.num_cols) +
                      " columns, which this number does not divide");
  const HostSpace exec;
  result.set("block_circulant",
             info_description<HostSpace, Scalar>(
                 exec, block_circulant_from_block_row<HostSpace, Scalar>(
                           exec, copy_to<typename HostSpace::memory_space>(exec, row), blocks)));
}

template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const SystemTask& task, Description& result) {
  const auto A = make_block_row<ExecutionSpace, Scalar>(exec, task, MatrixUse::matrix);
  const RowStatistics statistics = expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  result.set_all(matrix_description(statistics));
  result.set("scalar", scalar_name<Scalar>());
  result.set("block_circulant", info_description<ExecutionSpace, Scalar>(exec, A));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                         \
  template void add_row_of_blocks(const std::string&, Ordinal, const HostCsrMatrix<Scalar>&, \
                                  Description&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template void add_block_circulant<SPACE, SCALAR>(const SPACE&, const SystemTask&, Description&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
