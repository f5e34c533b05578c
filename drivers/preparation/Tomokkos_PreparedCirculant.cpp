// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigDescription.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_PreparedCirculant.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors) {
  const OperatorSection& section = config.matrix_operator;
  CirculantOperatorOptions<ExecutionSpace, Scalar> options;
  options.variant = section.circulant.variant;
  options.transpose = section.transpose;
  options.transpose_variant = section.circulant.transpose_variant;
  options.available_bytes = available_memory(exec);
  const BuiltOperator<ExecutionSpace, Scalar> made = make_operator(exec, A, options);
  // Reserve the scratch now; otherwise the report would not include it.
  made.A.reserve(exec, static_cast<int>(vectors));
  Description report = Description::map();
  report.set_all(made.description);
  report.set("ordering", description_of(ordering_node(section.ordering)));
  report.set("memory_bytes", made.A.memory_bytes());
  return {made.A, expanded_statistics<ExecutionSpace, Scalar>(exec, A),
          system_matrix_bytes<Scalar>(A.num_rows(), A.num_nonzeros()), std::move(report)};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PreparedOperator<SPACE, SCALAR> prepare_circulant_operator<SPACE, SCALAR>(           \
      const SPACE&, const RunConfig&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, \
      Ordinal);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
