// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves a system whose matrix is a KokkosSparse::CrsMatrix. The operator of Tomokkos shares its
// values and columns, conjugate gradients solve the system, and KokkosSparse::spmv checks the
// result.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Kokkos_Core.hpp>
#include <Tomokkos_KokkosKernels.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Pcg.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MemorySpace = ExecutionSpace::memory_space;
using Device = Kokkos::Device<ExecutionSpace, MemorySpace>;
using Tomokkos::Offset;
using Tomokkos::Ordinal;

// Offset type that Kokkos Kernels uses by default.
using Matrix = KokkosSparse::CrsMatrix<double, Ordinal, Device>;
using SharedMatrix = KokkosSparse::CrsMatrix<const double, const Ordinal, Device, void, Offset>;
using Vector = Kokkos::View<double*, MemorySpace>;

/// 5-point stencil on a square of `side x side` points.
Matrix poisson(Ordinal side) {
  const Ordinal n = side * side;
  const auto nonzeros = static_cast<std::size_t>(5 * Offset(n) - 4 * Offset(side));
  const Matrix::row_map_type::non_const_type row_map("row_map", static_cast<std::size_t>(n) + 1);
  const Matrix::index_type::non_const_type entries("entries", nonzeros);
  const Matrix::values_type::non_const_type values("values", nonzeros);
  const auto host_row_map = Kokkos::create_mirror_view(row_map);
  const auto host_entries = Kokkos::create_mirror_view(entries);
  const auto host_values = Kokkos::create_mirror_view(values);
  std::size_t k = 0;
  for (Ordinal row = 0; row < n; ++row) {
    const Ordinal i = row % side, j = row / side;
    const auto add = [&](bool there, Ordinal column, double value) {
      if (!there) return;
      host_entries(k) = column;
      host_values(k++) = value;
    };
    host_row_map(row) = static_cast<Matrix::non_const_size_type>(k);
    add(j > 0, row - side, -1);
    add(i > 0, row - 1, -1);
    add(true, row, 4);
    add(i + 1 < side, row + 1, -1);
    add(j + 1 < side, row + side, -1);
  }
  host_row_map(n) = static_cast<Matrix::non_const_size_type>(k);
  Kokkos::deep_copy(row_map, host_row_map);
  Kokkos::deep_copy(entries, host_entries);
  Kokkos::deep_copy(values, host_values);
  return Matrix("poisson", n, n, nonzeros, values, row_map, entries);
}

/// Relative residual `|b - A x| / |b|`, computed by Kokkos Kernels.
template <class AnyMatrix>
double relative_residual(const AnyMatrix& A, const Vector& x, const Vector& b) {
  const Vector r("r", b.extent(0));
  Kokkos::deep_copy(r, b);
  KokkosSparse::spmv("N", -1.0, A, x, 1.0, r);
  const auto host_r = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), r);
  const auto host_b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
  double residual = 0, reference = 0;
  for (std::size_t i = 0; i < host_r.extent(0); ++i) {
    residual += host_r(i) * host_r(i);
    reference += host_b(i) * host_b(i);
  }
  return std::sqrt(residual / reference);
}

int solve(Ordinal side) {
  const ExecutionSpace exec;
  const Matrix theirs = poisson(side);
  const auto ours = Tomokkos::from_kokkos_kernels(exec, theirs);
  Tomokkos::validate(exec, ours);

  const Vector b("b", static_cast<std::size_t>(ours.num_rows)), x("x", b.extent(0));
  Kokkos::deep_copy(b, 1.0);
  Tomokkos::OperatorOptions options;
  options.transpose = Tomokkos::TransposeMethod::atomic;  // no transposed copy
  const Tomokkos::CsrOperator<ExecutionSpace, double> A(exec, ours, options);
  Tomokkos::PcgParams params;
  params.stop.relative_residual = 1e-10;
  Tomokkos::Pcg<ExecutionSpace, double> pcg(exec, ours.num_rows, params);
  const Tomokkos::SolveResult result = pcg.solve(exec, A, b, x);

  // Conversion back: the same arrays, with the offsets of Tomokkos.
  const auto shared = Tomokkos::to_kokkos_kernels<SharedMatrix>(exec, ours);
  const double residual = relative_residual(theirs, x, b);
  std::cout << ours.num_rows << " rows, " << Tomokkos::to_string(result.reason) << " after "
            << result.iterations << " iterations, relative residual " << result.relative_residual
            << ", by Kokkos Kernels " << residual << '\n';
  const bool is_shared = ours.values.data() == theirs.values.data() &&
                         ours.columns.data() == theirs.graph.entries.data() &&
                         shared.values.data() == theirs.values.data() &&
                         shared.graph.entries.data() == theirs.graph.entries.data() &&
                         shared.graph.row_map.data() == ours.row_offsets.data();
  const bool good = is_shared && result.reason == Tomokkos::StopReason::converged &&
                    residual < 1.1e-10 && relative_residual(shared, x, b) < 1.1e-10;
  if (!good) std::cerr << "the solution is wrong, or an array was copied\n";
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  try {
    return solve(argc > 1 ? std::atoi(argv[1]) : 100);
  } catch (const Tomokkos::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
