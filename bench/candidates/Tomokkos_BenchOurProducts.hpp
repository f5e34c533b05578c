// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief True when \p method is asked for.
inline bool wants(const BenchOptions& options, TransposeMethod method) {
  const auto& wanted = options.transposes;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), method) != wanted.end();
}

/// \brief Our own products: each forward variant, or every `TransposeMethod` that is asked for,
/// `stored:<variant>` in each format.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                 const BenchOptions& options, bool of_transpose);

/// \brief Our products of \p format, which is not CSR, in every shape that makes sense on the
/// backend, appended to \p list: transposed from a stored copy, as far as asked for, or from the
/// one copy where it serves both products. What cannot be converted is refused with the reason. The
/// conversion is their set-up.
template <class ExecutionSpace, class Scalar>
void add_format_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const std::string& format, const BenchOptions& options, bool of_transpose);

/// \brief `ray_tiles`, and in float `ray_tiles_half` and `ray_tiles_scaled`, appended to \p list:
/// forward and transposed products of a case share the copy.
template <class ExecutionSpace, class Scalar>
void add_ray_tiles_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case, bool of_transpose);

/// \brief `scsr`, one ray of each orbit of the scan whose matrix the case has, in natural order: a
/// product with the eight images of a vector, in every format of the stored rays but ray tiles.
/// `csr`; `sell`, on a GPU also in chunks of 8; `packed_csr`, in float with halves as `scsr_half`;
/// `pair_blocked`. Transposed, as far as asked for, `stored:csr` and so on from a transposed copy
/// of the stored rays, `stored:csr:sell` from one in SELL, `atomic:csr`, and of pairs
/// `fixed_point:pair_blocked` and `atomic:pair_blocked`.
template <class ExecutionSpace, class Scalar>
void add_symmetric_products(ProductList<Scalar>& list,
                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options, bool of_transpose);

/// \brief `pair_blocked`, appended to \p list: columns of a group in lock step `spread` over its
/// lanes, or `ascending` in every row. Transposed, as far as asked for, from the same copy:
/// `atomic:spread`, `fixed_point:spread` and so on. What is in whole numbers is held to the error
/// that `PairBlockedPlan` states.
template <class ExecutionSpace, class Scalar>
void add_pair_blocked_products(ProductList<Scalar>& list,
                               BenchCase<ExecutionSpace, Scalar>& matrix_case,
                               const BenchOptions& options, bool of_transpose);

/// \brief `packed_csr`, and in float `packed_csr_half` and `packed_csr_scaled`, appended to \p
/// list, in the layout that suits the matrix; rays whose order is known in tiles
/// (`tiled_ray_order`), which x and y do not see. Transposed, as far as asked for, from
/// packed rows of A^T, `stored:<layout>`, or from those of A, `atomic:<layout>` and on hosts
/// `private:<layout>`: values as they are rounded once for both products.
template <class ExecutionSpace, class Scalar>
void add_packed_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                         const BenchOptions& options, bool of_transpose);

/// \brief `y = A^T x` from CSR itself, by atomic additions, private images or windows of columns.
/// On a GPU windows are held to the error that `WindowedPlan` states.
template <class ExecutionSpace, class Scalar>
Product<Scalar> transposed_csr_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                       TransposeMethod method, bool deterministic);

/// \brief Our own products with \p vectors vectors at once, of every format that has them: forward,
/// or from a stored transpose.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_multiproducts(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                      const BenchOptions& options, int vectors, bool of_transpose);

/// \brief Our own products of a block-circulant matrix: each variant that is asked for; transposed
/// `stored:<variant>`, and `direct`.
template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_circulant_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                           const BenchOptions& options, bool of_transpose);

/// \brief What follows the name of a variant for this order of entries.
inline std::string entries_suffix(EntryOrder order) {
  return order == EntryOrder::sorted ? "" : std::string(":").append(to_string(order));
}

/// \brief \p M with its entries dealt out to the lanes of its product by \p options.
///
/// Throws `Error` saying so where no lanes take packs of a row.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& M,
    const SpmvOptions& options = {});

/// \brief Our own transpositions, into arrays that are there; `automatic` is what users call:
/// result and workspace are allocated anew each time.
template <class ExecutionSpace, class Scalar>
void add_our_transpositions(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                            const BenchOptions& options);

}  // namespace Tomokkos::Bench
