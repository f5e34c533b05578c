// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {

/// \brief Order in memory of a vector of a block-circulant matrix, which has k parts of n values.
enum class VectorLayout {
  as_it_is,        ///< order of the matrix: value l of part j at l k + j
  blocks,          ///< part after part: value l of part j at j n + l
  doubled_blocks,  ///< part after part, followed by a second copy of all parts
  doubled_rows  ///< n rows of `circulant_pitch(k)` values; entry j of a row belongs to part j mod k
};

/// \brief One way to compute `y = A x` or `y = A^T x`, ready to run on any vectors in memory of the
/// backend.
///
/// With several vectors it computes `Y = A X` or `Y = A^T X`, row-major: the values of a row of X
/// or Y are adjacent. The product owns the data that it uses. `BenchCase::candidate` turns it into
/// a candidate.
template <class Scalar>
struct Product : NamedFigures {
  int vectors = 1;
  /// Launches the product; overwrites `y`, whatever it held.
  std::function<void(const Scalar* x, Scalar* y)> run;
  /// Launches the product and adds it to `y`; empty if the library does not support this.
  std::function<void(const Scalar* x, Scalar* y)> add;
  VectorLayout x_layout = VectorLayout::as_it_is;
  VectorLayout y_layout = VectorLayout::as_it_is;
  std::size_t matrix_bytes = 0;  ///< bytes of the stored matrix that one product reads
  /// Copy of the matrix that the product reads, if other products read it, too; otherwise nullptr.
  const void* copy = nullptr;
  /// Returns the largest error of y divided by its bound, if the multiplied matrix is a rounded
  /// one. Empty: use the reference of the case.
  std::function<double(const Scalar* x, const Scalar* y)> error;
};

/// \brief Products of one library.
template <class Scalar>
using ProductList = OfferList<Product<Scalar>>;

/// \brief Value in place of the number of vectors: one vector, by the functions of a library for a
/// single vector.
inline constexpr int single_vector = 0;

/// \brief Returns the name of the variant of a product: `csr_alg3`, and `csr_alg3:32` with 32
/// vectors at once.
inline std::string product_name(const std::string& variant, int vectors) {
  if (vectors == single_vector) return variant;
  return Impl::text("{}{}{}", variant, variant.empty() ? "" : ":", vectors);
}

/// \brief Returns the variant of the forward product that corresponds to the transposed one \p
/// variant.
///
/// Removes `stored:`, `op_t:` or another method at the beginning and `_op_t` within; `direct`
/// becomes `automatic`.
inline std::string forward_name(std::string variant) {
  constexpr std::string_view mark = "_op_t";
  if (variant == "direct") return "automatic";
  const std::size_t at = variant.find(mark), colon = variant.find(':');
  if (at != std::string::npos) return variant.erase(at, mark.size());
  return colon == std::string::npos ? variant : variant.substr(colon + 1);
}

}  // namespace Tomokkos::Bench
