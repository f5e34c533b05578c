// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of all formats in one struct, for tests that loop over formats and vary one option.
#pragma once

#include <gtest/gtest.h>
#include <Tomokkos_MakeOperator.hpp>

#include <optional>
#include <string>

namespace Tomokkos {

/// Options of any format. Options that do not apply to the format are ignored.
struct FlatFormat {
  MatrixFormat format = MatrixFormat::sell;
  int block = 4;
  double quantile = 2.0 / 3.0;
  int chunk = 0;
  Ordinal sigma = 1;
  bool sort_by_length = false;
  int threads_per_row = 0;
  TransposeMethod transpose = TransposeMethod::stored;
  std::optional<std::uint64_t> available_bytes;
  StoredPrecision values = StoredPrecision::plain;
  Ordinal tile = largest_tile;
  Ordinal group_rows = 0;
  Ordinal views = 0, detectors = 0;
  bool deterministic = false;
  std::optional<double> largest_fill;
};

inline FormatOptions format_options(const FlatFormat& flat) {
  FormatOptions result = default_options(flat.format);
  with_format(result, [&]<class Format>(typename Format::Options& options) {
    if constexpr (requires { options.block; }) options.block = flat.block;
    if constexpr (requires { options.quantile; }) options.quantile = flat.quantile;
    if constexpr (requires { options.sigma; })
      options.chunk = flat.chunk, options.sigma = flat.sigma;
    if constexpr (requires { options.sort_by_length; }) {
      options.sort_by_length = flat.sort_by_length;
      options.threads_per_row = flat.threads_per_row;
    }
    if constexpr (requires { options.values; }) options.values = flat.values;
    if constexpr (requires { options.group_rows; })
      options.tile = flat.tile, options.group_rows = flat.group_rows;
    if constexpr (requires { options.views; })
      options.views = flat.views, options.detectors = flat.detectors;
    if constexpr (Format::pads)
      if (flat.largest_fill) options.limit.largest_fill = *flat.largest_fill;
  });
  return result;
}

template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FlatFormat& flat, bool with_transpose = true) {
  MakeOptions options;
  options.format = format_options(flat);
  options.transpose = flat.transpose;
  options.available_bytes = flat.available_bytes;
  options.spmv.deterministic = flat.deterministic;
  options.with_transpose = with_transpose;
  return make_operator<ExecutionSpace, Scalar>(exec, A, options);
}

/// Returns the figure called \p name of an operator that was made.
template <class Value, class Made>
Value figure_of(const Made& made, const std::string& name) {
  if (const Description* figure = made.description.find(name)) {
    if constexpr (std::is_same_v<Value, std::vector<std::int64_t>>) {
      Value list;
      for (const Description& item : figure->items())
        list.push_back(std::get<std::int64_t>(item.value()));
      return list;
    } else {
      return std::get<Value>(figure->value());
    }
  }
  ADD_FAILURE() << "there is no figure " << name;
  return {};
}

/// Computes `y = A 1` or `A^T 1`.
template <class Scalar, class ExecutionSpace, class Operator>
Vector<Scalar, typename ExecutionSpace::memory_space> sums_of(const ExecutionSpace& exec,
                                                              const Operator& A, bool of_columns) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Ordinal from = of_columns ? A.num_rows() : A.num_cols();
  const Ordinal to = of_columns ? A.num_cols() : A.num_rows();
  const Vector<Scalar, MemorySpace> ones("ones", from), sums("sums", to);
  Kokkos::deep_copy(exec, ones, Scalar(1));
  const MultiVectorView<const Scalar, MemorySpace> X(ones.data(), from, 1);
  const MultiVectorView<Scalar, MemorySpace> Y(sums.data(), to, 1);
  if (of_columns)
    A.apply_transpose(exec, Scalar(1), X, Scalar(0), Y);
  else
    A.apply(exec, Scalar(1), X, Scalar(0), Y);
  exec.fence();
  return sums;
}

}  // namespace Tomokkos
