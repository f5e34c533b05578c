// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers shared by the exchange of entries and the operators that use it.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// \brief Packs entries: `sent(p, j) = X(entries(p), j)`.
template <class Scalar, class MemorySpace>
struct PackHalo {
  Kokkos::View<const Ordinal*, MemorySpace> entries;
  MultiVectorView<const Scalar, MemorySpace> X;
  VectorView<Scalar, MemorySpace> sent;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(X.extent(1));
    if (columns == 1)
      sent(at) = X(entries(at), 0);
    else
      sent(at) = X(entries(at / columns), at % columns);
  }
};

/// \brief Checks that \p begins divides a vector into one part per rank. Throws `Error`.
inline void require_rank_begins(const std::vector<Ordinal>& begins, int ranks) {
  require_equal("number of first entries", static_cast<long long>(begins.size()),
                "number of ranks + 1", static_cast<long long>(ranks) + 1);
  require(
      begins.front() == 0,
      Impl::text("the parts of the ranks must begin with entry 0, not with {}", begins.front()));
  for (std::size_t r = 1; r < begins.size(); ++r)
    require(begins[r - 1] <= begins[r],
            Impl::text("the part of rank {} begins with {} and ends with {}", r - 1, begins[r - 1],
                       begins[r]));
}

}  // namespace Tomokkos::Impl
