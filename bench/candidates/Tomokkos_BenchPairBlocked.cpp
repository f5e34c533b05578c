// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of rows as candidates: `pair_blocked`, one copy for both products, with columns spread over
// the lanes of a group, and ascending.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>
#include <memory>

#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchRounded.hpp"

namespace Tomokkos::Bench {
namespace {

template <class Scalar, class MemorySpace>
struct PairedRows {
  PairBlockedMatrix<Scalar, MemorySpace> A;
  double seconds = 0;
};

/// How the entries of a row stand within a sub-matrix.
constexpr std::array<std::pair<bool, const char*>, 2> orders{
    {{true, "spread"}, {false, "ascending"}}};

/// The pairs of A, which all products of this case share that are there at the same time.
template <class ExecutionSpace, class Scalar>
auto paired(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool spread, const std::string& name) {
  using Made = PairedRows<Scalar, typename ExecutionSpace::memory_space>;
  return while_used<Made>(matrix_case.shared("pair_blocked " + name), [&] {
    const ExecutionSpace exec = matrix_case.exec();
    const auto pairs = std::make_shared<Made>();
    PairBlockedOptions options;
    options.spread_columns = spread;
    pairs->seconds = seconds_of([&] {
      pairs->A = pair_blocked_from_csr(exec, matrix_case.matrix(), options);
      exec.fence();
    });
    return pairs;
  });
}

template <class ExecutionSpace, class Scalar>
Product<Scalar> paired_product(BenchCase<ExecutionSpace, Scalar>& matrix_case, bool spread,
                               const std::string& name) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ExecutionSpace exec = matrix_case.exec();
  const auto made = paired(matrix_case, spread, name);
  Product<Scalar> product;
  product.setup_seconds = made->seconds;
  product.matrix_bytes = made->A.memory_bytes();
  product.memory_bytes = product.matrix_bytes;
  product.fill = fill_of(made->A);
  product.copy = made.get();
  product.run = [exec, made](const Scalar* x, Scalar* y) {
    const SpmvPlan<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> plan(exec, made->A);
    spmv(exec, plan, made->A, Scalar(1), VectorView<const Scalar, MemorySpace>(x, made->A.num_cols),
         Scalar(0), VectorView<Scalar, MemorySpace>(y, made->A.num_rows));
  };
  return product;
}

/// A^T x from the same copy.
template <class ExecutionSpace, class Scalar>
Product<Scalar> paired_transposed_product(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                          PairTranspose method, bool spread,
                                          const std::string& name, bool deterministic) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Plan = PairBlockedPlan<ExecutionSpace, Scalar>;
  const bool is_atomic = method == PairTranspose::atomic;
  require(!(is_atomic && deterministic),
          "atomic adds in any order, which run.deterministic excludes");
  const ExecutionSpace exec = matrix_case.exec();
  Product<Scalar> product = paired_product(matrix_case, spread, name);
  const auto made = paired(matrix_case, spread, name);
  std::shared_ptr<const Plan> plan;
  product.setup_seconds += seconds_of([&] {
    plan = std::make_shared<const Plan>(exec, made->A, method);
    exec.fence();
  });
  // Sums are read and set to zero again.
  product.matrix_bytes += 2 * plan->memory_bytes();
  product.memory_bytes += plan->memory_bytes();
  product.run = [exec, made, plan](const Scalar* x, Scalar* y) {
    spmv_transpose<ExecutionSpace, Scalar>(
        exec, *plan, made->A, Scalar(1), VectorView<const Scalar, MemorySpace>(x, made->A.num_rows),
        Scalar(0), VectorView<Scalar, MemorySpace>(y, made->A.num_cols));
  };
  // In float the bound of the case is wide enough for sums of 64 bits.
  if (!is_atomic && std::is_same_v<Scalar, double>)
    product.error = [exec, plan, csr = matrix_case.matrix()](const Scalar* x, const Scalar* y) {
      return error_of_rounded<TileValues::plain, ExecutionSpace, Scalar>(exec, csr, 0, 0, true, x,
                                                                         y, plan->column_bound());
    };
  return product;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void add_pair_blocked_products(ProductList<Scalar>& list,
                               BenchCase<ExecutionSpace, Scalar>& matrix_case,
                               const BenchOptions& options, bool of_transpose) {
  const std::string format(to_string(MatrixFormat::pair_blocked));
  for (const auto& [spread, order] : orders) {
    const std::string name = order;
    if (!of_transpose)
      list.attempt(format, name, [&, is_spread = spread] {
        return paired_product(matrix_case, is_spread, name);
      });
    for (const auto& [method, pairs] :
         {std::pair{TransposeMethod::atomic, PairTranspose::atomic},
          std::pair{TransposeMethod::fixed_point, PairTranspose::fixed_point}})
      if (of_transpose && wants(options, method))
        list.attempt(format, std::string(to_string(method)).append(":").append(name),
                     [&, is_spread = spread, way = pairs] {
                       return paired_transposed_product(matrix_case, way, is_spread, name,
                                                        options.deterministic);
                     });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)               \
  template void add_pair_blocked_products<SPACE, SCALAR>( \
      ProductList<SCALAR>&, BenchCase<SPACE, SCALAR>&, const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
