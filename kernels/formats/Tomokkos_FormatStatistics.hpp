// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseFormat.hpp>
#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief What `choose_format` wants to know of \p A, whose rows are sorted.
///
/// Cost: `row_statistics`, a pass over the offsets and a sort of the rows by length (where SELL
/// would pad without), block columns of at most 4096 groups of rows and 1024 entries of each;
/// fences. Takes two arrays of a row's index and gives them back.
template <class ExecutionSpace, class Scalar>
FormatStatistics format_statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief `device_traits` with what the kernels of padded formats were compiled for.
template <class ExecutionSpace>
DeviceTraits format_traits(const ExecutionSpace& exec);

/// \brief The format that \p A should have on \p exec. See the function of the statistics.
template <class ExecutionSpace, class Scalar>
FormatChoice choose_format(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           std::optional<double> largest_fill = {}, bool several_vectors = false) {
  return choose_format(format_traits(exec), format_statistics(exec, A), sizeof(Scalar),
                       largest_fill, several_vectors);
}

}  // namespace Tomokkos
