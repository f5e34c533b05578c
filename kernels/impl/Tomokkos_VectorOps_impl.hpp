// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_VectorOps.hpp>

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
void fill(const ExecutionSpace& exec,
          const VectorView<Scalar, typename ExecutionSpace::memory_space>& x, Scalar value) {
  Kokkos::deep_copy(exec, x, value);
}

template <class ExecutionSpace, class Scalar>
void axpby(const ExecutionSpace& exec, Scalar alpha,
           const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x, Scalar beta,
           const VectorView<Scalar, typename ExecutionSpace::memory_space>& y) {
  Impl::require_same_length(x, y);
  Kokkos::parallel_for(
      "Tomokkos::vector::axpby", Impl::element_range(exec, x.extent(0)),
      Impl::Axpby<Scalar, typename ExecutionSpace::memory_space>{alpha, beta, x, y});
}

template <class ExecutionSpace, class From, class To>
void convert(const ExecutionSpace& exec,
             const VectorView<const From, typename ExecutionSpace::memory_space>& x,
             const VectorView<To, typename ExecutionSpace::memory_space>& y) {
  Impl::require_same_length(x, y);
  Kokkos::parallel_for(
      "Tomokkos::vector::convert", Impl::element_range(exec, x.extent(0)),
      Impl::ConvertElements<From, To, typename ExecutionSpace::memory_space>{x, y});
}

template <class ExecutionSpace, class Scalar>
void dot(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& y,
         const VectorView<double, typename ExecutionSpace::memory_space>& result) {
  Impl::require_same_length(x, y);
  reduce_to_device<1>(exec, "Tomokkos::vector::dot", static_cast<Offset>(x.extent(0)),
                      Impl::DotTerm<Scalar, typename ExecutionSpace::memory_space>{x, y}, workspace,
                      result);
}

template <class ExecutionSpace, class Scalar>
void sum(const ExecutionSpace& exec,
         const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
         const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
         const VectorView<double, typename ExecutionSpace::memory_space>& result) {
  reduce_to_device<1>(exec, "Tomokkos::vector::sum", static_cast<Offset>(x.extent(0)),
                      Impl::SumTerm<Scalar, typename ExecutionSpace::memory_space>{x}, workspace,
                      result);
}

template <class ExecutionSpace, class Scalar>
void squared_distance(const ExecutionSpace& exec,
                      const ReductionWorkspace<typename ExecutionSpace::memory_space>& workspace,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                      const VectorView<const Scalar, typename ExecutionSpace::memory_space>& y,
                      const VectorView<double, typename ExecutionSpace::memory_space>& result) {
  Impl::require_same_length(x, y);
  reduce_to_device<1>(
      exec, "Tomokkos::vector::squared_distance", static_cast<Offset>(x.extent(0)),
      Impl::SquaredDistanceTerm<Scalar, typename ExecutionSpace::memory_space>{x, y}, workspace,
      result);
}

template <class ExecutionSpace>
double to_host(const ExecutionSpace& exec,
               const VectorView<const double, typename ExecutionSpace::memory_space>& result) {
  double value = 0;
  Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(&value, 1);
  Kokkos::deep_copy(
      exec, host,
      VectorView<const double, typename ExecutionSpace::memory_space>(result.data(), 1));
  Impl::fence(exec, "to_host: the value must have arrived");
  return value;
}

}  // namespace Tomokkos
