// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCirculantPeers.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>

namespace Tomokkos::Bench {
namespace {

/// Returns the variant without the mark of the transposed operation: `op_t:X` becomes `:X`, `op_t`
/// becomes empty. Other variants only get the colon in front.
std::string without_op_t(const std::string& variant) {
  const std::string mark = "op_t";
  if (variant.rfind(mark, 0) != 0) return ':' + variant;
  return variant.substr(mark.size());
}

/// Makes one product of k products with one vector each.
template <class Scalar>
Product<Scalar> repeated(const Product<Scalar>& one, const CirculantVector& x,
                         const CirculantVector& y) {
  Product<Scalar> product = one;
  product.x_layout = VectorLayout::doubled_blocks;
  product.y_layout = VectorLayout::blocks;
  product.run = [run = one.run, x_step = x.length, y_step = y.length, k = x.blocks](const Scalar* X,
                                                                                    Scalar* Y) {
    for (std::ptrdiff_t p = 0; p < k; ++p) run(X + p * x_step, Y + p * y_step);
  };
  return product;
}

/// Makes one product of k transposed products with one vector each, added to a vector twice as long
/// as the result.
template <class ExecutionSpace, class Scalar>
Product<Scalar> repeated_transposed(
    const ExecutionSpace& exec, const Product<Scalar>& one, const CirculantVector& x,
    const CirculantVector& y, const Vector<Scalar, typename ExecutionSpace::memory_space>& twice) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(static_cast<bool>(one.add), "this product can only overwrite its result, not add to it");
  Product<Scalar> product = one;
  product.x_layout = product.y_layout = VectorLayout::blocks;
  product.memory_bytes += twice.extent(0) * sizeof(Scalar);
  product.run = [=, add = one.add, k = x.blocks](const Scalar* X, Scalar* Y) {
    Kokkos::deep_copy(exec, twice, Scalar(0));
    for (std::ptrdiff_t p = 0; p < k; ++p) add(X + p * x.length, twice.data() + p * y.length);
    fold_twice<ExecutionSpace, Scalar>(exec, twice, VectorView<Scalar, MemorySpace>(Y, y.size()));
  };
  return product;
}

/// Number of columns of the anti-circulant matrix per product, such that k is a multiple of it or
/// slightly less.
int columns_at_once(Ordinal blocks) {
  constexpr Ordinal most = 32;
  const Ordinal times = (blocks + most - 1) / most;
  return (blocks + times - 1) / times;
}

/// Makes a product from one with several vectors, whose columns are first written to memory.
template <class ExecutionSpace, class Scalar>
Product<Scalar> copied(const ExecutionSpace& exec, const Product<Scalar>& several,
                       const CirculantVector& x, const CirculantVector& y,
                       const Vector<Scalar, typename ExecutionSpace::memory_space>& columns,
                       const Vector<Scalar, typename ExecutionSpace::memory_space>& results) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Product<Scalar> product = several;
  product.vectors = 1;
  product.x_layout = VectorLayout::doubled_blocks;
  product.memory_bytes += (columns.extent(0) + results.extent(0)) * sizeof(Scalar);
  product.run = [=, run = several.run, s = several.vectors](const Scalar* X, Scalar* Y) {
    const VectorView<const Scalar, MemorySpace> from(X, 2 * x.size());
    const VectorView<Scalar, MemorySpace> to(Y, y.size());
    const MultiVectorView<Scalar, MemorySpace> in(columns.data(), x.size(), s);
    const MultiVectorView<Scalar, MemorySpace> out(results.data(), y.length, s);
    for (Ordinal first = 0; first < x.blocks; first += s) {
      dense_columns<ExecutionSpace, Scalar>(exec, x, first, from, in);
      run(in.data(), out.data());
      put_columns<ExecutionSpace, Scalar>(exec, y, first, out, to);
    }
  };
  return product;
}

template <class ExecutionSpace, class Scalar>
class PeerProducts {
 public:
  PeerProducts(const PeerLibrary<ExecutionSpace, Scalar>& peer,
               BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options,
               bool of_transpose)
      : peer_(peer),
        matrix_case_(matrix_case),
        options_(options),
        of_transpose_(of_transpose),
        list_(peer.name()) {
    options_.formats = {"csr"};
    options_.peer_copies = false;
  }

  ProductList<Scalar> all() {
    attempt_all("k_spmv", [&] { add_repeated(); });
    if (of_transpose_) attempt_all("k_spmv_op_t", [&] { add_repeated_transposed(); });
    attempt_all("spmm_eq5", [&] { add_strided("spmm_eq5", false); });
    attempt_all("spmm_eq6", [&] { add_strided("spmm_eq6", true); });
    attempt_all("spmm_copy", [&] { add_copied(); });
    return std::move(list_);
  }

