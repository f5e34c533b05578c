// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_SolveLinear.hpp>
#include <Tomokkos_StoredTriangle.hpp>
#include <Tomokkos_SystemRun.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace Tomokkos {

/// Facts about a linear system that are known before it is solved.
struct SystemFacts {
  std::optional<bool> is_symmetric;  // empty: not checked
  std::size_t rhs_columns = 1;
  double rhs_norm = 0;  // norm of all columns together
  std::string rhs_name;

  /// Stores the source, the number of columns and the norm of \p rhs.
  void set_rhs(const ProblemSection& problem, const HostColumns& rhs) {
    rhs_name = problem.linear_rhs == LinearRhs::file   ? problem.rhs.filename().string()
               : problem.linear_rhs == LinearRhs::ones ? "ones"
                                                       : "random";
    rhs_columns = rhs.columns;
    rhs_norm = 0;
    // hypot avoids overflow and underflow of the squares.
    for (const double value : rhs.values) rhs_norm = std::hypot(rhs_norm, value);
  }
};

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

/// Reads a two-dimensional file with several columns. Empty for a file with a single column.
std::optional<HostColumns> read_array(const std::filesystem::path& file, std::size_t rows) {
  HostColumns result;
  const auto make = [&](std::size_t columns) {
    result.columns = columns;
    result.values.assign(rows * columns, 0.0);
  };
  if (!is_matrix_file(file)) {  // .npy
    const NpyInfo info = read_npy_info(file);
    if (info.shape.size() > 2)
      throw DimensionMismatch(file.string() + ": has " + std::to_string(info.shape.size()) +
                              " dimensions; expected a vector, or rows x columns");
    if (info.shape.size() != 2 || info.shape[0] != rows || info.shape[1] < 2) return std::nullopt;
    const HostArray<double> array = read_npy<double>(file);
    make(array.shape[1]);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < result.columns; ++j)
        result.values[j * rows + i] = array.data[i * result.columns + j];
    return result;
  }
  const HostCsrMatrix<double> array = read_matrix_market<double>(file);
  const auto num_cols = static_cast<std::size_t>(array.num_cols);
  if (static_cast<std::size_t>(array.num_rows) != rows || num_cols < 2) {
    if (array.num_rows == 1 || array.num_cols == 1) return std::nullopt;
    throw DimensionMismatch(file.string() + ": is " + std::to_string(array.num_rows) + " x " +
                            std::to_string(array.num_cols) + ", but the matrix has " +
                            std::to_string(rows) + " rows");
  }
  make(num_cols);
  for (Ordinal i = 0; i < array.num_rows; ++i)
    for (Offset k = array.row_offsets(i); k < array.row_offsets(i + 1); ++k)
      result.values[static_cast<std::size_t>(array.columns(k)) * rows +
                    static_cast<std::size_t>(i)] += array.values(k);
  return result;
}

/// Reads a vector, or a two-dimensional `.npy` or Matrix Market array, with \p length rows. \p what
/// the matrix has as many of.
HostColumns read_columns(const std::filesystem::path& file, std::size_t length,
                         const std::string& what) {
  if (auto columns = read_array(file, length)) return std::move(*columns);
  HostColumns result{read_vector<double>(file), 1};
  if (result.values.size() != length)
    throw DimensionMismatch(file.string() + ": holds " + std::to_string(result.values.size()) +
                            " values, but the matrix has " + std::to_string(length) + " " + what);
  return result;
}

HostColumns make_rhs(const ProblemSection& problem, std::uint64_t seed, std::size_t rows) {
  if (problem.linear_rhs == LinearRhs::file) return read_columns(problem.rhs, rows, "rows");
  HostColumns b{std::vector<double>(rows, 1.0), 1};
  if (problem.linear_rhs == LinearRhs::random)
    for (std::size_t i = 0; i < rows; ++i) b.values[i] = 2 * CounterRandom(seed, i).uniform() - 1;
  return b;
}

/// Start vectors: a constant, one vector of \p length entries for all \p columns columns, or an
/// array with one column for each.
HostColumns make_start(const ConstantOrFile& source, std::size_t length, std::size_t columns) {
  if (source.file.empty()) return {std::vector<double>(length * columns, source.value), columns};
  HostColumns start = read_columns(source.file, length, "columns");
  if (start.columns != 1 && start.columns != columns)
    throw DimensionMismatch("solver.start: " + source.file.string() + " holds " +
                            std::to_string(start.columns) + " columns, but problem.rhs has " +
                            std::to_string(columns));
  start.values.resize(length * columns);
  for (; start.columns < columns; ++start.columns)
    std::copy_n(start.values.begin(), length, start.values.begin() + start.columns * length);
  return start;
}

/// Throws for an entry that becomes infinite in this precision and, with \p keeps_digits, for one
/// that becomes zero or loses digits that matter relative to the largest entry of its column.
template <class Scalar>
void require_kept(const HostColumns& vectors, const std::string& key, bool keeps_digits) {
  const std::size_t length = vectors.values.size() / vectors.columns;
  std::vector<double> largest(vectors.columns, 0.0);
  for (std::size_t i = 0; i < vectors.values.size(); ++i)
    largest[i / length] = std::max(largest[i / length], std::abs(vectors.values[i]));
  for (std::size_t i = 0; i < vectors.values.size(); ++i) {
    const double value = vectors.values[i], kept = static_cast<double>(static_cast<Scalar>(value));
    const double rounding = std::numeric_limits<Scalar>::epsilon() * largest[i / length];
    const bool is_lost = value != 0 && kept == 0;
    const bool loses = keeps_digits && (is_lost || !(std::abs(value - kept) <= rounding));
    if (std::isfinite(kept) && !loses) continue;
    throw InputError(key + ": entry " + std::to_string(i % length + 1) +
                     (vectors.columns > 1 ? " of column " + std::to_string(i / length + 1) : "") +
                     " (the first is 1) is " +
                     (!std::isfinite(kept) ? "not finite in this precision"
                                           : describe_number(value) + ", which " +
                                                 (is_lost ? "is zero" : "loses its digits") +
                                                 " in float; run.scalar: double holds it"));
  }
}

