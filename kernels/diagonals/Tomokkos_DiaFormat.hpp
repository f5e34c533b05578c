// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DiaMatrix.hpp>
#include <Tomokkos_FormatChoice.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <Tomokkos_TransposedProducts.hpp>
#include <array>
#include <string>
#include <vector>

namespace Tomokkos {

namespace Impl {

/// Rows of a chunk on a host, and number of outputs that a thread sums side by side.
inline constexpr Ordinal dia_host_chunk = 64;

}  // namespace Impl

/// \brief Options of the conversion to DIA.
struct DiaOptions {
  /// Limit on the ratio of stored elements (of all diagonals) to nonzeros.
  PaddingLimit limit{};
};

/// \brief Converts a CSR matrix with sorted rows to DIA.
///
/// Marks the diagonals that hold an entry, allocates and fills on the execution space. The result
/// is complete on return. Cost: two passes over A, a workspace of 4 bytes per row and per column.
///
/// \throws Error when the stored diagonals would exceed the limit, as for a matrix that is not
/// banded; the message gives the numbers
/// \throws MemoryError when the memory does not suffice
template <class ExecutionSpace, class Scalar>
DiaMatrix<Scalar, typename ExecutionSpace::memory_space> dia_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const DiaOptions& options = {});

/// \brief Converts a DIA matrix to CSR without its zeros. DIA does not record which of its zeros
/// were entries of the original matrix.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Plan of DIA products: a thread per row on a GPU, 64 rows side by side on a host.
///
/// The product and the transposed product read the values once, along the rows of each diagonal,
/// and neighbouring entries of x.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = DiaMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief Computes `y = alpha A(rows, :) x + beta y` with `rows.size()` entries of y.
///
/// The results have the same bits as these rows of the whole product.
///
/// \throws Error when the range is not within the rows of A
/// \throws DimensionMismatch when x or y has the wrong length
template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec,
          const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
          const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y, RowRange rows);

/// \brief Computes `x = alpha A(rows, :)^T y + beta x` from the arrays of A, with `rows.size()`
/// entries of y.
///
/// All of x is written. No atomic additions; the bits repeat on every run. One launch.
///
/// \throws Error when the range is not within the rows of A
/// \throws DimensionMismatch when x or y has the wrong length
template <class ExecutionSpace, class Scalar>
void spmv_transpose(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& y, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& x, RowRange rows = all_rows);

/// \brief Computes `x = alpha A(:, columns)^T y + beta x` with `columns.size()` entries of x.
///
/// The results have the same bits as these columns of the whole product.
///
/// \throws Error when the range is not within the columns of A
/// \throws DimensionMismatch when x or y has the wrong length
template <class ExecutionSpace, class Scalar>
void spmv_transpose_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& y,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& x);

/// \brief Prepares products by slabs of columns (`spmv_transpose_columns`). For DIA there is
/// nothing to do, because its slabs share no work.
template <class ExecutionSpace, class Scalar>
void prepare_transpose_columns(
    const ExecutionSpace&,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>&,
    const InputVector<ExecutionSpace, Scalar>&) {}

/// \brief Computes `X = alpha A^T Y + beta X` with row-major multivectors. Reads the values once.
template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec,
                    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X);

/// \brief Registry entry of DIA, which uses one copy for both products.
struct DiaFormat : SingleMatrixFormat<DiaMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::dia;
  static constexpr std::string_view summary =
      "Diagonals without column indices, for stencils: one copy for both products.";
  using Options = DiaOptions;
  static constexpr bool pads = true;
  static constexpr bool one_copy = true;
  static constexpr std::array<TransposeMethod, 0> transposes{};

  /// \brief Statistics for `choose_format`: the number of diagonals that hold an entry.
  struct Statistics {
    Ordinal diagonals = 0;
  };
  /// \brief Computes the statistics. One pass over the columns of A; a workspace of 4 bytes per row
  /// and per column. Fences.
  template <class ExecutionSpace, class Scalar>
  static Statistics statistics(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const RowStatistics& rows);
  static std::vector<Offer<Options>> offers(const FormatChoiceInput& matrix,
                                            const Statistics& statistics);
  static void count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes);
  template <class Visit>
  static void for_each_shape(bool, const Visit& visit) {
    visit(Options{});
  }
  static std::string shape_name(const Options&) { return "diagonals"; }
};

template <class Scalar, class MemorySpace>
struct FormatTraits<DiaMatrix<Scalar, MemorySpace>> : DiaFormat {
  static constexpr bool several_vectors = true;
  static constexpr bool has_dot = true;
  static constexpr bool has_entries = true;

  template <class ExecutionSpace>
  static DiaMatrix<Scalar, MemorySpace> from_csr(const ExecutionSpace& exec,
                                                 const CsrMatrix<Scalar, MemorySpace>& A,
                                                 const Options& options) {
    return dia_from_csr<ExecutionSpace, Scalar>(exec, A, options);
  }
  static Ordinal slab_multiple(const DiaMatrix<Scalar, MemorySpace>&) { return 1; }
  static Description figures(const DiaMatrix<Scalar, MemorySpace>& A) {
    return Description::map().set("diagonals", A.num_diagonals());
  }
};

}  // namespace Tomokkos
