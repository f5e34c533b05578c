// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our products of a block-circulant matrix.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <algorithm>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchCirculantReference.hpp"
#include "Tomokkos_BenchOurProducts.hpp"
#include "Tomokkos_CirculantPeer.hpp"

namespace Tomokkos::Bench {
namespace {

const std::string circulant_format = "block_circulant";

std::vector<CirculantVariant> wanted_variants(const BenchOptions& options) {
  if (!options.circulant_variants.empty()) return options.circulant_variants;
  std::vector<CirculantVariant> all;
  for (const auto& [variant, name] : EnumNames<CirculantVariant>::names) all.push_back(variant);
  return all;
}

/// Makes a product by \p variant from C, or from C^T if \p transposed is set.
template <class ExecutionSpace, class Scalar>
Product<Scalar> planned_circulant_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                          const BenchOptions& options, CirculantVariant variant,
                                          bool transposed) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Plan = BlockCirculantPlan<ExecutionSpace, Scalar>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.circulant(transposed);
  CirculantRoute<Scalar> route;
  if (variant == CirculantVariant::library) {
    require(
        !options.deterministic,
        "run.deterministic excludes library: the order in which another library adds is not known");
    route = circulant_library_route<ExecutionSpace, Scalar>(exec, A);
  }
  Product<Scalar> product;
  Plan plan;
  product.setup_seconds = seconds_of([&] {
    plan = Plan(exec, A, variant, 1, route.product);
    exec.fence();
  });
  if (transposed) product.setup_seconds += matrix_case.transposed_seconds();
  product.matrix_bytes = A.memory_bytes();
  product.memory_bytes = product.matrix_bytes + plan.memory_bytes() + route.memory_bytes;
  if (variant == CirculantVariant::automatic)
    product.choice = circulant_format + ' ' + std::string(to_string(plan.variant()));
  product.run = [exec, A, plan](const Scalar* x, Scalar* y) {
    spmv<ExecutionSpace, Scalar>(
        exec, plan, A, Scalar(1), MultiVectorView<const Scalar, MemorySpace>(x, A.num_cols(), 1),
        Scalar(0), MultiVectorView<Scalar, MemorySpace>(y, A.num_rows(), 1));
  };
  return product;
}

/// Makes C^T x from C itself.
template <class ExecutionSpace, class Scalar>
Product<Scalar> direct_product(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Plan = CirculantTransposePlan<ExecutionSpace, Scalar>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.circulant();
  Product<Scalar> product;
  Plan plan;
  product.setup_seconds = seconds_of([&] {
    plan = Plan(exec, A);
    exec.fence();
  });
  product.matrix_bytes = A.memory_bytes();
  product.memory_bytes = product.matrix_bytes + plan.memory_bytes();
  product.run = [exec, A, plan](const Scalar* y, Scalar* x) {
    spmv_transpose<ExecutionSpace, Scalar>(
        exec, plan, A, Scalar(1), MultiVectorView<const Scalar, MemorySpace>(y, A.num_rows(), 1),
        Scalar(0), MultiVectorView<Scalar, MemorySpace>(x, A.num_cols(), 1));
  };
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    const auto reference = with_circulant_whole_numbers<ExecutionSpace, Scalar>(
        exec, A, plan.column_bound(), matrix_case.reference(true));
    product.error = [exec, A, reference](const Scalar*, const Scalar* x) {
      return largest_error<ExecutionSpace, Scalar>(
          exec, reference, Kokkos::View<const Scalar*, MemorySpace>(x, A.num_cols()));
    };
  }
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_circulant_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                           const BenchOptions& options, bool of_transpose) {
  ProductList<Scalar> list("tomokkos");
  if (!of_transpose || wants(options, TransposeMethod::stored))
    for (const CirculantVariant variant : wanted_variants(options))
      list.attempt(
          circulant_format, (of_transpose ? "stored:" : "") + std::string(to_string(variant)),
          [&] { return planned_circulant_product(matrix_case, options, variant, of_transpose); });
  if (of_transpose && wants(options, TransposeMethod::direct))
    list.attempt(circulant_format, std::string(to_string(TransposeMethod::direct)),
                 [&] { return direct_product(matrix_case); });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                      \
  template ProductList<SCALAR> our_circulant_products(BenchCase<SPACE, SCALAR>&, \
                                                      const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