/// True when u^T A v = v^T A u up to rounding for two random vectors: one pass over the entries of
/// a square matrix, on the calling thread. Two different matrices pass only by chance.
template <class Scalar>
bool looks_symmetric(const HostCsrMatrix<Scalar>& A) {
  if (A.num_rows != A.num_cols) return false;
  CounterRandom random(1, 0);
  std::vector<double> u(static_cast<std::size_t>(A.num_rows)), v(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = random.uniform() + 0.5;
    v[i] = random.uniform() + 0.5;
  }
  double difference = 0, size = 0;
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      const auto column = static_cast<std::size_t>(A.columns(k));
      const auto value = static_cast<double>(A.values(k));
      difference += value * (u[row] * v[column] - u[column] * v[row]);
      size += std::abs(value);
    }
  }
  return std::abs(difference) <= 1e-12 * size;
}

/// Describes a system on one line: `system: 200 x 200, 598 nonzeros, symmetric, right-hand side
/// b.mtx of norm 1.3`
std::string describe_system(const SystemFacts& facts, const RowStatistics& matrix) {
  std::string text = "system: " + std::to_string(matrix.rows) + " x " +
                     std::to_string(matrix.columns) + ", " + std::to_string(matrix.nonzeros) +
                     " nonzeros";
  if (facts.is_symmetric) text += *facts.is_symmetric ? ", symmetric" : ", not symmetric";
  text += ", right-hand side " + facts.rhs_name;
  if (facts.rhs_columns > 1) text += " (" + std::to_string(facts.rhs_columns) + " columns)";
  return text + Impl::formatted(" of norm %.4g", facts.rhs_norm);
}

/// Facts for the report.
Description system_description(const SystemFacts& facts) {
  return describe_map({{"symmetric", facts.is_symmetric},
                       {"rhs", facts.rhs_name},
                       {"rhs_columns", facts.rhs_columns},
                       {"rhs_norm", facts.rhs_norm}},
                      true);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
int run_linear_system(const SystemSections& sections, const RunOptions& options) {
  SystemRun<ExecutionSpace, Scalar> run(sections, options);
  const ProblemSection& problem = sections.problem;
  const SystemTask& task = sections.task;
  run.open_and([] {});
  SystemFacts facts;
  LinearRows<Scalar> rows;
  if (problem.stencil) {
    rows = *problem.stencil;
    facts.is_symmetric = true;
    run.settings.name = "problem.stencil";
  } else {
    run.settings.name = problem.matrix.string();
    rows = [&] {
      HostCsrMatrix<Scalar> A = read_matrix<Scalar>(problem.matrix);
      if constexpr (std::is_same_v<Scalar, float>) require_kept_entries(problem.matrix, A);
      facts.is_symmetric = looks_symmetric(A);
      const StoredTriangle triangle = stored_triangle(A);
      if (triangle != StoredTriangle::none && !run.settings.checks_symmetry())
        run.progress().message("warning: " + run.settings.name + ": " +
                               describe_triangle(triangle));
      return A;
    };
  }
  auto observer = run.system_observer();
  observer.phase_begins = [&](const char* phase) {
    run.begin(phase);
    if (phase == std::string_view("matrix")) run.progress().announce_reading(problem.matrix);
  };
  observer.operator_begins = [&](double entries) {
    run.progress().announce(preparation_of(task.wish, task.needs.transpose), entries);
  };
  observer.operator_made = [&](const auto& prepared) {
    run.clock().end();
    run.progress().message(describe_system(facts, prepared.statistics) + ", " +
                           describe_seconds(run.clock().seconds("matrix")));
  };
  const ConstantOrFile& start = sections.solver.start.image;
  const auto vectors = [&](Ordinal num_rows, Ordinal num_columns) {
    LinearVectors result{make_rhs(problem, sections.run.seed, static_cast<std::size_t>(num_rows)),
                         {}};
    require_kept<Scalar>(result.b, "problem.rhs", true);
    HostColumns x = make_start(start, static_cast<std::size_t>(num_columns), result.b.columns);
    require_kept<Scalar>(x, "solver.start", false);
    result.x = std::move(x.values);
    facts.set_rhs(problem, result.b);
    return result;
  };
  const auto solved = run.watched([&] {
    return solve_linear<ExecutionSpace, Scalar>(run.exec(), rows, vectors, run.settings, observer,
                                                run.ranks);
  });
  run.begin_write();
  run.output().template write_columns<Scalar>("solution", solved.x,
                                              static_cast<std::size_t>(solved.columns));
  Description report = run.report_head();
  report.set("matrix", matrix_description(solved.statistics, solved.csr_bytes));
  report.set("system", system_description(facts));
  report.set("operator", solved.report);
  run.report_solve(report, solved.is_scaled);
  run.report_tail(report);
  run.write_report(report);
  if (!start.file.empty())
    if (const auto text = describe_solved_start(solved.results, std::is_same_v<Scalar, float>);
        !text.empty())
      run.progress().message(text);
  return run.finish();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_linear_system<SPACE, SCALAR>(const SystemSections&, const RunOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
