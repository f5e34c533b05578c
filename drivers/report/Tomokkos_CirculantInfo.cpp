// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_BlockRowFile.hpp>
#include <Tomokkos_CirculantInfo.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FigureNode.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

/// With values of each precision.
template <class Bytes>
ConfigNode by_scalar(const Bytes& bytes) {
  ConfigNode node = ConfigNode::map(true);
#define TOMOKKOS_ADD(Scalar) \
  node.set(scalar_name<Scalar>(), ConfigNode::integer(bytes.template operator()<Scalar>()));
  TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_ADD)
#undef TOMOKKOS_ADD
  return node;
}

template <class ExecutionSpace, class Scalar>
ConfigNode info_node(const ExecutionSpace& exec,
                     const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  ConfigNode node = ConfigNode::map();
  set_figures(circulant_figures<ExecutionSpace, Scalar>(exec, A), node);
  const Offset stored = A.num_stored();
  ConfigNode bytes = ConfigNode::map();
  bytes.set("row", by_scalar([&]<class Value>() {
              return block_circulant_bytes<Value>(A.block_rows, stored);
            }));
  bytes.set("row_with_stored_transpose", by_scalar([&]<class Value>() {
              return block_circulant_bytes<Value>(A.block_rows, stored) +
                     block_circulant_bytes<Value>(A.block_cols, stored);
            }));
  bytes.set("expanded_csr", by_scalar([&]<class Value>() {
              return system_matrix_bytes<Value>(A.num_rows(), A.num_nonzeros());
            }));
  node.set("memory_bytes", std::move(bytes));
  return node;
}

}  // namespace

template <class Scalar>
void add_row_of_blocks(const std::string& file, Ordinal given, const HostCsrMatrix<Scalar>& row,
                       ConfigNode& node) {
  using HostSpace = TOMOKKOS_HOST_SPACE;
  const Ordinal told = read_number_of_blocks(file).value_or(0);
  if (given > 0 && told > 0 && given != told)
    throw ConfigError("--blocks " + std::to_string(given) + ": " + file + " tells " +
                      std::to_string(told) + " blocks");
  const Ordinal blocks = std::max(given, told);
  if (blocks == 0) return;
  if (row.num_cols % blocks != 0)
    throw ConfigError("--blocks " + std::to_string(blocks) + ": the row of blocks in " + file +
                      " has " + std::to_string(row.num_cols) +
                      " columns, which so many blocks do not divide");
  const HostSpace exec;
  node.set("block_circulant",
           info_node<HostSpace, Scalar>(
               exec, block_circulant_from_block_row<HostSpace, Scalar>(
                         exec, copy_to<typename HostSpace::memory_space>(exec, row), blocks)));
}

template <class ExecutionSpace, class Scalar>
void add_block_circulant(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
                         ConfigNode& node) {
  const auto A = make_block_row<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::matrix);
  const RowStatistics statistics = expanded_statistics<ExecutionSpace, Scalar>(exec, A);
  const ConfigNode matrix = matrix_node(statistics, 0);
  for (const auto& entry : matrix.entries())
    if (entry.key != "memory_bytes") node.set(entry.key, entry.value);
  node.set("scalar", ConfigNode::text(scalar_name<Scalar>()));
  node.set("block_circulant", info_node<ExecutionSpace, Scalar>(exec, A));
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                         \
  template void add_row_of_blocks(const std::string&, Ordinal, const HostCsrMatrix<Scalar>&, \
                                  ConfigNode&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                        \
  template void add_block_circulant<SPACE, SCALAR>(const SPACE&, const RunConfig&, \
                                                   const RunInput&, ConfigNode&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
