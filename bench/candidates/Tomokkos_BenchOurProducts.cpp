// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchOurProducts.hpp"

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_SpmvPrivate.hpp>

#include "Tomokkos_BenchSections.hpp"

namespace Tomokkos::Bench {
namespace {

template <class ExecutionSpace, class Scalar>
using Matrix = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;

/// Makes `y = A x` by the variant of \p options.
template <class ExecutionSpace, class Scalar>
Product<Scalar> planned_product(const ExecutionSpace& exec, const Matrix<ExecutionSpace, Scalar>& A,
                                SpmvOptions options, EntryOrder order) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const SpmvVariant variant = options.variant;
  if (order == EntryOrder::interleaved) options.entries_per_load = pack_entries;
  std::shared_ptr<SpmvPlan<ExecutionSpace, Matrix<ExecutionSpace, Scalar>>> plan;
  Product<Scalar> product;
  Matrix<ExecutionSpace, Scalar> M = A;
  product.setup_seconds = seconds_of([&] {
    if (order == EntryOrder::interleaved) M = interleaved<ExecutionSpace, Scalar>(exec, A, options);
    plan = std::make_shared<SpmvPlan<ExecutionSpace, Matrix<ExecutionSpace, Scalar>>>(exec, M,
                                                                                      options);
    exec.fence();
  });
  product.matrix_bytes = csr_bytes(M, sizeof(Offset));
  product.memory_bytes = product.matrix_bytes + plan->memory_bytes();
  if (variant == SpmvVariant::automatic)
    product.choice =
        "csr " + std::string(to_string(plan->options().variant)) + entries_suffix(order);
  if (const auto& copy = plan->aligned_rows(); copy.begins.extent(0) > 0) {
    // The starts of the rows are read in addition to their ends. The padding behind the rows is not
    // read.
    product.matrix_bytes += copy.begins.extent(0) * sizeof(Offset);
    if (M.num_nonzeros() > 0)
      product.fill = static_cast<double>(copy.columns.extent(0)) / M.num_nonzeros();
  }
  product.run = [exec, M, plan](const Scalar* x, Scalar* y) {
    spmv(exec, *plan, M, Scalar(1), VectorView<const Scalar, MemorySpace>(x, M.num_cols), Scalar(0),
         VectorView<Scalar, MemorySpace>(y, M.num_rows));
  };
  return product;
}

/// Makes `y = A^T x` by sections of `merge_atomic`.
template <class ExecutionSpace, class Scalar>
Product<Scalar> sections_product(const ExecutionSpace& exec,
                                 const Matrix<ExecutionSpace, Scalar>& A,
                                 const SpmvOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const SpmvPlan<ExecutionSpace, Matrix<ExecutionSpace, Scalar>> plan(exec, A, options);
  Product<Scalar> product;
  product.matrix_bytes = csr_bytes(A, sizeof(Offset));
  product.memory_bytes = product.matrix_bytes + plan.memory_bytes();
  product.run = [exec, A, plan](const Scalar* x, Scalar* y) {
    spmv_transpose_sections<ExecutionSpace, Scalar>(
        exec, plan, A, Scalar(1), VectorView<const Scalar, MemorySpace>(x, A.num_rows), Scalar(0),
        VectorView<Scalar, MemorySpace>(y, A.num_cols));
  };
  return product;
}

/// Adds each forward variant of CSR, for A or for its stored transpose (`stored:<variant>`).
template <class ExecutionSpace, class Scalar>
void add_csr_products(ProductList<Scalar>& list, BenchCase<ExecutionSpace, Scalar>& matrix_case,
                      const BenchOptions& options, bool of_transpose) {
  const ExecutionSpace exec = matrix_case.exec();
  const auto& A = matrix_case.matrix();
  const Offset path_length = A.num_nonzeros() + (of_transpose ? A.num_cols : A.num_rows);
  for (const SpmvVariant variant : options.variants)
    for (const NamedOptions& named : in_sections(options, variant, path_length))
      for (const EntryOrder order : options.entries)
        list.attempt((of_transpose ? "stored:" : "") + named.name + entries_suffix(order), [&] {
          const auto& M = of_transpose ? matrix_case.matrix(true) : matrix_case.matrix();
          Product<Scalar> product = planned_product(exec, M, named.options, order);
          if (of_transpose) product.setup_seconds += matrix_case.transposed_seconds();
          return product;
        });
}

/// Adds the products `y = A^T x` from CSR by \p method.
template <class ExecutionSpace, class Scalar>
void add_transposed_products(ProductList<Scalar>& list,
                             BenchCase<ExecutionSpace, Scalar>& matrix_case,
                             const BenchOptions& options, TransposeMethod method) {
  const auto attempt = [&] {
    list.attempt(std::string(to_string(method)), [&] {
      return transposed_csr_product(matrix_case, method, options.deterministic);
    });
  };
  switch (method) {
    case TransposeMethod::stored:
      add_csr_products(list, matrix_case, options, true);
      return;
    case TransposeMethod::atomic:
      attempt();
      for (const SpmvVariant variant : options.variants)
        if (variant == SpmvVariant::merge_atomic)
          for (const NamedOptions& named :
               in_sections(options, variant,
                           matrix_case.matrix().num_rows + matrix_case.matrix().num_nonzeros()))
            list.attempt(std::string(to_string(method)) + ":" + named.name, [&] {
              return sections_product<ExecutionSpace, Scalar>(matrix_case.exec(),
                                                              matrix_case.matrix(), named.options);
            });
      return;
    case TransposeMethod::private_images:
      if constexpr (Impl::is_host_space<ExecutionSpace>) attempt();
      return;
    case TransposeMethod::windowed:
      attempt();
      return;
    case TransposeMethod::fixed_point:
      return;  // applies only to pairs of rows
    case TransposeMethod::direct:
      return;  // applies only to block-circulant matrices
    case TransposeMethod::automatic:
      return;  // stands for one of the others
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& M,
    const SpmvOptions& options) {
  SpmvOptions packed = options;
  packed.entries_per_load = pack_entries;  // the order is made for packs
  const SpmvOptions launch =
      choose_spmv_launch(device_traits(exec), row_statistics(exec, M), packed, sizeof(Scalar));
  require(uses_packs(launch),
          "no lanes load packs of entries of a row, so there is nothing to interleave");
  return csr_interleaved(exec, M, launch.vector_length);
}

template <class ExecutionSpace, class Scalar>
ProductList<Scalar> our_products(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                 const BenchOptions& options, bool of_transpose) {
  ProductList<Scalar> list("tomokkos");
  for (const std::string& format : options.formats) {
    if (format == "csr") {
      if (!of_transpose) add_csr_products(list, matrix_case, options, false);
      for (const auto& [method, name] : EnumNames<TransposeMethod>::names)
        if (of_transpose && wants(options, method))
          add_transposed_products(list, matrix_case, options, method);
    } else if (format == "ray_tiles") {
      add_ray_tiles_products(list, matrix_case, of_transpose);
    } else if (format == "scsr") {
      add_symmetric_products(list, matrix_case, options, of_transpose);
    } else if (format == "computed") {
      add_computed_products(list, matrix_case, of_transpose);
    } else if (format == "pair_blocked") {
      add_pair_blocked_products(list, matrix_case, options, of_transpose);
    } else if (format == "packed_csr") {
      add_packed_products(list, matrix_case, options, of_transpose);
    } else {
      add_format_products(list, matrix_case, format, options, of_transpose);
    }
  }
  return list;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                             \
  template CsrMatrix<SCALAR, SPACE::memory_space> interleaved<SPACE, SCALAR>(           \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const SpmvOptions&); \
  template ProductList<SCALAR> our_products<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&,   \
                                                           const BenchOptions&, bool);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
