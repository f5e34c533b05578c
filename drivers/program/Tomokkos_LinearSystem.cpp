// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LinearSystem.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_SystemTaskOf.hpp>
#include <Tomokkos_SystemVectors.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

/// Throws if a nonzero entry of a file in double becomes zero in float, or loses digits that matter
/// relative to the largest entry of its row. Reads the file again only if such small entries occur.
void require_kept_entries(const std::filesystem::path& file, const HostCsrMatrix<float>& A) {
  const float* const values = A.values.data();
  const bool all_normal = std::all_of(values, values + A.num_nonzeros(), [](float value) {
    return std::abs(value) >= std::numeric_limits<float>::min();
  });
  if (all_normal || matrix_file_precision(file) != FilePrecision::float64) return;
  const HostCsrMatrix<double> exact = read_matrix<double>(file);
  if (exact.num_nonzeros() != A.num_nonzeros()) return;
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    double largest = 0;
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      largest = std::max(largest, std::abs(exact.values(k)));
    const double rounding = std::numeric_limits<float>::epsilon() * largest;
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      const double value = exact.values(k), kept = static_cast<double>(A.values(k));
      const bool is_lost = value != 0 && kept == 0;
      if (!is_lost && std::abs(value - kept) <= rounding) continue;
      throw InputError(file.string() + ": the entry in row " + std::to_string(i + 1) +
                       " and column " + std::to_string(A.columns(k) + 1) + " (the first is 1), " +
                       describe_number(value) + ", " + (is_lost ? "is zero" : "loses its digits") +
                       " in float; use run.scalar: double");
    }
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
LinearSystem<ExecutionSpace, Scalar>::LinearSystem(const RunConfig& config,
                                                   const RunOptions& options)
    : config_(config),
      run_(config.run, config.solver, config.output, to_node(config), options),
      exec_(run_.exec()),
      shared_(exec_, system_task(config.matrix_operator, config.needs()), config.run.ranks,
              config.solver.rows_of_a_block(), options.ranks) {}

/// False for least squares.
template <class ExecutionSpace, class Scalar>
bool LinearSystem<ExecutionSpace, Scalar>::is_square() const {
  return task_of(config_.solver.kind()) != SolverTask::least_squares;
}

/// True if an asymmetric matrix is refused.
template <class ExecutionSpace, class Scalar>
bool LinearSystem<ExecutionSpace, Scalar>::checks_symmetry() const {
  return config_.needs().symmetric && !config_.solver.assume_symmetric;
}

/// Reads the matrix, checks that the precision and the solver can use it, and notes its symmetry.
/// Warns of a single triangle, unless the symmetry is checked.
template <class ExecutionSpace, class Scalar>
HostCsrMatrix<Scalar> LinearSystem<ExecutionSpace, Scalar>::read_file() {
  HostCsrMatrix<Scalar> A = Tomokkos::read_matrix<Scalar>(config_.problem.matrix);
  check_shape(A);
  if constexpr (std::is_same_v<Scalar, float>)
    Tomokkos::require_kept_entries(config_.problem.matrix, A);
  facts_.is_symmetric = looks_symmetric(A);
  triangle_ = stored_triangle(A);
  if (triangle_ != StoredTriangle::none && !checks_symmetry())
    run_.progress().message("warning: " + config_.problem.matrix.string() + ": " +
                            describe_triangle(triangle_));
  return A;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::check_shape(const HostCsrMatrix<Scalar>& A) const {
  if (A.num_rows == A.num_cols) return;
  const std::string shape = config_.problem.matrix.string() + ": the matrix is " +
                            std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols);
  if (is_square())
    throw InputError(
        shape + "; a linear system needs a square matrix; for least squares use solver.type: cgls");
  if (!is_natural(config_.matrix_operator.ordering))
    throw ConfigError("operator.ordering: " + shape +
                      ", but only a square matrix can be reordered");
}

template <class ExecutionSpace, class Scalar>
template <class Space>
void LinearSystem<ExecutionSpace, Scalar>::check_symmetry(
    const Space& exec, const CsrMatrix<Scalar, typename Space::memory_space>& A) const {
  if (!checks_symmetry()) return;
  const MatrixSymmetry symmetry = matrix_symmetry<Space, Scalar>(exec, A);
  if (symmetry.up_to_rounding) return;
  const std::string message = config_.problem.matrix.string() + ": " + describe_asymmetry(symmetry);
  if (triangle_ != StoredTriangle::none)
    throw InputError(message + "; " + describe_triangle(triangle_) +
                     "; if the matrix is triangular, use solver.type: bicgstab or gmres");
  throw InputError(message +
                   "; pcg needs a symmetric matrix; use solver.type: bicgstab or gmres, or set "
                   "solver.assume_symmetric: true to skip this check");
}

