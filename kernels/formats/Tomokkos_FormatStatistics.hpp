// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseFormat.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Computes the statistics of \p A that `choose_format` needs. The rows of \p A must be
/// sorted.
///
/// Cost: `row_statistics` plus the `statistics` of each format; fences. Temporarily allocates two
/// arrays with an index per row.
template <class ExecutionSpace, class Scalar>
FormatStatistics format_statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns `device_traits`, completed with the instruction set for which the kernels of
/// padded formats were compiled.
template <class ExecutionSpace>
DeviceTraits format_traits(const ExecutionSpace& exec);

/// \brief Returns the format that \p A should have on \p exec. See the overload that takes the
/// statistics.
template <class ExecutionSpace, class Scalar>
FormatOptions choose_format(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            std::optional<double> largest_fill = {}, bool several_vectors = false) {
  return choose_format(format_traits(exec), format_statistics(exec, A), sizeof(Scalar),
                       largest_fill, several_vectors);
}

}  // namespace Tomokkos
