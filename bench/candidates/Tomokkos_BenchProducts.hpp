// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <utility>
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
/// row of X or Y are adjacent. Owns what it needs.
template <class Scalar>
struct Product {
  std::string variant;
  std::string format = "csr";
  int vectors = 1;
  /// Launches the product; `y` is overwritten, whatever it held.
  std::function<void(const Scalar* x, Scalar* y)> run;
  /// The same, added to y; where a library has it.
  std::function<void(const Scalar* x, Scalar* y)> add = {};
  VectorLayout x_layout = VectorLayout::as_it_is;
  VectorLayout y_layout = VectorLayout::as_it_is;
  std::size_t matrix_bytes = 0;  ///< of the stored matrix that one product reads
  std::size_t memory_bytes = 0;  ///< matrix and workspace
  double setup_seconds = 0;
  double fill = 1;     ///< entries in memory over nonzeros
  std::string choice;  ///< as in `BenchResult`
  /// The copy of the matrix that it reads, where other products read it, too.
  const void* copy = nullptr;
  /// Largest error of y over its bound, where the matrix that is multiplied is a rounded one;
  /// empty: the reference of the case serves.
  std::function<double(const Scalar* x, const Scalar* y)> error;
};

/// \brief Instead of a number of vectors: one, by the functions of a library for one.
inline constexpr int single_vector = 0;

/// \brief The variant of a product: `csr_alg3`, and `csr_alg3:32` with 32 vectors at once.
inline std::string product_name(const std::string& variant, int vectors) {
  if (vectors == single_vector) return variant;
  return Impl::text("{}{}{}", variant, variant.empty() ? "" : ":", vectors);
}

/// \brief The products of one library, and what it refused.
template <class Scalar>
class ProductList {
 public:
  explicit ProductList(std::string library) : library_(std::move(library)) {}

  const std::string& library() const { return library_; }

  /// \brief Adds what \p make returns under \p format and, unless it has a variant already, \p
  /// variant; what it throws becomes the reason for its absence.
  template <class Make>
  void attempt(const std::string& format, const std::string& variant, const Make& make) {
    try {
      Product<Scalar> product = make();
      product.format = format;
      if (product.variant.empty()) product.variant = variant;
      products_.push_back(std::move(product));
    } catch (const std::exception& problem) {
      refuse(format, variant, problem.what());
    }
  }
  template <class Make>
  void attempt(const std::string& variant, const Make& make) {
    attempt("csr", variant, make);
  }
  void refuse(const std::string& format, const std::string& variant, const std::string& reason) {
    refused_.push_back({library_, format, variant, reason});
  }

  const std::vector<Product<Scalar>>& products() const { return products_; }
  const std::vector<RefusedCandidate>& refused() const { return refused_; }

  /// \brief The product called \p variant of \p format, else the first one of that format, else
  /// nullptr.
  const Product<Scalar>* find_or_first(const std::string& format,
                                       const std::string& variant) const {
    const Product<Scalar>* found = nullptr;
    for (const auto& product : products_) {
      if (product.format != format) continue;
      if (product.variant == variant) return &product;
      if (found == nullptr) found = &product;
    }
    return found;
  }

 private:
  std::string library_;
  std::vector<Product<Scalar>> products_;
  std::vector<RefusedCandidate> refused_;
};

}  // namespace Tomokkos::Bench
