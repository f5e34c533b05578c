// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllRMatrix.hpp>
#include <Tomokkos_FormatChoice.hpp>
#include <Tomokkos_SellMatrix.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <array>

namespace Tomokkos {

// Conversions from CSR and back, performed on the execution space: count, check the limit,
// allocate, fill. The rows of A must be sorted. Every function fences and returns a complete
// matrix. It throws `Error` when padding or fill would exceed the limit (the message gives the
// numbers), and `MemoryError` when the memory does not suffice.

/// \brief Options of the conversion to ELLPACK.
struct EllOptions {
  PaddingLimit limit{};
};

/// \brief Options of the conversion to ELLPACK-R.
struct EllROptions {
  /// True to sort slots by descending row length; rows of equal length keep their order.
  bool sort_by_length = false;
  PaddingLimit limit{};
  /// Threads of a GPU that share a row: 1, 2, 4 or 8; 0: chosen by the library.
  int threads_per_row = 0;
};

/// \brief Options of the conversion to SELL.
struct SellOptions {
  /// Rows of a chunk; 0: best value for the backend (32 on a GPU, a 64-byte vector of values on a
  /// host).
  int chunk = 0;
  /// Number of consecutive rows that are sorted by length: a multiple of the chunk, 1 for no
  /// sorting, 0 for all rows.
  Ordinal sigma = 1;
  PaddingLimit limit{};
};

/// \brief Converts a CSR matrix with sorted rows to ELLPACK.
template <class ExecutionSpace, class Scalar>
EllMatrix<Scalar, typename ExecutionSpace::memory_space> ell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PaddingLimit& limit = {});

/// \brief Converts a CSR matrix with sorted rows to ELLPACK-R.
template <class ExecutionSpace, class Scalar>
EllRMatrix<Scalar, typename ExecutionSpace::memory_space> ell_r_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const EllROptions& options = {});

/// \brief Converts a CSR matrix with sorted rows to SELL-C-sigma.
template <class ExecutionSpace, class Scalar>
SellMatrix<Scalar, typename ExecutionSpace::memory_space> sell_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const SellOptions& options = {});

/// \brief Converts an ELLPACK matrix to CSR, entry for entry.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const EllMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
/// \brief Converts an ELLPACK-R matrix to CSR, entry for entry.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const EllRMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
/// \brief Converts a SELL matrix to CSR, entry for entry.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const SellMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Plan of ELLPACK products: a thread per row.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, EllMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = EllMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief Plan of ELLPACK-R products: `SpmvOptions::vector_length` threads per row on a GPU (1, 2,
/// 4, 8; 0: chosen by the library).
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = EllRMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});
};

/// \brief Plan of SELL-C-sigma products: a thread per row on a GPU, a chunk at a time on a host.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, SellMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = SellMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief Registry entry of ELLPACK.
struct EllFormat : SingleMatrixFormat<EllMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::ell;
  static constexpr std::string_view summary = "ELLPACK: every row padded to the longest.";
  using Options = EllOptions;
  static constexpr bool pads = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  static std::vector<Offer<Options>> offers(const FormatChoiceInput& matrix);
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    visit(Options{});
  }
  static std::string shape_name(const Options&) { return "scalar"; }
};
template <class Scalar, class MemorySpace>
struct FormatTraits<EllMatrix<Scalar, MemorySpace>> : EllFormat {
  static constexpr bool several_vectors = false;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static EllMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                 const CsrMatrix<Scalar, MemorySpace>& A,
                                                 const Options& options) {
    return ell_from_csr<ExecutionSpace, Scalar>(exec, A, options.limit);
  }
};

/// \brief Registry entry of ELLPACK-R.
struct EllRFormat : SingleMatrixFormat<EllRMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::ell_r;
  static constexpr std::string_view summary =
      "ELLPACK-R: ELLPACK with the lengths of the rows, so that products need not read padding.";
  using Options = EllROptions;
  static constexpr bool pads = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.boolean("sort_by_length", options.sort_by_length,
                "Store the rows in descending order of their lengths.");
    key.one_of("threads_per_row", options.threads_per_row, {0, 1, 2, 4, 8},
               "Threads of a GPU that share a row; 0: chosen by the program.");
  }
  static SpmvOptions product_options(SpmvOptions options, const Options& format) {
    options.vector_length = format.threads_per_row;
    return options;
  }
  static std::vector<Offer<Options>> offers(const FormatChoiceInput& matrix);
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool on_host, const Visit& visit) {
    Options options;
    for (const int threads : {1, 2, 4, 8}) {
      options.threads_per_row = threads;
      visit(options);
      if (on_host) break;
    }
    options.threads_per_row = 1;
    options.sort_by_length = true;
    visit(options);
  }
  static std::string shape_name(const Options& options) {
    return options.sort_by_length ? "sorted" : Impl::text("threads_{}", options.threads_per_row);
  }
};
template <class Scalar, class MemorySpace>
struct FormatTraits<EllRMatrix<Scalar, MemorySpace>> : EllRFormat {
  static constexpr bool several_vectors = true;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static EllRMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, MemorySpace>& A,
                                                  const Options& options) {
    return ell_r_from_csr<ExecutionSpace, Scalar>(exec, A, options);
  }

  /// \brief Returns the bytes that a product reads, which include no padding.
  static std::size_t product_bytes(const EllRMatrix<Scalar, MemorySpace>& A) {
    return static_cast<std::size_t>(A.num_nonzeros()) * (sizeof(Ordinal) + sizeof(Scalar)) +
           (A.row_lengths.extent(0) + A.rows.extent(0)) * sizeof(Ordinal);
  }
};

/// \brief Registry entry of SELL-C-sigma.
struct SellFormat : SingleMatrixFormat<SellMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::sell;
  static constexpr std::string_view summary =
      "SELL-C-sigma: chunks of C rows, each padded to its longest.";
  using Options = SellOptions;
  static constexpr bool pads = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.integer("chunk", options.chunk, 0, 1024,
                "Rows of a chunk; 0: the best value for the backend.");
    key.integer(
        "sigma", options.sigma, 0, 2147483647,
        "Number of consecutive rows sorted by length, a multiple of the chunk; 1: no sorting, "
        "0: all rows.");
  }

  /// \brief Statistics of a matrix for `choose_format`.
  struct Statistics {
    /// Entries that SELL would store with rows in natural order, including padding.
    Offset entries = 0;
    /// Entries that SELL would store with every `sorting_window` rows sorted by length.
    Offset sorted_entries = 0;
  };
  /// \brief Computes the statistics. Two passes over the row offsets of A, and a sort of the rows
  /// by length if SELL would need padding otherwise. Fences.
  template <class ExecutionSpace, class Scalar>
  static Statistics statistics(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const RowStatistics& rows);
  static std::vector<Offer<Options>> offers(const FormatChoiceInput& matrix,
                                            const Statistics& statistics);
  static Description chosen_shape(const Options& options) {
    return Description::map().set("sigma", options.sigma);
  }
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    for (const Ordinal sigma : {1, 256, 8192}) {
      Options options;
      options.sigma = sigma;
      visit(options);
    }
  }
  static std::string shape_name(const Options& options) {
    return Impl::text("sigma_{}", options.sigma);
  }
};
template <class Scalar, class MemorySpace>
struct FormatTraits<SellMatrix<Scalar, MemorySpace>> : SellFormat {
  static constexpr bool several_vectors = true;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static SellMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                  const CsrMatrix<Scalar, MemorySpace>& A,
                                                  const Options& options) {
    return sell_from_csr<ExecutionSpace, Scalar>(exec, A, options);
  }
};

}  // namespace Tomokkos