 private:
  const char* prefix() const { return of_transpose_ ? "stored:" : ""; }

  /// Refuses a whole group of products under the name \p name if none of them can be made.
  template <class Add>
  void attempt_all(const std::string& name, const Add& add) {
    try {
      add();
    } catch (const std::exception& problem) {
      list_.refuse("csr", name, problem.what());
    }
  }

  ProductList<Scalar> csr_products(bool stored, int vectors, bool operation_t) {
    return peer_.products(matrix_case_.block_row(stored), options_, vectors, operation_t);
  }

  template <class Make>
  void take(const ProductList<Scalar>& from, const std::string& name, const Make& make) {
    list_.append_refused(from,
                         [&](const std::string& variant) { return name + without_op_t(variant); });
    for (const Product<Scalar>& one : from.entries())
      list_.attempt(name + without_op_t(one.variant), [&] {
        Product<Scalar> product = make(one);
        product.variant.clear();  // the list sets the variant
        return product;
      });
  }

  void add_repeated() {
    take(csr_products(of_transpose_, single_vector, false), prefix() + std::string("k_spmv"),
         [&](const Product<Scalar>& one) {
           return with_setup(repeated(one, matrix_case_.x_shape(of_transpose_),
                                      matrix_case_.y_shape(of_transpose_)));
         });
  }

  void add_repeated_transposed() {
    const auto twice = allocate<Vector<Scalar, typename ExecutionSpace::memory_space>>(
        matrix_case_.exec(), "Tomokkos::Bench::twice", 2 * matrix_case_.y_shape(true).size());
    take(csr_products(false, single_vector, true), "k_spmv_op_t", [&](const Product<Scalar>& one) {
      return repeated_transposed(matrix_case_.exec(), one, matrix_case_.x_shape(true),
                                 matrix_case_.y_shape(true), twice);
    });
  }

  void add_copied() {
    const CirculantVector x = matrix_case_.x_shape(of_transpose_);
    const CirculantVector y = matrix_case_.y_shape(of_transpose_);
    const int s = columns_at_once(x.blocks);
    const std::size_t bytes = x.size() * static_cast<std::size_t>(s) * sizeof(Scalar);
    if (bytes > options_.available_bytes / 4)
      throw MemoryError(
          Impl::text("left out: {} columns need {}, more than a quarter of the memory", s,
                     describe_bytes(bytes)));
    auto& csr = matrix_case_.block_row(of_transpose_);
    const auto columns = csr.x(false, s), results = csr.y(false, s);
    take(csr_products(of_transpose_, s, false), prefix() + std::string("spmm_copy"),
         [&](const Product<Scalar>& several) {
           return with_setup(copied(matrix_case_.exec(), several, x, y, columns, results));
         });
  }

  void add_strided(const char* name, bool row_major) {
    const CirculantVector x = matrix_case_.x_shape(of_transpose_);
    const CirculantVector y = matrix_case_.y_shape(of_transpose_);
    StridedProblem<ExecutionSpace, Scalar> problem;
    problem.exec = matrix_case_.exec();
    problem.A = row_major ? matrix_case_.doubled_rows(of_transpose_)
                          : matrix_case_.block_row(of_transpose_).matrix();
    problem.offsets = matrix_case_.offsets32(of_transpose_);
    problem.vectors = x.blocks;
    problem.row_major = row_major;
    problem.x_stride = row_major ? 1 : x.length;
    problem.y_stride = row_major ? y.blocks : y.length;
    const Product<Scalar> layouts = problem.product();
    problem.x = matrix_case_.x(of_transpose_, 1, layouts.x_layout);
    problem.y = matrix_case_.y(of_transpose_, 1, layouts.y_layout);
    ProductList<Scalar> found(list_.library());
    peer_.add_strided_products(found, prefix() + std::string(name), problem);
    list_.append_refused(found);
    for (const Product<Scalar>& product : found.entries())
      list_.attempt(product.variant, [&] { return with_setup(product); });
  }

  /// Adds the time of the transposition, which is made first, to the set-up.
  Product<Scalar> with_setup(Product<Scalar> product) {
    if (of_transpose_) product.setup_seconds += matrix_case_.transposed_seconds();
    return product;
  }

  const PeerLibrary<ExecutionSpace, Scalar>& peer_;
  BenchCase<ExecutionSpace, Scalar>& matrix_case_;
  BenchOptions options_;
  bool of_transpose_;
  ProductList<Scalar> list_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> circulant_peer_products(const PeerLibrary<ExecutionSpace, Scalar>& peer,
                                            BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                            const BenchOptions& options, bool of_transpose) {
  return PeerProducts<ExecutionSpace, Scalar>(peer, matrix_case, options, of_transpose).all();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)             \
  template ProductList<SCALAR> circulant_peer_products( \
      const PeerLibrary<SPACE, SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
