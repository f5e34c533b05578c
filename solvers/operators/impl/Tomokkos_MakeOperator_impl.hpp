// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `make_operator` for one format. The build generates a source for each line of
// `TOMOKKOS_FOR_EACH_FORMAT` that instantiates it with the operators of the format.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <impl/Tomokkos_AnyOperator_impl.hpp>
#include <impl/Tomokkos_MatrixOperator_impl.hpp>

namespace Tomokkos::Impl {

/// Method of transposition for A in a format other than CSR.
template <class Traits, class ExecutionSpace, class Csr>
std::optional<TransposeMethod> chosen_format_transpose(const ExecutionSpace& exec, const Csr& A,
                                                       const typename Traits::Options& format,
                                                       const MakeOptions& options,
                                                       std::uint64_t available) {
  if constexpr (Traits::one_copy) {
    return {};
  } else {
    if (!options.with_transpose) return {};
    constexpr TransposeMethod usual = Traits::transposes.front();
    const TransposeMethod wanted = options.transpose.value_or(usual);
    if (wanted != TransposeMethod::automatic) return wanted;
    if (usual != TransposeMethod::stored) return usual;
    TransposeNeeds needs = Traits::transpose_needs(exec, A, format, options.spmv.deterministic);
    needs.available_bytes = available;
    return choose_transpose(device_traits(exec), needs, options.spmv.deterministic);
  }
}

/// Describes an operator in CSR.
template <class ExecutionSpace, class Scalar>
Description describe_csr(const CsrOperator<ExecutionSpace, Scalar>& A, bool with_transpose) {
  const OperatorOptions& options = A.options();
  Description result = Description::map()
                           .set("format", MatrixFormat::csr)
                           .set("variant", options.spmv.variant)
                           .set("transpose", "none");
  const auto set_sections = [&](const char* key, const SpmvOptions& product) {
    if (has_sections(product.variant)) result.set(key, product.items_per_tile);
  };
  set_sections("sections", options.spmv);
  if (!with_transpose) return result;
  result.set("transpose", options.transpose);
  if (options.transpose == TransposeMethod::stored) {
    result.set("transpose_variant", options.transpose_spmv.variant);
    set_sections("transpose_sections", options.transpose_spmv);
  }
  if (options.transpose == TransposeMethod::windowed)
    result.set("tile", A.windows().tile())
        .set("segments", A.windows().num_segments())
        .set("mean_segment", A.windows().mean_segment());
  return result;
}

/// Converts A, and its transpose if needed, to \p Matrix.
template <class Matrix, class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator_in(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const typename FormatTraits<Matrix>::Options& format, const MakeOptions& options) {
  using Traits = FormatTraits<Matrix>;
  if constexpr (is_csr<Matrix>) {
    OperatorOptions product = options;
    // Atomic additions are the method that keeps no copy.
    if (!options.with_transpose) product.transpose = TransposeMethod::atomic;
    MatrixOperator<ExecutionSpace, Matrix> made(exec, A, product);
    BuiltOperator<ExecutionSpace, Scalar> result{AnyOperator<ExecutionSpace, Scalar>(made)};
    if (options.with_transpose) result.transpose = made.options().transpose;
    result.is_interleaved = made.is_interleaved();
    result.description = describe_csr(made, options.with_transpose);
    return result;
  } else {
    const std::uint64_t available = options.available_bytes ? *options.available_bytes
                                    : is_host_space<ExecutionSpace>
                                        ? available_host_memory()
                                        : std::numeric_limits<std::uint64_t>::max() - 1;
    OperatorOptions product = options;
    product.spmv = Traits::product_options(options.spmv, format);
    product.transpose_spmv = product.spmv;
    product.transpose = chosen_format_transpose<Traits>(exec, A, format, options, available);
    // Check before anything is converted.
    if (product.transpose) require_transpose_method<Traits>(*product.transpose);
    const MemoryCheckOptions room{product.transpose, options.spmv.deterministic, available,
                                  options.vectors};
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>* no_copy = nullptr;
    Traits::require_room(exec, A, format, room, no_copy);
    std::optional<Matrix> transposed;
    double transposed_fill = 0;
    if (product.transpose == TransposeMethod::stored) {
      const auto csr =
          transpose<ExecutionSpace, Scalar>(exec, A, {.variant = options.transposition});
      Traits::require_room(exec, A, format, room, &csr);
      transposed = Traits::from_csr(exec, csr, format);
      transposed_fill = fill_of(*transposed);
    }
    MatrixOperator<ExecutionSpace, Matrix> made(exec, Traits::from_csr(exec, A, format), product,
                                                std::move(transposed));
    BuiltOperator<ExecutionSpace, Scalar> result{AnyOperator<ExecutionSpace, Scalar>(made)};
    result.fill = fill_of(made.matrix());
    result.transposed_fill = transposed_fill;
    result.transpose = product.transpose;
    result.one_copy = Traits::one_copy;
    result.description = describe_in_format(result, Traits::format, Traits::figures(made.matrix()));
    return result;
  }
}

template <class Format, class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const typename Format::Options& format, const MakeOptions& options) {
  std::optional<BuiltOperator<ExecutionSpace, Scalar>> made;
  Format::template Matrices<Scalar, typename ExecutionSpace::memory_space>::for_each(
      [&]<class Matrix>() {
        if (!made && FormatTraits<Matrix>::matches_options(format))
          made = make_operator_in<Matrix, ExecutionSpace, Scalar>(exec, A, format, options);
      });
  if (!made) throw Refused(Format::refusal_reason(format));
  return std::move(*made);
}

