// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <algorithm>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Returns true if \p method is requested.
inline bool wants(const BenchOptions& options, TransposeMethod method) {
  const auto& wanted = options.transposes;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), method) != wanted.end();
}

/// \brief Makes our products: each forward variant, or every requested `TransposeMethod`;
/// `stored:<variant>` in each format.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                 const BenchOptions& options, bool of_transpose);

/// \brief Appends our products of \p format, which is not CSR, to \p list, in every shape that
/// makes sense on the backend.
///
/// Transposed products use a stored copy, if requested, or the one copy if the format serves both
/// products from it. If a conversion fails, the candidate is refused with the reason. The
/// conversion counts as set-up.
template <class ExecutionSpace, class Scalar>
void add_format_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const std::string& format, const BenchOptions& options, bool of_transpose);

/// \brief Appends `ray_tiles`, and in float `ray_tiles_half` and `ray_tiles_scaled`, to \p list.
/// The forward and transposed products of a case share the copy.
template <class ExecutionSpace, class Scalar>
void add_ray_tiles_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose);

/// \brief Appends the products of `scsr` to \p list: one ray of each orbit of a scan is stored, in
/// natural order, and multiplied with the eight images of a vector.
///
/// The case must hold the system matrix of a scan. The stored rays are in every format but ray
/// tiles: `csr`; `sell`, on a GPU also in chunks of 8; `packed_csr`, in float also with halves as
/// `scsr_half`; `pair_blocked`. Transposed variants, if requested, are `stored:csr` and so on from
/// a transposed copy of the stored rays, `stored:csr:sell` from a copy in SELL, `atomic:csr`, and
/// for pairs `fixed_point:pair_blocked` and `atomic:pair_blocked`.
template <class ExecutionSpace, class Scalar>
void add_symmetric_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options, bool of_transpose);

/// \brief Appends the products of `computed` to \p list. The case must hold the system matrix of a
/// scan in natural order.
template <class ExecutionSpace, class Scalar>
void add_computed_products(ProductList<Scalar>& list,
                           BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose);

/// \brief Returns the operator of `computed`, which all candidates of the case share. The case must
/// hold the system matrix of a scan in natural order.
template <class ExecutionSpace, class Scalar>
AnyOperator<ExecutionSpace, Scalar> computed_operator(
    BenchCase<ExecutionSpace, Scalar>& matrix_case);

/// \brief Appends the products of `pair_blocked` to \p list.
///
/// The columns of a group are `spread` over its lanes in lock step, or `ascending` in every row.
/// Transposed variants, if requested, read the same copy: `atomic:spread`, `fixed_point:spread` and
/// so on. Fixed-point sums are checked against the error that `PairBlockedPlan` states.
template <class ExecutionSpace, class Scalar>
void add_pair_blocked_products(ProductList<Scalar>& list,
                               BenchCase<ExecutionSpace, Scalar>& matrix_case,
                               const BenchOptions& options, bool of_transpose);

/// \brief Appends the products of `packed_csr`, and in float of `packed_csr_half` and
/// `packed_csr_scaled`, to \p list.
///
/// The layout is the one that suits the matrix. Rays of a known order are stored in tiles
/// (`tiled_ray_order`), which does not change x and y. Transposed variants, if requested, read
/// packed rows of A^T (`stored:<layout>`) or those of A (`atomic:<layout>`, on hosts also
/// `private:<layout>`). The values are rounded once for both products.
template <class ExecutionSpace, class Scalar>
void add_packed_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const BenchOptions& options, bool of_transpose);

/// \brief Makes `y = A^T x` from CSR itself, by atomic additions, private images or windows of
/// columns. On a GPU windows are checked against the error that `WindowedPlan` states.
template <class ExecutionSpace, class Scalar>
Product<Scalar> transposed_csr_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                       TransposeMethod method, bool deterministic);

/// \brief Makes our products with \p vectors vectors at once in every format that supports them,
/// forward or from a stored transpose.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_multiproducts(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                      const BenchOptions& options, int vectors, bool of_transpose);

/// \brief Makes our products of a block-circulant matrix by each requested variant. Transposed:
/// `stored:<variant>` and `direct`.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_circulant_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                           const BenchOptions& options, bool of_transpose);

/// \brief Suffix of the name of a variant for this order of entries.
inline std::string entries_suffix(EntryOrder order) {
  return order == EntryOrder::sorted ? "" : std::string(":").append(to_string(order));
}

/// \brief Returns \p M with its entries interleaved for the lanes of the product with \p options.
///
/// \throws Error when no lanes load packs of entries of a row
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& M,
    const SpmvOptions& options = {});

/// \brief Adds our transpositions.
///
/// They write into preallocated arrays, except `automatic`, the function for users, which allocates
/// result and workspace in every call.
template <class ExecutionSpace, class Scalar>
void add_our_transpositions(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options);

}  // namespace Tomokkos::Bench
