// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairRows.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>
#include <Tomokkos_TransposedProducts.hpp>
#include <algorithm>
#include <array>
#include <string>

namespace Tomokkos {

/// \brief Entry of paired rows in the registry of formats: one copy for both products.
struct PairBlockedFormat : SingleMatrixFormat<PairBlockedMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::pair_blocked;
  static constexpr std::string_view summary =
      "Pairs of rows, a long and a short one, in dense sub-matrices (cuART).";
  using Options = PairBlockedOptions;
  static constexpr bool pads = true;
  static constexpr bool row_ranges = true;
  static constexpr bool single_rows = true;
  static constexpr std::array transposes{TransposeMethod::fixed_point, TransposeMethod::atomic};
  static constexpr double usual_fill = 1.2;
  static double entry_bytes(const Options&, std::size_t scalar_bytes) {
    return static_cast<double>(sizeof(Ordinal) + scalar_bytes);
  }
};

template <class Scalar, class MemorySpace>
struct FormatTraits<PairBlockedMatrix<Scalar, MemorySpace>> : PairBlockedFormat {
  using Matrix = PairBlockedMatrix<Scalar, MemorySpace>;
  using RowIndex = PairRowIndex<MemorySpace>;
  static constexpr bool several_vectors = true;

  template <class ExecutionSpace>
  static RowIndex row_index(const ExecutionSpace& exec, const Matrix& A) {
    return pair_row_index<ExecutionSpace, Scalar>(exec, A);
  }
  static PairRows<Scalar, MemorySpace> rows(const Matrix& A, const RowIndex& index) {
    return {A, index};
  }
  template <class ExecutionSpace>
  static Matrix from_csr(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                         const Options& options) {
    return pair_blocked_from_csr<ExecutionSpace, Scalar>(exec, A, options);
  }
  static Description figures(const Matrix& A) {
    const std::array sub_matrices{A.mixed_begin, A.mixed_end - A.mixed_begin,
                                  A.width - A.mixed_end};
    return Description::map().set("pairs", A.num_pairs()).set("sub_matrices", sub_matrices);
  }
  /// \brief Checks the memory. The sums of `fixed_point` use 9 bytes a column and vector, too
  /// little to choose the transpose by memory.
  template <class ExecutionSpace>
  static void require_room(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A,
                           const Options& options, const MemoryCheckOptions& room,
                           const CsrMatrix<Scalar, MemorySpace>*) {
    const PairBlockedSize size = pair_blocked_size<ExecutionSpace, Scalar>(exec, A);
    check_fill("pair_blocked", static_cast<Offset>(size.width) * size.pairs, A.num_nonzeros(),
               options.limit);
    // Sums and flags of the columns, and ones for the rows while the sums are bounded.
    const auto columns = static_cast<std::uint64_t>(A.num_cols);
    const auto rows = static_cast<std::uint64_t>(A.num_rows);
    constexpr int most = PairBlockedPlan<ExecutionSpace, Scalar>::most_fixed_vectors;
    const auto vectors = static_cast<std::uint64_t>(std::clamp(room.vectors, 1, most));
    const std::uint64_t sums =
        room.transpose == TransposeMethod::fixed_point
            ? vectors * (columns * (sizeof(long long) + 1) + sizeof(double)) + rows * sizeof(Scalar)
            : 0;
    Impl::require_memory(
        size.bytes + sums,
        Impl::text("paired rows of {} entries in {} places need", A.num_nonzeros(), size.stored),
        room.available_bytes, "");
  }
};

/// \brief Transposed products with paired rows by atomic additions of floating-point numbers or of
/// integers.
template <class ExecutionSpace, class Scalar>
class TransposedProducts<ExecutionSpace,
                         PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using Matrix = PairBlockedMatrix<Scalar, memory_space>;
  static constexpr bool several_vectors = true;

  TransposedProducts() = default;
  TransposedProducts(const ExecutionSpace& exec, const Matrix& A, TransposeMethod method, bool)
      : plan_(exec, A,
              method == TransposeMethod::atomic ? PairTranspose::atomic
                                                : PairTranspose::fixed_point) {}

  void reserve(const ExecutionSpace& exec, const Matrix&, int vectors) const {
    plan_.reserve(exec, vectors);
  }
  std::size_t memory_bytes() const { return plan_.memory_bytes(); }
  /// \brief Number of times that a product with \p vectors vectors reads the matrix.
  int passes(int vectors) const {
    using Plan = PairBlockedPlan<ExecutionSpace, Scalar>;
    if (plan_.method() != PairTranspose::atomic)
      return (vectors + Plan::most_fixed_vectors - 1) / Plan::most_fixed_vectors;
    return Impl::is_host_space<ExecutionSpace> ? 1 : spmm_passes(vectors);
  }
  /// \brief Bytes of the sums that are read and reset. At best, the additions stay in the caches.
  std::size_t workspace_traffic(int vectors) const {
    if (plan_.method() == PairTranspose::atomic) return 0;
    return 2 * static_cast<std::size_t>(vectors) * plan_.memory_bytes() /
           static_cast<std::size_t>(plan_.num_vectors());
  }

  void apply(const ExecutionSpace& exec, const Matrix& A, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const {
    apply(exec, A, all_rows, alpha, X, beta, Y);
  }
  void apply(const ExecutionSpace& exec, const Matrix& A, RowRange rows, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const {
    spmm_transpose<ExecutionSpace, Scalar>(exec, plan_, A, rows, alpha, X, beta, Y);
  }

  const PairBlockedPlan<ExecutionSpace, Scalar>& plan() const { return plan_; }

 private:
  PairBlockedPlan<ExecutionSpace, Scalar> plan_;
};

}  // namespace Tomokkos
