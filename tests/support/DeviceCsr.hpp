// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between the plain vectors of the references and the Views of a backend.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "CopyBytes.hpp"
#include "PlainCsr.hpp"

template <class ExecutionSpace, class Scalar, class Source>
auto to_device(const ExecutionSpace& exec, const std::vector<Source>& source) {
  using Target = Tomokkos::Vector<Scalar, typename ExecutionSpace::memory_space>;
  const auto target = Tomokkos::allocate<Target>(exec, "test::vector", source.size());
  std::vector<Scalar> converted;
  converted.reserve(source.size());
  for (const Source& value : source) converted.push_back(static_cast<Scalar>(value));
  Tomokkos::Testing::copy_from_host(exec, target.data(), converted.data(),
                                    converted.size() * sizeof(Scalar));
  return target;
}

template <class View>
auto to_std_vector(const View& view) {
  using MemorySpace = typename View::memory_space;
  using Reachable =
      std::conditional_t<Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                         Kokkos::HostSpace, MemorySpace>;
  if (!view.span_is_contiguous()) throw std::invalid_argument("to_std_vector: a View with gaps");
  std::vector<typename View::non_const_value_type> result(view.size());
  Tomokkos::Testing::copy_to_host<Reachable>(result.data(), view.data(),
                                             result.size() * sizeof(result[0]));
  return result;
}

template <class ExecutionSpace, class Scalar>
Tomokkos::CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_device(
    const ExecutionSpace& exec, const PlainCsr& A) {
  return {A.rows, A.columns, to_device<ExecutionSpace, Tomokkos::Offset>(exec, A.offsets),
          to_device<ExecutionSpace, Tomokkos::Ordinal>(exec, A.indices),
          to_device<ExecutionSpace, Scalar>(exec, A.values)};
}

/// Random values in [-1, 1) that float represents exactly.
inline std::vector<double> random_vector(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::vector<double> result(size);
  for (auto& element : result) element = value(random);
  return result;
}
