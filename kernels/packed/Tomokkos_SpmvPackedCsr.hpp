// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_StoredProducts.hpp>

namespace Tomokkos {

/// \brief Packed rows: along rows the lanes of a team member share a row, across rows each has one.
///
/// Reads the stored matrix once (of a run on a host not the 16 bits). Sums of a row keep the bound
/// of the CSR products, of values as they are stored; the bits are the same on every run, on hosts
/// for any number of threads. Fast for what the conversion makes of a matrix on the same backend;
/// other shapes are read entry by entry.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
class SpmvPlan<ExecutionSpace,
               PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

}  // namespace Tomokkos
