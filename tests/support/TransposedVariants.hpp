// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every method for A^T x behind one interface: an operator, and in CSR the matrix that it
// multiplies, with rounded values if the format rounds.
#pragma once

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_RayTilesConversion.hpp>

#include "DeviceCsr.hpp"
#include "FlatFormat.hpp"
#include "MatrixBattery.hpp"

namespace Tomokkos::Testing {

template <class Scalar>
struct TransposedWay {
  std::string name;
  AnyOperator<TestSpace, Scalar> A;
  CsrMatrix<Scalar, TestSpace::memory_space> stored;
  /// true if every run gives the same bits
  bool repeats = true;
};

/// Returns true for methods of CSR on this backend. Private images are only for hosts; `direct` and
/// `fixed_point` do not apply to CSR.
inline bool is_way_of_this_machine(TransposeMethod method) {
  if (method == TransposeMethod::direct || method == TransposeMethod::fixed_point) return false;
  return Impl::is_host_space<TestSpace> || method != TransposeMethod::private_images;
}

template <StoredPrecision Values, class Scalar>
TransposedWay<Scalar> tiled_way(const CsrMatrix<Scalar, TestSpace::memory_space>& csr,
                                const RayTilesOptions& options) {
  const TestSpace exec;
  const auto tiles = ray_tiles_from_csr<TestSpace, Scalar, Values>(exec, csr, options);
  using Matrix = std::decay_t<decltype(tiles)>;
  return {"ray tiles of " + std::to_string(options.tile) + ", " + std::string(to_string(Values)),
          MatrixOperator<TestSpace, Matrix>(exec, tiles),
          to_csr<TestSpace, Scalar, Values>(exec, tiles)};
}

/// Adds packed rows with every method that they support here.
template <StoredPrecision Values, class Scalar>
void add_packed_ways(const CsrMatrix<Scalar, TestSpace::memory_space>& csr,
                     std::vector<TransposedWay<Scalar>>& all) {
  const TestSpace exec;
  const auto stored = to_csr<TestSpace, Scalar, Values>(
      exec, packed_csr_from_csr<TestSpace, Scalar, Values>(exec, csr));
  FlatFormat options;
  options.format = MatrixFormat::packed_csr;
  options.values = Values;
  for (const TransposeMethod method :
       {TransposeMethod::stored, TransposeMethod::atomic, TransposeMethod::private_images}) {
    if (!is_way_of_this_machine(method)) continue;
    options.transpose = method;
    all.push_back(
        {"packed csr, " + std::string(to_string(Values)) + ", " + std::string(to_string(method)),
         make_format_operator<TestSpace, Scalar>(exec, csr, options).A, stored,
         method != TransposeMethod::atomic});
  }
}

/// Adds pairs of rows with both of their methods.
template <class Scalar>
void add_paired_ways(const CsrMatrix<Scalar, TestSpace::memory_space>& csr,
                     std::vector<TransposedWay<Scalar>>& all) {
  FlatFormat options;
  options.format = MatrixFormat::pair_blocked;
  options.largest_fill = 1e30;
  for (const TransposeMethod method : {TransposeMethod::atomic, TransposeMethod::fixed_point}) {
    options.transpose = method;
    all.push_back({"pairs of rows, " + std::string(to_string(method)),
                   make_format_operator<TestSpace, Scalar>(TestSpace(), csr, options).A, csr,
                   method != TransposeMethod::atomic});
  }
}

/// Returns all methods for \p csr, whose rows are sorted.
template <class Scalar>
std::vector<TransposedWay<Scalar>> transposed_ways(
    const CsrMatrix<Scalar, TestSpace::memory_space>& csr) {
  const TestSpace exec;
  std::vector<TransposedWay<Scalar>> all;
  for (const auto& [method, name] : EnumNames<TransposeMethod>::names) {
    if (!is_way_of_this_machine(method)) continue;
    OperatorOptions options;
    options.transpose = method;
    all.push_back({"csr, " + std::string(name), CsrOperator<TestSpace, Scalar>(exec, csr, options),
                   csr, method != TransposeMethod::atomic});
  }
  for (const MatrixFormat format : {MatrixFormat::coo, MatrixFormat::ell_r, MatrixFormat::hyb,
                                    MatrixFormat::sell, MatrixFormat::bcsr}) {
    FlatFormat options;
    options.format = format;
    options.transpose = TransposeMethod::atomic;
    options.block = 3;
    options.sigma = 64;
    options.largest_fill = 1e30;
    all.push_back({std::string(to_string(format)) + ", atomic",
                   make_format_operator<TestSpace, Scalar>(exec, csr, options).A, csr, false});
  }
  add_paired_ways(csr, all);
  add_packed_ways<StoredPrecision::plain>(csr, all);
  if constexpr (std::is_same_v<Scalar, float>) {
    add_packed_ways<StoredPrecision::half>(csr, all);
    add_packed_ways<StoredPrecision::scaled>(csr, all);
  }
  for (const RayTilesOptions& options :
       {RayTilesOptions{largest_tile, 0}, RayTilesOptions{16, 9}}) {
    all.push_back(tiled_way<StoredPrecision::plain>(csr, options));
    if constexpr (std::is_same_v<Scalar, float>) {
      all.push_back(tiled_way<StoredPrecision::half>(csr, options));
      all.push_back(tiled_way<StoredPrecision::scaled>(csr, options));
    }
  }
  return all;
}

/// Converts the matrix of a method to plain CSR, for references.
template <class Scalar>
PlainCsr to_plain(const CsrMatrix<Scalar, TestSpace::memory_space>& A) {
  PlainCsr plain;
  plain.rows = A.num_rows;
  plain.columns = A.num_cols;
  const auto offsets = to_std_vector(A.row_offsets);
  const auto columns = to_std_vector(A.columns);
  const auto values = to_std_vector(A.values);
  plain.offsets.assign(offsets.begin(), offsets.end());
  plain.indices.assign(columns.begin(), columns.end());
  plain.values.assign(values.begin(), values.end());
  return plain;
}

}  // namespace Tomokkos::Testing
