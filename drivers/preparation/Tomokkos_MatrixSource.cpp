// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>

namespace Tomokkos {

namespace {

// Reports errors of an order with its position in the file.
template <class Work>
auto in_order(const RunConfig& config, const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(prefix_of(config.matrix_operator.ordering_position) + "operator." +
                      error.what());
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_stencil(const ExecutionSpace& exec,
                                                                      const StencilRows& stencil,
                                                                      RowRange rows) {
  const auto all = static_cast<Ordinal>(stencil.num_rows());
  const double count = rows.size(all);
  const double nonzeros = stencil.most_nonzeros() * count / all;
  Impl::require_memory(
      Impl::whole_bytes(count * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar))),
      "the matrix of the stencil needs", available_memory(exec), "choose a smaller grid");
  return stencil.build<ExecutionSpace, Scalar>(exec, rows);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_in_order(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, MatrixUse use,
    Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> offsets) {
  if (offsets.extent(0) == 0) {
    if (traits_of(input.rows).counts_first)
      offsets = counted_offsets<ExecutionSpace, Scalar>(exec, config, input, use);
    else
      require_memory_to_build<ExecutionSpace, Scalar>(exec, config, input, use);
  }
  return build_ordered_rows<ExecutionSpace, Scalar>(exec, input.rows, offsets, order);
}

namespace {

/// Leaves out the rows and columns that masks exclude.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> without_masked(
    const ExecutionSpace& exec, const RunInput& input,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& whole) {
  if (!input.masks.any()) return whole;
  const auto order = geometric_order(exec, {}, grids_of(input.rows), input.masks);
  return csr_mapped<ExecutionSpace, Scalar>(exec, whole,
                                            map_or_identity(exec, order.rows, whole.num_rows),
                                            map_or_identity(exec, order.columns, whole.num_cols));
}

/// Reads the matrix of a file and checks it before it is copied to the device.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> read_natural(const ExecutionSpace& exec,
                                                                      const RunConfig& config,
                                                                      const RunInput& input,
                                                                      MatrixUse use) {
  const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(config.problem.matrix);
  require_matrix_shape(config, input, A.num_rows, A.num_cols);
  require_read_memory(exec, config, A, use);
  return without_masked<ExecutionSpace, Scalar>(
      exec, input, copy_to<typename ExecutionSpace::memory_space>(exec, A));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(const ExecutionSpace& exec,
                                                                     const RunConfig& config,
                                                                     const RunInput& input,
                                                                     MatrixUse use) {
  const RowTraits traits = traits_of(input.rows);
  if (traits.in_any_order)
    return build_in_order<ExecutionSpace, Scalar>(
        exec, config, input, geometric_order(exec, {}, grids_of(input.rows), input.masks), use);
  if (traits.is_circulant)
    return without_masked<ExecutionSpace, Scalar>(
        exec, input, make_expanded_matrix<ExecutionSpace, Scalar>(exec, config, input, use));
  if (traits.is_read) return read_natural<ExecutionSpace, Scalar>(exec, config, input, use);
  return make_stencil<ExecutionSpace, Scalar>(exec, std::get<StencilRows>(input.rows));
}

template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> built_order(const ExecutionSpace& exec,
                                                               const RunConfig& config,
                                                               const RunInput& input) {
  return in_order(config, [&] {
    return geometric_order(exec, config.matrix_operator.ordering, grids_of(input.rows),
                           input.masks);
  });
}

template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> file_order(const ExecutionSpace& exec,
                                                              const RunConfig& config,
                                                              const RunInput& input,
                                                              Ordinal num_rows) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  MatrixGrids grids = grids_of(input.rows);
  if (ordering.rows == Ordering::subsets && grids.views == 0) {
    grids.views = num_rows;
    grids.detectors = 1;
  }
  return in_order(config, [&] { return geometric_order(exec, ordering, grids, input.masks); });
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const RunConfig& config,
                                                          const RunInput& input) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  if (is_natural(ordering) || !is_built_in_order(config)) {
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
    return in_order(config, [&] {
      return order_matrix<ExecutionSpace, Scalar>(exec, ordering, grids_of(input.rows), A,
                                                  input.masks);
    });
  }
  const auto order = built_order(exec, config, input);
  return {build_in_order<ExecutionSpace, Scalar>(exec, config, input, order, MatrixUse::products),
          order};
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                            \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_stencil<ExecutionSpace, Scalar>(const ExecutionSpace&, const StencilRows&, RowRange);    \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&, const RunInput&, \
                                      MatrixUse);                                               \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  build_in_order<ExecutionSpace, Scalar>(                                                       \
      const ExecutionSpace&, const RunConfig&, const RunInput&,                                 \
      const MatrixOrder<typename ExecutionSpace::memory_space>&, MatrixUse,                     \
      Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>);                      \
  template OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix<ExecutionSpace, Scalar>(   \
      const ExecutionSpace&, const RunConfig&, const RunInput&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                            \
  template MatrixOrder<SPACE::memory_space> built_order<SPACE>(const SPACE&, const RunConfig&, \
                                                               const RunInput&);               \
  template MatrixOrder<SPACE::memory_space> file_order<SPACE>(const SPACE&, const RunConfig&,  \
                                                              const RunInput&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
