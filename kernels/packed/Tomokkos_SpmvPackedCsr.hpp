// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_StoredProducts.hpp>

namespace Tomokkos {

/// \brief Plan of products with packed rows. Along rows, the lanes of a team member share a row;
/// across rows, each lane has its own.
///
/// A product reads the stored matrix once (on a host, without the 16 bits of runs). Sums of a row
/// keep the error bound of the CSR products, for the values as stored. The bits are the same on
/// every run, and on hosts for any number of threads. Products are fast with a matrix converted on
/// the same backend; other shapes are read entry by entry.
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
