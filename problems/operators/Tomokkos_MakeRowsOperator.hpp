// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowSource.hpp>

namespace Tomokkos {

/// \brief What `make_operator` made of a row source.
template <class ExecutionSpace, class Scalar>
struct BuiltSystem : BuiltOperator<ExecutionSpace, Scalar> {
  /// Where rows and columns of the source are in A, and in vectors that A is multiplied with
  /// (`gather`, `scatter`); nothing where they are as they come.
  MatrixOrder<typename ExecutionSpace::memory_space> order;
  RowStatistics statistics;
  /// Bytes of the matrix in CSR.
  std::size_t csr_bytes = 0;
};

/// \brief The rows of \p source on the device of \p exec, in \p ordering, as an operator.
///
/// The nonzeros are counted first, and what they need is checked before anything is built. Rows of
/// a source with views or crystals count as rays, for which `make_operator` weighs ray tiles.
///
/// \throws MemoryError with the bytes
/// \throws Refused where the format that was asked for does not suit the matrix
/// \throws ConfigError where the order needs a grid that the source does not have
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> make_operator(const ExecutionSpace& exec,
                                                  const RowSource& source, MakeOptions options = {},
                                                  const OrderingOptions& ordering = {});

}  // namespace Tomokkos
