// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_SystemVectors.hpp>
#include <optional>
#include <string>
#include <utility>

namespace Tomokkos {

namespace {

/// Reads a two-dimensional file with several columns; the columns follow each other. Empty for a
/// file with a single column.
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
    const bool is_vector = array.num_rows == 1 || array.num_cols == 1;
    if (!is_vector)
      throw DimensionMismatch(file.string() + ": is " + std::to_string(array.num_rows) + " x " +
                              std::to_string(array.num_cols) + ", but the matrix has " +
                              std::to_string(rows) + " rows");
    return std::nullopt;
  }
  make(num_cols);
  for (Ordinal i = 0; i < array.num_rows; ++i)
    for (Offset k = array.row_offsets(i); k < array.row_offsets(i + 1); ++k)
      result.values[static_cast<std::size_t>(array.columns(k)) * rows +
                    static_cast<std::size_t>(i)] += array.values(k);
  return result;
}

HostColumns read_columns(const std::filesystem::path& file, std::size_t rows,
                         const std::string& what) {
  if (auto columns = read_array(file, rows)) return std::move(*columns);
  HostColumns result{read_vector<double>(file), 1};
  if (result.values.size() != rows)
    throw DimensionMismatch(file.string() + ": holds " + std::to_string(result.values.size()) +
                            " values, but the matrix has " + std::to_string(rows) + " " + what);
  return result;
}

}  // namespace

HostColumns make_rhs(const ProblemSection& problem, std::uint64_t seed, Ordinal rows) {
  const auto length = static_cast<std::size_t>(rows);
  if (problem.linear_rhs == LinearRhs::file) return read_columns(problem.rhs, length, "rows");
  HostColumns b{std::vector<double>(length, 1.0), 1};
  if (problem.linear_rhs == LinearRhs::random)
    for (std::size_t i = 0; i < length; ++i) b.values[i] = 2 * CounterRandom(seed, i).uniform() - 1;
  return b;
}

std::vector<double> make_start(const ConstantOrFile& source, Ordinal rows, std::size_t columns) {
  const auto length = static_cast<std::size_t>(rows);
  if (source.file.empty()) return std::vector<double>(length * columns, source.value);
  HostColumns start = read_columns(source.file, length, "columns");
  if (start.columns == columns) return std::move(start.values);
  if (start.columns != 1)
    throw DimensionMismatch("solver.start: " + source.file.string() + " holds " +
                            std::to_string(start.columns) + " columns, but problem.rhs has " +
                            std::to_string(columns));
  std::vector<double> values;
  for (std::size_t j = 0; j < columns; ++j)
    values.insert(values.end(), start.values.begin(), start.values.end());
  return values;
}

}  // namespace Tomokkos
