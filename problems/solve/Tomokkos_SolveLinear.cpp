// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_SolveLinear.hpp>
#include <Tomokkos_StoredTriangle.hpp>

namespace Tomokkos {
namespace {

/// Throws unless \p settings allow a matrix of this shape.
template <class Scalar>
void check_shape(const HostCsrMatrix<Scalar>& A, const SystemSettings& settings) {
  if (A.num_rows == A.num_cols) return;
  const std::string shape = settings.name + ": the matrix is " + std::to_string(A.num_rows) +
                            " x " + std::to_string(A.num_cols);
  if (settings.is_square())
    throw InputError(
        shape + "; a linear system needs a square matrix; for least squares use solver.type: cgls");
  if (!is_natural(settings.task.wish.ordering))
    throw ConfigError("operator.ordering: " + shape +
                      ", but only a square matrix can be reordered");
}

/// Throws if the solver needs a symmetric matrix and \p A, a copy of \p host, is none.
template <class Space, class Scalar>
void check_symmetry(const Space& exec, const CsrMatrix<Scalar, typename Space::memory_space>& A,
                    const HostCsrMatrix<Scalar>& host, const SystemSettings& settings) {
  if (!settings.checks_symmetry()) return;
  const MatrixSymmetry symmetry = matrix_symmetry<Space, Scalar>(exec, A);
  if (symmetry.up_to_rounding) return;
  const StoredTriangle triangle = stored_triangle(host);
  throw InputError(
      settings.name + ": " + describe_asymmetry(symmetry) + "; " +
      (triangle != StoredTriangle::none
           ? describe_triangle(triangle) +
                 "; if the matrix is triangular, use solver.type: bicgstab or gmres"
           : "pcg needs a symmetric matrix; use solver.type: bicgstab or gmres, or set "
             "solver.assume_symmetric: true to skip this check"));
}

/// Rows in natural order: all of them, or with \p is_cut those of this rank, so that no rank stores
/// the whole matrix on its device. Rows of a stencil are cut by their number, because they have
/// almost equal lengths; other rows are cut by nonzeros.
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> natural_rows(const ExecutionSpace& exec,
                                              const LinearRows<Scalar>& rows,
                                              const SystemSettings& settings,
                                              SharedSystem<ExecutionSpace, Scalar>& shared,
                                              bool is_cut) {
  if (const auto* stencil = std::get_if<StencilRows>(&rows)) {
    if (is_cut) shared.cut_evenly(static_cast<Ordinal>(stencil->num_rows()), stencil->unknowns);
    return make_stencil<ExecutionSpace, Scalar>(exec, *stencil, is_cut ? shared.own() : all_rows);
  }
  const HostCsrMatrix<Scalar> host = std::get<1>(rows)();
  check_shape(host, settings);
  if (!is_cut) {
    const auto A = copy_to<typename ExecutionSpace::memory_space>(exec, host);
    check_symmetry<ExecutionSpace, Scalar>(exec, A, host, settings);
    return A;
  }
  check_symmetry<TOMOKKOS_HOST_SPACE, Scalar>(TOMOKKOS_HOST_SPACE(), host, host, settings);
  shared.cut(host.row_offsets);
  return csr_row_range<ExecutionSpace, Scalar>(exec, host, shared.own());
}

/// Explains why the diagonal cannot be used. \p row is in natural order.
std::string describe_fault(const SystemFault& fault, Ordinal row) {
  std::string text = "row " + std::to_string(row + 1) + " (the first is 1): ";
  if (fault.reason == StopReason::zero_diagonal)
    return text +
           "the preconditioner cannot use the diagonal: the entry is zero or too small for a "
           "reciprocal, or its block is singular; if this is intended, choose "
           "solver.preconditioner: none";
  if (fault.reason == StopReason::non_finite) return text + "the diagonal entry is not finite";
  return text + "the diagonal is not positive, so the matrix is not positive definite";
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> solve_linear(
    const ExecutionSpace& exec, const LinearRows<Scalar>& rows,
    const std::function<LinearVectors(Ordinal rows, Ordinal columns)>& vectors,
    const SystemSettings& settings, const SystemObserver<ExecutionSpace, Scalar>& observer,
    const SystemRanks<ExecutionSpace>& ranks) {
  auto shared = shares_of<ExecutionSpace, Scalar>(exec, settings, ranks);
  const bool is_shared = shared.is_used(), is_square = settings.is_square();
  const OrderingOptions& ordering = settings.task.wish.ordering;
  OrderOn<ExecutionSpace> order;  // of all rows
  observer.phase_begins("matrix");
  auto A = shared.make_rows(
      [&] {
        shared.require_supported();
        const bool is_cut = is_shared && is_natural(ordering);
        auto natural = natural_rows<ExecutionSpace, Scalar>(exec, rows, settings, shared, is_cut);
        if (is_cut) return natural;
        auto ordered = order_square<ExecutionSpace, Scalar>(exec, ordering, natural);
        order = std::move(ordered.order);
        natural = {};  // makes room for the rows of this rank
        return shared.share(ordered.A);
      },
      !is_square);
  if (!is_shared) observer.matrix_made(A);

  observer.phase_begins("vectors");
  const Ordinal num_rows = is_shared ? shared.begins().back() : A.num_rows;
  LinearVectors given = shared.together([&] {
    LinearVectors result = vectors(num_rows, A.num_cols);
    const auto columns = static_cast<long long>(result.b.columns);
    require_equal("entries of the right-hand sides", static_cast<long long>(result.b.values.size()),
                  "the rows for each", num_rows * columns);
    if (result.x.empty()) result.x.resize(static_cast<std::size_t>(A.num_cols * columns));
    require_equal("entries of the starts", static_cast<long long>(result.x.size()),
                  "the unknowns for each right-hand side", A.num_cols * columns);
    return result;
  });
  const auto columns = static_cast<Ordinal>(given.b.columns);
  OrderOn<ExecutionSpace> own;
  own.rows = shared.own_part(order.rows);
  own.columns = is_square ? shared.own_part(order.columns) : order.columns;
  auto b = Slices<ExecutionSpace, Scalar>::to_device(exec, "Tomokkos::solve_linear::b",
                                                     given.b.values, columns, own.rows);
  auto x = Slices<ExecutionSpace, Scalar>::to_device(exec, "Tomokkos::solve_linear::x", given.x,
                                                     columns, own.columns);
  given = {};

  observer.phase_begins("operator");
  observer.operator_begins(static_cast<double>(A.num_nonzeros()));
  // Right-hand sides of a product.
  const Ordinal together = needs_of(kind_of(settings.params)).together ? columns : 1;
  auto prepared =
      is_square ? shared.prepare_square(A, together) : shared.prepare_rectangular(A, together);
  A = {};
  observer.operator_made(prepared);
  prepared.order = std::move(own);
  const Offset longest = prepared.statistics.longest;
  return solve_placed<ExecutionSpace, Scalar>(
      exec,
      {.prepared = std::move(prepared), .columns = columns, .b = b, .x = x, .longest_row = longest},
      settings, shared, observer, [&](const SystemFault& fault) {
        Ordinal row = fault.row.value_or(0);
        if (order.rows)
          row =
              Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order.rows->to_natural)(row);
        throw InputError(settings.name + ": " + describe_fault(fault, row));
      });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                         \
  template SolvedSystem<SCALAR> solve_linear<SPACE, SCALAR>(                        \
      const SPACE&, const LinearRows<SCALAR>&,                                      \
      const std::function<LinearVectors(Ordinal, Ordinal)>&, const SystemSettings&, \
      const SystemObserver<SPACE, SCALAR>&, const SystemRanks<SPACE>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
