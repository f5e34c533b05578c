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

/// Rows of a chunk on a host, and outputs that a thread adds up side by side.
inline constexpr Ordinal dia_host_chunk = 64;

}  // namespace Impl

/// \brief How DIA is made.
struct DiaOptions {
  /// Limits the places of all diagonals over nonzeros.
  PaddingLimit limit;
};

/// \brief A, its rows sorted, by diagonals. Marks the diagonals that hold an entry, allocates and
/// fills on the execution space; complete on return. 4 bytes a row and a column of workspace, two
/// passes over A. Throws `Error` with the numbers for a matrix that is no band, whose diagonals
/// would exceed the limit; `MemoryError`.
template <class ExecutionSpace, class Scalar>
DiaMatrix<Scalar, typename ExecutionSpace::memory_space> dia_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const DiaOptions& options = {});

/// \brief Brings the matrix back into CSR. DIA has forgotten which of its zeros were entries, and
/// returns none.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief DIA: a thread per row on a GPU, 64 rows side by side on a host. Both products read the
/// values once, row after row of each diagonal, and neighbouring entries of x.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = DiaMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief `y = alpha A(rows, :) x + beta y` with `rows.size()` entries of y. The bits of these rows
/// of the whole product. Throws `Error` for a range that does not lie within the rows,
/// `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void spmv(const ExecutionSpace& exec,
          const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
          const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
          Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y, RowRange rows);

/// \brief `x = alpha A(rows, :)^T y + beta x` from the same copy, with `rows.size()` entries of y:
/// all of x is written. No atomics; the same bits on every run. One launch.
template <class ExecutionSpace, class Scalar>
void spmv_transpose(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& y, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& x, RowRange rows = all_rows);

/// \brief `x = alpha A(:, columns)^T y + beta x` with `columns.size()` entries of x: the bits of
/// these columns of the whole product.
template <class ExecutionSpace, class Scalar>
void spmv_transpose_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& y,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& x);

/// \brief Nothing: slabs of DIA have nothing in common.
template <class ExecutionSpace, class Scalar>
void prepare_transpose_columns(
    const ExecutionSpace&,
    const SpmvPlan<ExecutionSpace, DiaMatrix<Scalar, typename ExecutionSpace::memory_space>>&,
    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>&,
    const InputVector<ExecutionSpace, Scalar>&) {}

/// \brief `X = alpha A^T Y + beta X` of row-major multivectors, the values read once.
template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec,
                    const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X);

/// \brief DIA for the registry of formats: one copy for both products.
struct DiaFormat : SingleMatrixFormat<DiaMatrix> {
  static constexpr MatrixFormat format = MatrixFormat::dia;
  static constexpr std::string_view summary =
      "Diagonals without column indices, for stencils: one copy for both products.";
  using Options = DiaOptions;
  static constexpr bool pads = true;
  static constexpr bool one_copy = true;
  static constexpr std::array<TransposeMethod, 0> transposes{};

  /// \brief Figures that `choose_format` needs: how many diagonals hold an entry.
  struct Statistics {
    Ordinal diagonals = 0;
  };
  /// \brief A pass over the columns of A; 4 bytes a row and a column of workspace. Fences.
  template <class ExecutionSpace, class Scalar>
  static Statistics statistics(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                               const RowStatistics& rows);
  static std::vector<Offer<Options>> offers(const FormatCase& matrix, const Statistics& statistics);
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
  static Ordinal slab_unit(const DiaMatrix<Scalar, MemorySpace>&) { return 1; }
  static Description figures(const DiaMatrix<Scalar, MemorySpace>& A) {
    return Description::map().set("diagonals", A.num_diagonals());
  }
};

}  // namespace Tomokkos
