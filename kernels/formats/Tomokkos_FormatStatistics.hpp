// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseFormat.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief What `choose_format` wants to know of \p A, whose rows are sorted.
///
/// Cost: `row_statistics`, and what the `statistics` of the formats cost; fences. Takes two arrays
/// of a row's index and gives them back.
template <class ExecutionSpace, class Scalar>
FormatStatistics format_statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief `device_traits` with what the kernels of padded formats were compiled for.
template <class ExecutionSpace>
DeviceTraits format_traits(const ExecutionSpace& exec);

/// \brief The format that \p A should have on \p exec. See the function of the statistics.
template <class ExecutionSpace, class Scalar>
FormatOptions choose_format(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            std::optional<double> largest_fill = {}, bool several_vectors = false) {
  return choose_format(format_traits(exec), format_statistics(exec, A), sizeof(Scalar),
                       largest_fill, several_vectors);
}

}  // namespace Tomokkos
