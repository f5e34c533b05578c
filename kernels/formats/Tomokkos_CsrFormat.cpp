// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured shares of the bandwidth; docs/benchmarks/products.md has the commands.
#include <Tomokkos_CsrFormat.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>

namespace Tomokkos {
namespace {

// GPU: shares of the copy bandwidth on an H200, for matrices that are read from its memory. CSR:
// tomography 1024^2 by `team_vector` 0.97 in tiles (0.87 and below if it is smaller or in natural
// order), by `merge_path` 0.87; 27 points by `staged` 0.80 in float and 0.82 in double; 7 points by
// `scalar` 1.04 in float, where ELLPACK-R reaches 0.84 and SELL 0.93.
constexpr double gpu_csr_long_rows = 0.97;
constexpr double gpu_csr_merge_path = 0.87;
constexpr double gpu_csr_staged = 0.81;
constexpr double gpu_csr_scalar = 1.0;
}  // namespace

double CsrFormat::cost(const FormatChoiceInput& matrix) {
  const double bytes =
      matrix.entry_bytes(matrix.num_nonzeros()) + sizeof(Offset) * matrix.num_rows();
  if (!matrix.device.gpu || matrix.is_cached()) return bytes;
  switch (choose_spmv_launch(matrix.device, matrix.rows, {}, matrix.scalar_bytes).variant) {
    case SpmvVariant::merge_path:
      return bytes / gpu_csr_merge_path;
    case SpmvVariant::team_vector:
      return bytes / gpu_csr_long_rows;
    case SpmvVariant::scalar:
      return bytes / gpu_csr_scalar;
    default:
      return bytes / gpu_csr_staged;
  }
}

void CsrFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  sizes.push_back({"csr", A.num_nonzeros(),
                   static_cast<std::size_t>(A.num_nonzeros()) * sizeof(Ordinal) +
                       (static_cast<std::size_t>(A.num_rows) + 1) * sizeof(Offset)});
}

}  // namespace Tomokkos
