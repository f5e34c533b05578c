// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_PackedAxpby.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class MemorySpace>
struct DotTerm {
  VectorView<const Scalar, MemorySpace> x, y;
  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const {
    return {static_cast<double>(x(i)) * static_cast<double>(y(i))};
  }
};

template <class Scalar, class MemorySpace>
struct SumTerm {
  VectorView<const Scalar, MemorySpace> x;
  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const { return {static_cast<double>(x(i))}; }
};

template <class Scalar, class MemorySpace>
struct SquaredDistanceTerm {
  VectorView<const Scalar, MemorySpace> x, y;
  KOKKOS_FUNCTION Sums<1> operator()(const Offset i) const {
    const double difference = static_cast<double>(x(i)) - static_cast<double>(y(i));
    return {difference * difference};
  }
};

template <class Scalar, class MemorySpace>
struct Axpby {
  Scalar alpha, beta;
  VectorView<const Scalar, MemorySpace> x;
  VectorView<Scalar, MemorySpace> y;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    y(i) = beta == Scalar(0) ? alpha * x(i) : alpha * x(i) + beta * y(i);
  }
};

template <class From, class To, class MemorySpace>
struct ConvertElements {
  VectorView<const From, MemorySpace> x;
  VectorView<To, MemorySpace> y;
  KOKKOS_FUNCTION void operator()(const Offset i) const { y(i) = static_cast<To>(x(i)); }
};

template <class X, class Y>
void require_same_length(const X& x, const Y& y) {
  require_equal("length of y", static_cast<long long>(y.extent(0)), "the length of x",
                static_cast<long long>(x.extent(0)));
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void fill(const ExecutionSpace& exec, const OutputVector<ExecutionSpace, Scalar>& x,
          Coefficient<Scalar> value) {
  Kokkos::deep_copy(exec, x, value);
}

template <class ExecutionSpace, class Scalar>
void axpby(const ExecutionSpace& exec, Coefficient<Scalar> alpha,
           const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
           const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_same_length(x, y);
  // Hosts vectorise the plain loop. Doubles reach the bandwidth of a GPU one by one.
  if constexpr (!Impl::is_host_space<ExecutionSpace> && sizeof(Scalar) == sizeof(float)) {
    const auto length = static_cast<Offset>(x.extent(0));
    const Impl::PackedAxpby<Scalar> functor{alpha, beta, x.data(), y.data(),
                                            Impl::packed_range<Scalar>(x.data(), y.data(), length)};
    Kokkos::parallel_for("Tomokkos::vector::axpby",
                         Impl::element_range(exec, static_cast<std::size_t>(functor.range.calls())),
                         functor);
  } else {
    Kokkos::parallel_for(
        "Tomokkos::vector::axpby", Impl::element_range(exec, x.extent(0)),
        Impl::Axpby<Scalar, typename ExecutionSpace::memory_space>{alpha, beta, x, y});
  }
}

template <class ExecutionSpace, class From, class To>
void convert(const ExecutionSpace& exec, const InputVector<ExecutionSpace, From>& x,
             const OutputVector<ExecutionSpace, To>& y) {
  Impl::require_same_length(x, y);
  Kokkos::parallel_for(
      "Tomokkos::vector::convert", Impl::element_range(exec, x.extent(0)),
      Impl::ConvertElements<From, To, typename ExecutionSpace::memory_space>{x, y});
}

template <class ExecutionSpace, class Scalar>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x, const InputVector<ExecutionSpace, Scalar>& y,
         const OutputVector<ExecutionSpace, double>& result) {
  Impl::require_same_length(x, y);
  reduce_to_device<1>(exec, "Tomokkos::vector::dot", static_cast<Offset>(x.extent(0)),
                      Impl::DotTerm<Scalar, typename ExecutionSpace::memory_space>{x, y}, workspace,
                      result);
}