/// Rows in natural order: all of them, or with \p is_cut those of this rank, so that no rank stores
/// the whole matrix on its device. Rows of a stencil are cut by their number, because they have
/// almost equal lengths; rows of a file are cut by nonzeros.
template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::Matrix
LinearSystem<ExecutionSpace, Scalar>::natural_rows(bool is_cut) {
  if (const auto& stencil = config_.problem.stencil) {
    facts_.is_symmetric = true;
    if (is_cut) shared_.cut_evenly(static_cast<Ordinal>(stencil->num_rows()), stencil->unknowns);
    return make_stencil<ExecutionSpace, Scalar>(exec_, *stencil, is_cut ? shared_.own() : all_rows);
  }
  const HostCsrMatrix<Scalar> host = read_file();
  if (!is_cut) {
    const Matrix A = copy_to<memory_space>(exec_, host);
    check_symmetry(exec_, A);
    return A;
  }
  check_symmetry(TOMOKKOS_HOST_SPACE(), host);
  shared_.cut(host.row_offsets);
  return csr_row_range<ExecutionSpace, Scalar>(exec_, host, shared_.own());
}

/// Rows of this rank in the order of the solver; all rows on a single process.
template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::Matrix
LinearSystem<ExecutionSpace, Scalar>::make_share() {
  const OrderingOptions& ordering = config_.matrix_operator.ordering;
  if (shared_.is_used() && is_natural(ordering)) return natural_rows(true);
  Matrix natural = natural_rows(false);
  auto [A, order] = in_order([&] {
    return order_matrix<ExecutionSpace, Scalar>(exec_, ordering, MatrixGrids{}, natural);
  });
  order_ = std::move(order);
  natural = {};  // makes room for the rows of this rank
  return shared_.share(A);
}

/// Throws for an entry of the right-hand side that becomes infinite or zero in this precision, or
/// loses digits that matter relative to the largest entry of its column.
template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::require_kept_rhs(const HostColumns& b,
                                                            std::size_t rows) const {
  std::vector<double> largest(b.columns, 0.0);
  for (std::size_t i = 0; i < b.values.size(); ++i)
    largest[i / rows] = std::max(largest[i / rows], std::abs(b.values[i]));
  for (std::size_t i = 0; i < b.values.size(); ++i) {
    const double value = b.values[i], kept = static_cast<double>(static_cast<Scalar>(value));
    const bool is_lost = value != 0 && kept == 0;
    const double rounding = std::numeric_limits<Scalar>::epsilon() * largest[i / rows];
    if (std::isfinite(kept) && !is_lost && std::abs(value - kept) <= rounding) continue;
    throw InputError("problem.rhs: entry " + std::to_string(i % rows + 1) +
                     (b.columns > 1 ? " of column " + std::to_string(i / rows + 1) : "") +
                     " (the first is 1) " +
                     (!std::isfinite(kept) ? "is not finite in this precision"
                                           : "is " + describe_number(value) + ", which " +
                                                 (is_lost ? "is zero" : "loses its digits") +
                                                 " in float; run.scalar: double holds it"));
  }
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::read_vectors(Ordinal rows, Ordinal columns) {
  run_.begin("vectors");
  HostColumns b, x;
  shared_.together([&] {
    b = make_rhs(config_.problem, config_.run.seed, rows);
    require_kept_rhs(b, static_cast<std::size_t>(rows));
    x = {make_start(config_.solver.start.image, columns, b.columns), b.columns};
    for (std::size_t i = 0; i < x.values.size(); ++i)
      if (!std::isfinite(static_cast<Scalar>(x.values[i])))
        throw InputError("solver.start: entry " + std::to_string(i % columns + 1) +
                         (b.columns > 1 ? " of column " + std::to_string(i / columns + 1) : "") +
                         " (the first is 1) is not finite in this precision");
  });
  columns_ = static_cast<Ordinal>(b.columns);
  facts_.set_rhs(config_.problem, b);
  own_.rows = shared_.own_part(order_.rows);
  own_.columns = is_square() ? shared_.own_part(order_.columns) : order_.columns;
  b_ = to_ordered_columns<ExecutionSpace, Scalar>(exec_, "Tomokkos::LinearSystem::b", b.values,
                                                  columns_, own_.rows);
  x_ = to_ordered_columns<ExecutionSpace, Scalar>(exec_, "Tomokkos::LinearSystem::x", x.values,
                                                  columns_, own_.columns);
}

template <class ExecutionSpace, class Scalar>
std::optional<typename LinearSystem<ExecutionSpace, Scalar>::System>
LinearSystem<ExecutionSpace, Scalar>::prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A) {
  auto system = run_.prepare(A);
  if (!system || !system->fault()) return system;
  const SystemFault fault = *system->fault();
  Ordinal row = fault.row.value_or(0);
  if (order_.rows) {
    const auto natural =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order_.rows->to_natural);
    row = natural(row);
  }
  throw InputError((config_.problem.stencil ? "problem.stencil" : config_.problem.matrix.string()) +
                   ": " + describe_fault(fault, row));
}

