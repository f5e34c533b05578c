// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vector operations of the references: plain loops, summed in double.
#pragma once

#include <Tomokkos_Views.hpp>

namespace Tomokkos::Bench {

template <class From, class To>
struct ConvertEntry {
  From from;
  To to;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    to(i) = static_cast<typename To::non_const_value_type>(from(i));
  }
};

template <class X, class Y>
struct DotTerm {
  X x;
  Y y;
  bool magnitudes;
  KOKKOS_FUNCTION void operator()(const Offset i, double& sum) const {
    const double term = static_cast<double>(x(i)) * static_cast<double>(y(i));
    sum += magnitudes && term < 0 ? -term : term;
  }
};

/// \brief Converts entries to another scalar: `to(i) = from(i)`.
///
/// \pre \p to is as long as \p from
template <class ExecutionSpace, class From, class To>
void convert_into(const ExecutionSpace& exec, const From& from, const To& to) {
  Kokkos::parallel_for("Tomokkos::bench::convert", Impl::element_range(exec, from.extent(0)),
                       ConvertEntry<From, To>{from, to});
  exec.fence();
}

/// \brief Copies \p from into a new vector of the scalar `To`.
template <class To, class ExecutionSpace, class From>
Kokkos::View<To*, typename ExecutionSpace::memory_space> converted(const ExecutionSpace& exec,
                                                                   const From& from) {
  const auto to = allocate<Kokkos::View<To*, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::Bench::converted", from.extent(0));
  convert_into(exec, from, to);
  return to;
}

/// \brief Copies \p x into a new vector in double.
template <class ExecutionSpace, class Scalar>
Kokkos::View<const double*, typename ExecutionSpace::memory_space> widen(
    const ExecutionSpace& exec,
    const Kokkos::View<const Scalar*, typename ExecutionSpace::memory_space>& x) {
  return converted<double>(exec, x);
}

/// \brief Computes `sum x_i y_i`, or `sum |x_i y_i|`, in double.
template <class ExecutionSpace, class X, class Y>
double dot_in_double(const ExecutionSpace& exec, const X& x, const Y& y, bool magnitudes = false) {
  double sum = 0;
  Kokkos::parallel_reduce("Tomokkos::bench::dot", Impl::element_range(exec, x.extent(0)),
                          DotTerm<X, Y>{x, y, magnitudes}, sum);
  exec.fence();
  return sum;
}

}  // namespace Tomokkos::Bench