/// Placeholder for a matrix type that a format does not have.
template <class Format, class Scalar, std::size_t place>
struct NoMatrix {
  using scalar_type = Scalar;
};

template <std::size_t place, class Format, class Scalar, class Types>
struct MatrixAt;
template <std::size_t place, class Format, class Scalar, class... Matrices>
struct MatrixAt<place, Format, Scalar, TypeList<Matrices...>> {
  static_assert(sizeof...(Matrices) <= 4,
                "the sources of operators have four matrix types at most");
  template <std::size_t at, class... Types>
  struct Find {
    using type = NoMatrix<Format, Scalar, place>;
  };
  template <class First, class... Others>
  struct Find<0, First, Others...> {
    using type = First;
  };
  template <std::size_t at, class First, class... Others>
  requires(at > 0) struct Find<at, First, Others...> : Find<at - 1, Others...> {
  };
  using type = typename Find<place, Matrices...>::type;
};

template <std::size_t place, class Format, class ExecutionSpace, class Scalar>
using FormatMatrix = typename MatrixAt<
    place, Format, Scalar,
    typename Format::template Matrices<Scalar, typename ExecutionSpace::memory_space>>::type;

}  // namespace Tomokkos::Impl

namespace Tomokkos {

template <class ExecutionSpace, class Format, class Scalar, std::size_t place>
class MatrixOperator<ExecutionSpace, Impl::NoMatrix<Format, Scalar, place>, Scalar> {};

}  // namespace Tomokkos

#define TOMOKKOS_INSTANTIATE_OPERATOR(FORMAT, SPACE, SCALAR)                               \
  template class MatrixOperator<SPACE, Impl::FormatMatrix<0, FORMAT, SPACE, SCALAR>>;      \
  template class MatrixOperator<SPACE, Impl::FormatMatrix<1, FORMAT, SPACE, SCALAR>>;      \
  template class MatrixOperator<SPACE, Impl::FormatMatrix<2, FORMAT, SPACE, SCALAR>>;      \
  template class MatrixOperator<SPACE, Impl::FormatMatrix<3, FORMAT, SPACE, SCALAR>>;      \
  template BuiltOperator<SPACE, SCALAR> Impl::make_format_operator<FORMAT, SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const FORMAT::Options&, \
      const MakeOptions&);
