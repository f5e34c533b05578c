// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the plain vectors of the references and the Views of a backend.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <random>

#include "PlainCsr.hpp"

template <class ExecutionSpace, class Scalar, class Source>
auto to_device(const ExecutionSpace& exec, const std::vector<Source>& source) {
  Tomokkos::Vector<Scalar, typename ExecutionSpace::memory_space> target("test::vector",
                                                                         source.size());
  auto host = Kokkos::create_mirror_view(target);
  for (std::size_t i = 0; i < source.size(); ++i) host(i) = static_cast<Scalar>(source[i]);
  Kokkos::deep_copy(exec, target, host);
  exec.fence();
  return target;
}

template <class View>
auto to_std_vector(const View& view) {
  using Scalar = typename View::non_const_value_type;
  Kokkos::fence();
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  std::vector<Scalar> result(host.size());
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = host.data()[i];
  return result;
}

template <class ExecutionSpace, class Scalar>
Tomokkos::CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_device(
    const ExecutionSpace& exec, const PlainCsr& A) {
  return {A.rows, A.columns, to_device<ExecutionSpace, Tomokkos::Offset>(exec, A.offsets),
          to_device<ExecutionSpace, Tomokkos::Ordinal>(exec, A.indices),
          to_device<ExecutionSpace, Scalar>(exec, A.values)};
}

/// Values in [-1, 1] that float holds exactly.
inline std::vector<double> random_vector(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<double> result(size);
  for (auto& element : result) element = value(random);
  return result;
}
