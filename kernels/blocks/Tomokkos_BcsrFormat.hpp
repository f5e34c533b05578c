// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_BcsrMatrix.hpp>
#include <Tomokkos_FormatChoice.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <array>

namespace Tomokkos {

/// \brief Options of the conversion to BCSR.
struct BcsrOptions {
  /// Limit on the ratio of stored entries (of all blocks) to nonzeros.
  PaddingLimit limit{16};
  /// Rows and columns of a block: 2, 3, 4 or 8. `bcsr_from_csr` uses its template argument instead.
  int block = 4;
};

/// \brief Converts a CSR matrix with sorted rows to BCSR.
///
/// Counts, checks the limit, allocates and fills on the execution space. The result is complete on
/// return.
///
/// \throws Error when the fill would exceed the limit; the message gives both numbers
/// \throws MemoryError when the memory does not suffice
template <int B, class ExecutionSpace, class Scalar>
BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B> bcsr_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const BcsrOptions& options = {});

/// \brief Converts a BCSR matrix to CSR without its zeros. BCSR does not record which of its zeros
/// were entries of the original matrix.
template <class ExecutionSpace, class Scalar, int B>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>& A);

/// \brief Plan of BCSR products: the rows of a block row side by side, lanes over the blocks.
template <class ExecutionSpace, class Scalar, int B>
class SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});
};

/// \brief Registry entry of BCSR.
struct BcsrFormat : FormatDefaults {
  static constexpr MatrixFormat format = MatrixFormat::bcsr;
  static constexpr std::string_view summary = "Compressed rows of dense square blocks.";
  using Options = BcsrOptions;
  static constexpr bool pads = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  template <class Scalar, class MemorySpace>
  using Matrices = TypeList<BcsrMatrix<Scalar, MemorySpace, 2>, BcsrMatrix<Scalar, MemorySpace, 3>,
                            BcsrMatrix<Scalar, MemorySpace, 4>, BcsrMatrix<Scalar, MemorySpace, 8>>;

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.one_of("block", options.block, {2, 3, 4, 8}, "Rows and columns of a block.");
  }

  static std::string refusal_reason(const Options& options) {
    const std::string block = std::to_string(options.block);
    return "blocks are 2x2, 3x3, 4x4 or 8x8, not " + block + "x" + block;
  }

  /// \brief Statistics for `choose_format`: ratio of stored entries to nonzeros for each of
  /// `block_sizes`, estimated from a sample of the rows; 0: unknown.
  struct Statistics {
    std::array<double, block_sizes.size()> fill{};
  };
  /// \brief Computes the statistics. Merges block columns of at most 4096 groups of rows and 1024
  /// entries each. Fences.
  template <class ExecutionSpace, class Scalar>
  static Statistics statistics(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const RowStatistics& rows);
  static std::vector<Offer<Options>> offers(const FormatChoiceInput& matrix,
                                            const Statistics& statistics);
  static Description chosen_shape(const Options& options) {
    return Description::map().set("block", options.block);
  }
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    for (const int block : block_sizes) {
      Options options;
      options.block = block;
      visit(options);
    }
  }
  static std::string shape_name(const Options& options) {
    return Impl::text("{}x{}", options.block, options.block);
  }
};
template <class Scalar, class MemorySpace, int B>
struct FormatTraits<BcsrMatrix<Scalar, MemorySpace, B>> : BcsrFormat {
  static constexpr bool several_vectors = true;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static BcsrMatrix<Scalar, MemorySpace, B> from_csr(const ExecutionSpace& exec,
                                                     const CsrMatrix<Scalar, MemorySpace>& A,
                                                     const Options& options) {
    return bcsr_from_csr<B, ExecutionSpace, Scalar>(exec, A, options);
  }

  static constexpr bool matches_options(const Options& options) { return options.block == B; }
};

}  // namespace Tomokkos
