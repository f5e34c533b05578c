// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {

namespace {

template <class Enum>
ConfigNode name_of(Enum value) {
  return ConfigNode::text(std::string(to_string(value)));
}

template <class ExecutionSpace, class Scalar>
BlockCirculantOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  const OperatorSection& section = config.matrix_operator;
  CirculantOperatorOptions<ExecutionSpace, Scalar> options;
  options.variant = section.circulant.variant;
  options.transpose = section.transpose;
  options.transpose_variant = section.circulant.transpose_variant;
  options.available_bytes = available_memory(exec);
  return {exec, A, options};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
ConfigNode block_circulant_node(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  ConfigNode node = ConfigNode::map();
  node.set("blocks", ConfigNode::integer(A.blocks));
  node.set("block_rows", ConfigNode::integer(A.block_rows));
  node.set("block_columns", ConfigNode::integer(A.block_cols));
  node.set("stored", ConfigNode::integer(A.num_stored()));
  node.set("reuse", ConfigNode::number(circulant_reuse<ExecutionSpace, Scalar>(exec, A)));
  return node;
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors) {
  const auto made = make_operator<ExecutionSpace, Scalar>(exec, config, A);
  // The solver would, and then it is in no figure here.
  made.reserve(exec, static_cast<int>(vectors));
  ConfigNode report = ConfigNode::map();
  report.set("format", ConfigNode::text("block_circulant"));
  report.set("variant", name_of(made.variant()));
  report.set("transpose", name_of(made.transpose()));
  if (made.transpose() == TransposeMethod::stored)
    report.set("transpose_variant", name_of(made.transpose_variant()));
  const ConfigNode shape = block_circulant_node<ExecutionSpace, Scalar>(exec, A);
  for (const auto& entry : shape.entries()) report.set(entry.key, entry.value);
  const std::size_t csr_bytes = system_matrix_bytes<Scalar>(A.num_rows(), A.num_nonzeros());
  report.set("row_bytes", ConfigNode::integer(A.memory_bytes()));
  report.set("expanded", ConfigNode::number(static_cast<double>(csr_bytes) /
                                            static_cast<double>(A.memory_bytes())));
  report.set("ordering", ordering_node(config.matrix_operator.ordering));
  report.set("memory_bytes", ConfigNode::integer(made.memory_bytes()));
  return {AnyOperator<ExecutionSpace, Scalar>(made),
          expanded_statistics<ExecutionSpace, Scalar>(exec, A), csr_bytes, std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PreparedOperator<SPACE, SCALAR> prepare_circulant_operator<SPACE, SCALAR>(           \
      const SPACE&, const RunConfig&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, \
      Ordinal);                                                                                 \
  template ConfigNode block_circulant_node<SPACE, SCALAR>(                                      \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
