// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of stored orbits of rays: scans with the symmetries of the square, and their
// matrices.
#pragma once

#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SymmetricTranspose.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "SolverTesting.hpp"

namespace symmetric_testing {

using namespace Tomokkos;
using namespace solver_testing;

using TestMemory = TestSpace::memory_space;

struct SymmetricScan {
  std::string name;
  ScanGeometry scan;
  int share;  // one of `share` rays is stored, so the matrix has at least `share` times the stored
              // nonzeros
};

inline ScanGeometry scan_of(Beam beam, Ordinal views, bool half_step, bool full, Ordinal detectors,
                            double width = 0.7) {
  ScanGeometry scan;
  scan.beam = beam;
  const std::int64_t steps = full ? views : 2 * views;
  scan.views = ViewAngles::evenly_spaced(views, half_step ? Angle::turns(1, 2 * steps) : Angle(),
                                         full ? ViewAngles::full_turn() : ViewAngles::half_turn());
  scan.detectors = detectors;
  scan.detector_width = width;
  scan.source_to_origin = 40;
  scan.origin_to_detector = 5;
  return scan;
}

inline std::vector<SymmetricScan> symmetric_scans() {
  std::vector<SymmetricScan> scans;
  for (const Ordinal detectors : {14, 15})
    for (const bool half_step : {false, true}) {
      const std::string what =
          std::to_string(detectors) + " detectors, from " + (half_step ? "half a step" : "0");
      scans.push_back({"parallel, half a turn, " + what,
                       scan_of(Beam::parallel, 12, half_step, false, detectors), 8});
      scans.push_back({"parallel, a whole turn, " + what,
                       scan_of(Beam::parallel, 16, half_step, true, detectors), 16});
      scans.push_back({"fan, " + what, scan_of(Beam::fan, 16, half_step, true, detectors, 1.1), 8});
    }
  SymmetricScan shifted{"a detector to one side", scan_of(Beam::parallel, 16, true, true, 15), 8};
  shifted.scan.detector_offset = 1.25;
  scans.push_back(shifted);
  return scans;
}

template <class Scalar>
PlainCsr plain_of(const CsrMatrix<Scalar, TestMemory>& A) {
  PlainCsr plain{
      "scan", A.num_rows, A.num_cols, to_std_vector(A.row_offsets), to_std_vector(A.columns), {}};
  for (const Scalar value : to_std_vector(A.values)) plain.values.push_back(value);
  return plain;
}

/// Extracts rows in double; `rows_of` would round to float.
inline PlainCsr some_rows(const PlainCsr& A, RowRange rows) {
  if (rows.is_all()) return A;
  PlainCsr part{A.name, rows.end - rows.begin, A.columns, {}, {}, {}};
  const auto begin = A.offsets[static_cast<std::size_t>(rows.begin)];
  for (Ordinal i = rows.begin; i <= rows.end; ++i)
    part.offsets.push_back(A.offsets[static_cast<std::size_t>(i)] - begin);
  const auto end = begin + part.offsets.back();
  part.indices.assign(A.indices.begin() + begin, A.indices.begin() + end);
  part.values.assign(A.values.begin() + begin, A.values.begin() + end);
  return part;
}

/// Makes operators of the stored rays: in CSR with a stored transpose, from a single copy, and with
/// a transpose in SELL; in pairs of rows with both of their transposed products.
template <class Scalar>
std::vector<SymmetricOperator<TestSpace, Scalar>> operators_of(
    const TestSpace& exec, const SymmetricProjection<Scalar, TestMemory>& A) {
  OperatorOptions atomic;
  atomic.transpose = TransposeMethod::atomic;
  OperatorOptions fixed;
  fixed.transpose = TransposeMethod::fixed_point;
  using Pairs = MatrixOperator<TestSpace, PairBlockedMatrix<Scalar, TestMemory>>;
  const auto pairs = pair_blocked_from_csr<TestSpace, Scalar>(exec, A.stored, {true, {1e30}});
  return {{A.symmetry, CsrOperator<TestSpace, Scalar>(exec, A.stored)},
          {A.symmetry, CsrOperator<TestSpace, Scalar>(exec, A.stored, atomic)},
          {A.symmetry, CsrOperator<TestSpace, Scalar>(exec, A.stored, atomic),
           make_symmetric_transpose<TestSpace, Scalar>(exec, A.stored)},
          {A.symmetry, Pairs(exec, pairs, atomic)},
          {A.symmetry, Pairs(exec, pairs, fixed)}};
}

template <class Scalar>
void expect_product(const PlainCsr& C, const std::vector<Scalar>& computed, const Values& x,
                    const Values& y, int s, const std::string& what) {
  for (int k = 0; k < s; ++k)
    EXPECT_LE(worst_row_error<Scalar>(
                  column_of(computed, k, s),
                  reference_product(C, -1.5, column_of(x, k, s), 0.25, column_of(y, k, s))),
              2)
        << what << ", vector " << k;
}

/// Checks both products of s vectors with the rows of A that are in \p part.
template <class Scalar>
void expect_products(const TestSpace& exec, const AnyOperator<TestSpace, Scalar>& op,
                     const PlainCsr& part, int s, RowRange rows, const std::string& what) {
  const auto x = random_vector(static_cast<std::size_t>(part.columns) * s, 1);
  const auto y = random_vector(static_cast<std::size_t>(part.rows) * s, 2);
  const auto from_x = to_device<TestSpace, Scalar>(exec, x);
  const auto from_y = to_device<TestSpace, Scalar>(exec, y);
  const auto to_x = to_device<TestSpace, Scalar>(exec, x);
  const auto to_y = to_device<TestSpace, Scalar>(exec, y);
  using In = MultiVectorView<const Scalar, TestMemory>;
  using Out = MultiVectorView<Scalar, TestMemory>;
  op.apply(exec, Scalar(-1.5), In(from_x.data(), part.columns, s), Scalar(0.25),
           Out(to_y.data(), part.rows, s), rows);
  expect_product(part, to_std_vector(to_y), x, y, s, what);
  op.apply_transpose(exec, Scalar(-1.5), In(from_y.data(), part.rows, s), Scalar(0.25),
                     Out(to_x.data(), part.columns, s), rows);
  expect_product(part.transposed(), to_std_vector(to_x), y, x, s, what + ", transposed");
}

template <class Scalar>
struct WholeAndStored {
  SymmetricProjection<Scalar, TestMemory> A;
  CsrMatrix<Scalar, TestMemory> whole;
};

template <class Scalar>
WholeAndStored<Scalar> matrices_of(const TestSpace& exec, const ScanGeometry& scan, Ordinal side,
                                   Projector projector) {
  const VolumeGeometry volume{side, side, 0.9};
  return {build_symmetric_projection<TestSpace, Scalar>(exec, volume, scan, projector),
          build_system_matrix<TestSpace, Scalar>(exec, volume, scan, projector)};
}

}  // namespace symmetric_testing
