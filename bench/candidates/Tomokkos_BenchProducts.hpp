// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {

/// \brief How a vector of a block-circulant matrix lies, k parts of n values.
enum class VectorLayout {
  as_it_is,      ///< in the order of the matrix: value l of part j at l k + j
  blocks,        ///< part after part, value l of part j at j n + l
  blocks_twice,  ///< the same, and the same again behind it
  rows_twice     ///< n rows of `circulant_pitch(k)` values, that of part j mod k at j
};

/// \brief One way to form `y = A x`, or `y = A^T x`, ready to run on any vectors in memory of the
/// backend; or `Y = A X` and `Y = A^T X` with several vectors at once, row-major: the values of a
/// row of X or Y are adjacent. Owns what it needs. Its case makes a candidate of it.
template <class Scalar>
struct Product : NamedFigures {
  int vectors = 1;
  /// Launches the product; `y` is overwritten, whatever it held.
  std::function<void(const Scalar* x, Scalar* y)> run;
  /// The same, added to y; where a library has it.
  std::function<void(const Scalar* x, Scalar* y)> add;
  VectorLayout x_layout = VectorLayout::as_it_is;
  VectorLayout y_layout = VectorLayout::as_it_is;
  std::size_t matrix_bytes = 0;  ///< of the stored matrix that one product reads
  /// The copy of the matrix that it reads, where other products read it, too.
  const void* copy = nullptr;
  /// Largest error of y over its bound, where the matrix that is multiplied is a rounded one;
  /// empty: the reference of the case serves.
  std::function<double(const Scalar* x, const Scalar* y)> error;
};

/// \brief The products of one library.
template <class Scalar>
using ProductList = OfferList<Product<Scalar>>;

/// \brief Instead of a number of vectors: one, by the functions of a library for one.
inline constexpr int single_vector = 0;

/// \brief The variant of a product: `csr_alg3`, and `csr_alg3:32` with 32 vectors at once.
inline std::string product_name(const std::string& variant, int vectors) {
  if (vectors == single_vector) return variant;
  return Impl::text("{}{}{}", variant, variant.empty() ? "" : ":", vectors);
}

/// \brief The variant of the forward product that belongs to the transposed one \p variant: without
/// `stored:`, `op_t:` or another method in front of it, or `_op_t` within; of `direct` `automatic`.
inline std::string forward_name(std::string variant) {
  constexpr std::string_view mark = "_op_t";
  if (variant == "direct") return "automatic";
  const std::size_t at = variant.find(mark), colon = variant.find(':');
  if (at != std::string::npos) return variant.erase(at, mark.size());
  return colon == std::string::npos ? variant : variant.substr(colon + 1);
}

}  // namespace Tomokkos::Bench
