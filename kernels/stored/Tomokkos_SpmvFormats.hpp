// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BcsrMatrix.hpp>
#include <Tomokkos_CooMatrix.hpp>
#include <Tomokkos_EllRMatrix.hpp>
#include <Tomokkos_HybMatrix.hpp>
#include <Tomokkos_SellMatrix.hpp>
#include <Tomokkos_Spmv.hpp>

namespace Tomokkos {

// `y = alpha A x + beta y` for every format but CSR, on one pattern: a plan per matrix, then
// `spmv(exec, plan, A, alpha, x, beta, y)`. `beta == 0` overwrites y, whatever it held. Each reads
// the stored matrix once (padding of ELLPACK-R and SELL not at all beyond a pack), x once if it
// stays in cache, and writes y. Sums of a row keep the bound of the CSR products; the bits repeat
// on every run. No fence, no allocation. Throws `DimensionMismatch`.

namespace Impl {

template <class Matrix>
inline constexpr bool is_csr = false;
template <class Scalar, class MemorySpace>
inline constexpr bool is_csr<CsrMatrix<Scalar, MemorySpace>> = true;

/// \brief A plan that is nothing but its choices.
class PlanWithoutMemory {
 public:
  PlanWithoutMemory() = default;
  explicit PlanWithoutMemory(const SpmvOptions& options) : options_(options) {}
  const SpmvOptions& options() const { return options_; }
  std::size_t memory_bytes() const { return 0; }

 private:
  SpmvOptions options_;
};

}  // namespace Impl

/// \brief ELLPACK: a thread per row.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, EllMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = EllMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief ELLPACK-R: `SpmvOptions::vector_length` threads per row on a GPU (1, 2, 4, 8; 0: chosen).
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = EllRMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});
};

/// \brief SELL-C-sigma: a thread per row on a GPU, a chunk at a time on a host.
template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, SellMatrix<Scalar, typename ExecutionSpace::memory_space>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = SellMatrix<Scalar, typename ExecutionSpace::memory_space>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace&, const matrix_type&, const SpmvOptions& options = {})
      : PlanWithoutMemory(options) {}
};

/// \brief BCSR: the rows of a block row side by side, lanes over the blocks.
template <class ExecutionSpace, class Scalar, int B>
class SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>>
    : public Impl::PlanWithoutMemory {
 public:
  using matrix_type = BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>;
  SpmvPlan() = default;
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});
};

/// \brief COO: equal tiles of entries; the sums of the rows that cross a tile's border are its
/// carries, added in order by a second launch. No atomics, the same bits on every run.
///
/// Holds the carries, so one plan serves one execution-space instance at a time.
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

  // Used by the kernels: two carries a tile, of its first and of its last row.
  Offset num_tiles() const { return num_tiles_; }
  const Kokkos::View<Ordinal*, memory_space>& carry_rows() const { return carry_rows_; }
  const Kokkos::View<double*, memory_space>& carry_sums() const { return carry_sums_; }

 private:
  SpmvOptions options_;
  Offset num_tiles_ = 0;
  Kokkos::View<Ordinal*, memory_space> carry_rows_;
  Kokkos::View<double*, memory_space> carry_sums_;
};

/// \brief HYB: the regular part, then the list on top.
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

/// \brief `y = alpha A x + beta y` for any matrix of these formats.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    typename Matrix::scalar_type alpha,
    const VectorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& x,
    typename Matrix::scalar_type beta,
    const VectorView<typename Matrix::scalar_type, typename Matrix::memory_space>& y);

/// \brief How many sums `spmv_dot` leaves; 0 where the format, or its kernel, has no such product:
/// COO, HYB, and on a GPU ELLPACK-R with several threads a row and BCSR in teams that were asked
/// for and are not whole warps or have more than 128 threads.
///
/// On a host the number follows from the matrix alone.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) Offset
    spmv_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A);

/// \brief `y = A x` for a square A, and `sums`, `spmv_dot_sums(plan, A)` of them, which add up to
/// `x . y` in double.
///
/// y has the bits of `spmv`, the sums the same on every run and, on a host, for any number of
/// threads. One launch, no fence, no allocation. Throws `Error` where there is no such product,
/// else as `spmv`.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv_dot(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    const VectorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& x,
    const VectorView<typename Matrix::scalar_type, typename Matrix::memory_space>& y,
    const VectorView<double, typename Matrix::memory_space>& sums);

}  // namespace Tomokkos