template <class ExecutionSpace, class Scalar>
Description LinearSystem<ExecutionSpace, Scalar>::report(
    const BuiltSystem<ExecutionSpace, Scalar>& prepared, const std::optional<System>& system) {
  Description result = run_.report_head();
  result.set("matrix", matrix_description(prepared.statistics, prepared.csr_bytes()));
  result.set("system", system_description(facts_));
  result.set("operator", prepared.report);
  run_.report_solve(result, system);
  run_.report_tail(result);
  return result;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::write_results(
    const BuiltSystem<ExecutionSpace, Scalar>& prepared, const std::optional<System>& system) {
  run_.begin_write();
  const std::vector<Scalar> x =
      is_square() ? shared_.gather(x_, columns_, own_.columns)
                  : to_host_slices<ExecutionSpace, Scalar>(exec_, x_, columns_, own_.columns);
  run_.output().template write_columns<Scalar>("solution", x, static_cast<std::size_t>(columns_));
  run_.write_report(report(prepared, system));
}

template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> LinearSystem<ExecutionSpace, Scalar>::prepare() {
  run_.begin("matrix");
  run_.progress().announce_reading(config_.problem.matrix);
  const Matrix A = shared_.make_rows(
      [&] {
        shared_.require_supported();
        return make_share();
      },
      !is_square());
  if (!shared_.is_used()) run_.checkpoints().set_matrix(exec_, A);
  read_vectors(shared_.is_used() ? shared_.begins().back() : A.num_rows, A.num_cols);
  run_.begin("operator");
  run_.progress().announce(
      preparation_of(config_.matrix_operator, uses_transpose(config_.solver.kind())),
      static_cast<double>(A.num_nonzeros()));
  const Ordinal vectors = run_.solves_columns_together() ? columns_ : 1;  // of a product
  return is_square() ? shared_.prepare_square(A, vectors) : shared_.prepare_rectangular(A, vectors);
}

/// Natural indices of the rows and the unknowns of this rank.
template <class ExecutionSpace, class Scalar>
SystemNumbering LinearSystem<ExecutionSpace, Scalar>::numbering(Offset longest_row) const {
  const auto length = [&](const VectorType& values) {
    return static_cast<Ordinal>(values.extent(0) / static_cast<std::size_t>(columns_));
  };
  return {shared_.numbering(own_.rows, length(b_)),
          is_square() ? shared_.numbering(own_.columns, length(x_))
                      : make_numbering(own_.columns, length(x_)),
          longest_row};
}

template <class ExecutionSpace, class Scalar>
int LinearSystem<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  shared_.together([&] { run_.open(); });
  const auto prepared = prepare();
  run_.clock().end();
  run_.progress().message(describe_system(facts_, prepared.statistics.rows,
                                          prepared.statistics.columns,
                                          prepared.statistics.nonzeros) +
                          ", " + describe_seconds(run_.clock().seconds("matrix")));
  const std::optional<System> system = prepare_system(prepared.A);
  const VectorView<const Scalar, memory_space> b = b_;
  run_.solve_system(prepared.A, system, columns_of<const Scalar, memory_space>(b, columns_),
                    columns_of<Scalar, memory_space>(x_, columns_),
                    numbering(prepared.statistics.longest));
  write_results(prepared, system);
  if (!config_.solver.start.image.file.empty())
    if (const auto solved =
            describe_solved_start(run_.outcome().results, std::is_same_v<Scalar, float>);
        !solved.empty())
      run_.progress().message(solved);
  return run_.finish();
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class LinearSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