template <class ExecutionSpace, class Scalar>
void dot_columns(const ExecutionSpace& exec,
                 const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                 const InputMultiVector<ExecutionSpace, Scalar>& X,
                 const InputMultiVector<ExecutionSpace, Scalar>& Y,
                 const OutputVector<ExecutionSpace, double>& result) {
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the rows of X",
                static_cast<long long>(X.extent(0)));
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "the columns of X",
                static_cast<long long>(X.extent(1)));
  require_equal("length of the result", static_cast<long long>(result.extent(0)),
                "the columns of X", static_cast<long long>(X.extent(1)));
  reduce_columns_to_device<1>(exec, "Tomokkos::vector::dot_columns",
                              static_cast<Offset>(X.extent(0)), static_cast<Offset>(X.extent(1)),
                              Impl::ColumnDotTerm<Scalar, typename ExecutionSpace::memory_space>{
                                  as_vector(X), as_vector(Y)},
                              workspace, result);
}

template <class ExecutionSpace, class Scalar>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const InputVector<ExecutionSpace, Scalar>& x,
         const OutputVector<ExecutionSpace, double>& result) {
  reduce_to_device<1>(exec, "Tomokkos::vector::sum", static_cast<Offset>(x.extent(0)),
                      Impl::SumTerm<Scalar, typename ExecutionSpace::memory_space>{x}, workspace,
                      result);
}

template <class ExecutionSpace, class Scalar>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const InputVector<ExecutionSpace, Scalar>& x,
                      const InputVector<ExecutionSpace, Scalar>& y,
                      const OutputVector<ExecutionSpace, double>& result) {
  Impl::require_same_length(x, y);
  reduce_to_device<1>(
      exec, "Tomokkos::vector::squared_distance", static_cast<Offset>(x.extent(0)),
      Impl::SquaredDistanceTerm<Scalar, typename ExecutionSpace::memory_space>{x, y}, workspace,
      result);
}

template <class ExecutionSpace>
double to_host(const ExecutionSpace& exec, const InputVector<ExecutionSpace, double>& result) {
  double value = 0;
  Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&value, 1);
  Kokkos::deep_copy(
      exec, host,
      VectorView<const double, typename ExecutionSpace::memory_space>(result.data(), 1));
  Impl::fence(exec, "to_host: the value must have arrived");
  return value;
}

template <class ExecutionSpace>
std::vector<double> to_host_vector(const ExecutionSpace& exec,
                                   const InputVector<ExecutionSpace, double>& result) {
  std::vector<double> values(result.extent(0));
  Kokkos::deep_copy(exec, VectorView<double, Kokkos::HostSpace>(values.data(), values.size()),
                    result);
  Impl::fence(exec, "to_host_vector: the values must have arrived");
  return values;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                        \
  template void fill<SPACE, SCALAR>(const SPACE&, const VectorView<SCALAR, SPACE::memory_space>&,  \
                                    SCALAR);                                                       \
  template void axpby<SPACE, SCALAR>(const SPACE&, SCALAR,                                         \
                                     const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
                                     const VectorView<SCALAR, SPACE::memory_space>&);              \
  template void dot<SPACE, SCALAR>(const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,   \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,           \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,           \
                                   const VectorView<double, SPACE::memory_space>&);                \
  template void dot_columns<SPACE, SCALAR>(                                                        \
      const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,                                \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&,                                   \
      const VectorView<double, SPACE::memory_space>&);                                             \
  template void sum<SPACE, SCALAR>(const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,   \
                                   const VectorView<const SCALAR, SPACE::memory_space>&,           \
                                   const VectorView<double, SPACE::memory_space>&);                \
  template void squared_distance<SPACE, SCALAR>(                                                   \
      const SPACE&, const ReductionWorkspace<SPACE::memory_space>&,                                \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                        \
      const VectorView<const SCALAR, SPACE::memory_space>&,                                        \
      const VectorView<double, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                                \
  template void convert<SPACE, float, double>(const SPACE&,                                        \
                                              const VectorView<const float, SPACE::memory_space>&, \
                                              const VectorView<double, SPACE::memory_space>&);     \
  template void convert<SPACE, double, float>(                                                     \
      const SPACE&, const VectorView<const double, SPACE::memory_space>&,                          \
      const VectorView<float, SPACE::memory_space>&);                                              \
  template double to_host(const SPACE&, const VectorView<const double, SPACE::memory_space>&);     \
  template std::vector<double> to_host_vector(                                                     \
      const SPACE&, const VectorView<const double, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
