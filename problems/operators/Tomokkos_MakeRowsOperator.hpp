// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowSource.hpp>

namespace Tomokkos {

/// \brief Result of `make_operator` for a row source.
template <class ExecutionSpace, class Scalar>
struct BuiltSystem : BuiltOperator<ExecutionSpace, Scalar> {
  /// Positions of rows and columns of the source in A and in vectors that A is multiplied with
  /// (`gather`, `scatter`). Empty: natural order.
  MatrixOrder<typename ExecutionSpace::memory_space> order;
  RowStatistics statistics;
  /// Bytes of the matrix in CSR.
  std::size_t csr_bytes = 0;
};

/// \brief Builds the rows of \p source on the device of \p exec, in \p ordering, as an operator.
///
/// The nonzeros are counted first, and the required memory is checked before anything is built. For
/// sources with views or crystals, rows count as rays, for which `make_operator` considers ray
/// tiles.
///
/// \throws MemoryError with the bytes needed
/// \throws Refused when the requested format does not suit the matrix
/// \throws ConfigError when the order needs a grid that the source does not have
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> make_operator(const ExecutionSpace& exec,
                                                  const RowSource& source, MakeOptions options = {},
                                                  const OrderingOptions& ordering = {});

}  // namespace Tomokkos
