// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Reduce.hpp>
#include <vector>

namespace Tomokkos {

// Element-wise work and reductions on vectors. Every reduction accumulates in double, in a fixed
// order, and leaves its result in memory of the execution space. But for `to_host*` nothing here
// fences, and nothing allocates. Vectors of unequal lengths throw `DimensionMismatch`, a workspace
// without memory `Error`.

/// \brief `x = value`. Writes n values.
template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec,
          const VectorView<Scalar, typename ExecutionSpace::memory_space>& x, Scalar value);

/// \brief `y = alpha x + beta y`; `beta == 0` overwrites, whatever y held. Reads 2n (n when
/// `beta == 0`), writes n values; one launch. Throws `DimensionMismatch` unless x and y have one
/// length.
template <class ExecutionSpace, class Scalar>
void axpby(const ExecutionSpace& exec, Scalar alpha,
           const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x, Scalar beta,
           const VectorView<Scalar, typename ExecutionSpace::memory_space>& y);

/// \brief `y = x`, converted to the scalar of y. Reads n, writes n values; one launch. Throws
/// `DimensionMismatch`.
template <class ExecutionSpace, class From, class To>
void convert(const ExecutionSpace& exec,
             const VectorView<const From, typename ExecutionSpace::memory_space>& x,
             const VectorView<To, typename ExecutionSpace::memory_space>& y);

/// \brief `result(0) = sum_i x_i y_i`, products and sum in double. Reads 2n values; one or two
/// launches. Throws `DimensionMismatch` unless x and y have one length.
template <class ExecutionSpace, class Scalar>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& y,
         const VectorView<double, typename ExecutionSpace::memory_space>& result);

/// \brief `result(j) = sum_i X_ij Y_ij` for every column, each summed as `dot` sums a vector.
/// Throws `DimensionMismatch`, and `Error` when \p workspace was made for fewer columns.
template <class ExecutionSpace, class Scalar>
void dot_columns(const ExecutionSpace& exec,
                 const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                 const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& Y,
                 const VectorView<double, typename ExecutionSpace::memory_space>& result);

/// \brief `result(0) = sum_i x_i`. Reads n values.
template <class ExecutionSpace, class Scalar>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
         const VectorView<double, typename ExecutionSpace::memory_space>& result);

/// \brief `result(0) = sum_i (x_i - y_i)^2`. Reads 2n values.
template <class ExecutionSpace, class Scalar>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& y,
                      const VectorView<double, typename ExecutionSpace::memory_space>& result);

/// \brief The value of a one-element device result on the host. Fences \p exec: never inside an
/// iteration.
template <class ExecutionSpace>
double to_host(const ExecutionSpace& exec,
               const VectorView<const double, typename ExecutionSpace::memory_space>& result);

/// \brief All values of a device result on the host. Fences \p exec: never inside an iteration.
template <class ExecutionSpace>
std::vector<double> to_host_vector(
    const ExecutionSpace& exec,
    const VectorView<const double, typename ExecutionSpace::memory_space>& result);

}  // namespace Tomokkos
