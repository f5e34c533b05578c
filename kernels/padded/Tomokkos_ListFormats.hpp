// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatChoice.hpp>
#include <Tomokkos_HybMatrix.hpp>
#include <Tomokkos_PaddedFormats.hpp>
#include <Tomokkos_StoredProducts.hpp>

namespace Tomokkos {

/// \brief Options of the conversion to COO: none.
struct CooOptions {};

/// \brief Options of the conversion to HYB.
struct HybOptions {
  /// Share of the rows that fit completely into the regular part. The width of this part is the
  /// smallest number of entries that this share of the rows does not exceed.
  double quantile = 2.0 / 3.0;
  PaddingLimit limit{};
};

/// \brief Converts a CSR matrix with sorted rows to COO. Cost and errors as in
/// `Tomokkos_PaddedFormats.hpp`.
template <class ExecutionSpace, class Scalar>
CooMatrix<Scalar, typename ExecutionSpace::memory_space> coo_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
/// \brief Converts a CSR matrix with sorted rows to HYB. Cost and errors as in
/// `Tomokkos_PaddedFormats.hpp`.
template <class ExecutionSpace, class Scalar>
HybMatrix<Scalar, typename ExecutionSpace::memory_space> hyb_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const HybOptions& options = {});
/// \brief Converts a COO matrix to CSR, entry for entry.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const CooMatrix<Scalar, typename ExecutionSpace::memory_space>& A);
/// \brief Converts a HYB matrix to CSR, entry for entry.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const HybMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Plan of COO products: tiles with equal numbers of entries.
///
/// The partial sums of rows that cross a tile boundary are the carries of the tile. A second launch
/// adds them in order. No atomic additions; the bits repeat on every run. The plan holds the
/// carries, so it serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, CooMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CooMatrix<Scalar, memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});
  const SpmvOptions& options() const { return options_; }
  std::size_t memory_bytes() const {
    return carry_rows_.extent(0) * sizeof(Ordinal) + carry_sums_.extent(0) * sizeof(double);
  }

  // Used by the kernels: two carries per tile, for its first and its last row.
  Offset num_tiles() const { return num_tiles_; }
  const Kokkos::View<Ordinal*, memory_space>& carry_rows() const { return carry_rows_; }
  const Kokkos::View<double*, memory_space>& carry_sums() const { return carry_sums_; }

 private:
  SpmvOptions options_;
  Offset num_tiles_ = 0;
  Kokkos::View<Ordinal*, memory_space> carry_rows_;
  Kokkos::View<double*, memory_space> carry_sums_;
};

/// \brief Plan of HYB products: the regular part first, then the list.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, HybMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = HybMatrix<Scalar, memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {})
      : regular_(exec, A.regular, options), rest_(exec, A.rest, options) {}
  const SpmvOptions& options() const { return rest_.options(); }
  std::size_t memory_bytes() const { return rest_.memory_bytes(); }

  const SpmvPlan<ExecutionSpace, EllMatrix<Scalar, memory_space>>& regular() const {
    return regular_;
  }
  const SpmvPlan<ExecutionSpace, CooMatrix<Scalar, memory_space>>& rest() const { return rest_; }

 private:
  SpmvPlan<ExecutionSpace, EllMatrix<Scalar, memory_space>> regular_;
  SpmvPlan<ExecutionSpace, CooMatrix<Scalar, memory_space>> rest_;
};

/// \brief Registry entry of COO.
struct CooFormat : SingleMatrixFormat<CooMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::coo;
  static constexpr std::string_view summary = "A sorted list of entries with row and column.";
  using Options = CooOptions;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    visit(Options{});
  }
  static std::string shape_name(const Options&) { return "segmented"; }
};
template <class Scalar, class MemorySpace>
struct FormatTraits<CooMatrix<Scalar, MemorySpace>> : CooFormat {
  static constexpr bool several_vectors = false;
  static constexpr bool has_dot = false;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static CooMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                 const CsrMatrix<Scalar, MemorySpace>& A,
                                                 const Options&) {
    return coo_from_csr<ExecutionSpace, Scalar>(exec, A);
  }
};

/// \brief Number of entries that HYB with its default quantile keeps in the regular part. The
/// calling thread counts.
Offset hyb_regular_entries(const HostPattern& A);

/// \brief Registry entry of HYB.
struct HybFormat : SingleMatrixFormat<HybMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::hyb;
  static constexpr std::string_view summary =
      "ELLPACK for the first entries of each row, a list for the rest.";
  using Options = HybOptions;
  static constexpr bool pads = true;
  static constexpr std::array transposes{TransposeMethod::stored, TransposeMethod::atomic};

  template <class Visitor>
  static void describe(Visitor&& key, Options& options) {
    key.number("quantile", options.quantile, KeyRange{.minimum = 0, .maximum = 1},
               "Share of the rows that fit completely into the regular part.");
  }
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    visit(Options{});
  }
  static std::string shape_name(const Options&) { return "ell_coo"; }
};
template <class Scalar, class MemorySpace>
struct FormatTraits<HybMatrix<Scalar, MemorySpace>> : HybFormat {
  static constexpr bool several_vectors = false;
  static constexpr bool has_dot = false;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static HybMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                 const CsrMatrix<Scalar, MemorySpace>& A,
                                                 const Options& options) {
    return hyb_from_csr<ExecutionSpace, Scalar>(exec, A, options);
  }
};

}  // namespace Tomokkos
