// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>

namespace Tomokkos {
namespace Impl {

template <class Format, class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const typename Format::Options& format, const MakeOptions& options);

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MakeOptions& options) {
  std::optional<MadeOperator<ExecutionSpace, Scalar>> made;
  with_format(options.format, [&]<class Format>(const typename Format::Options& format) {
    made = Impl::make_format_operator<Format, ExecutionSpace, Scalar>(exec, A, format, options);
  });
  return std::move(*made);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                          \
  template MadeOperator<SPACE, SCALAR> make_operator<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const MakeOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
