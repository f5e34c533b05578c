// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads data other than sinograms, and the terms of the model of MLEM.
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_PolarImages.hpp>
#include <Tomokkos_RawFile.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Slices.hpp>
#include <algorithm>
#include <utility>

namespace Tomokkos {

namespace {

/// Shape of an array of data whose entries belong to the \p rows rows of the matrix.
ArrayShape data_array(const RowSource& source, Ordinal rows) {
  ArrayShape shape;
  for (const Ordinal length : data_shape(source, rows))
    shape.lengths.push_back(static_cast<std::size_t>(length));
  const RowTraits traits = traits_of(source);
  const bool is_block_row = traits.is_circulant && traits.is_read;
  if (traits.is_polar)
    shape.axes = {"v", "u", "view"};
  else if (grids_of(source).crystals > 0)
    shape.axes = {"crystal i", "crystal j"};
  else if (is_block_row)
    shape.axes = {"row of a block", "block"};
  else if (shape.lengths.size() == 2)
    shape.axes = {"view", "detector"};
  else
    shape.axes = {"row"};
  shape.first_may_be_split = is_block_row;
  return shape;
}

/// Throws unless an array of the lengths \p found in \p file, with the right number of values, can
/// hold the data of a slice, or slices of them. Without lengths: anything.
void require_data_shape(const std::filesystem::path& file, Ordinal rows,
                        const std::vector<std::size_t>& found, const RunInput& input) {
  ArrayShape shape = data_array(input.rows, rows);
  std::string mismatch = describe_shape_mismatch(found, shape);
  if (found.empty() || mismatch.empty()) return;
  if (input.stack) {
    const std::vector<std::size_t> slice(found.begin() + 1, found.end());
    if (describe_shape_mismatch(slice, shape).empty() || found.size() == 1) return;
    shape.lengths.insert(shape.lengths.begin(), input.data.size() / shape.size());
    shape.axes.insert(shape.axes.begin(), "slice");
    mismatch = describe_shape_mismatch(found, shape);
  }
  throw DimensionMismatch("problem.rhs: " + file.string() + " " + mismatch);
}

/// Moves the counts of each slice to the pairs that the matrix of a scanner holds.
void fold_counts(RunInput& input) {
  const auto crystals = static_cast<std::size_t>(grids_of(input.rows).crystals);
  PairCounts all;
  for (std::size_t begin = 0; begin < input.data.size(); begin += crystals * crystals) {
    const PairCounts of_slice =
        fold_pair_counts(std::span(input.data).subspan(begin, crystals * crystals), crystals);
    all.above += of_slice.above;
    all.below += of_slice.below;
    all.added = all.added || of_slice.added;
  }
  if (!all.added) return;
  input.added_counts = all;
  input.notes.set("added_counts",
                  describe_map({{"pairs_i_j", all.above}, {"pairs_j_i", all.below}}, true));
}

}  // namespace

void read_rhs(const ProblemSection& problem, const RunSection& run, const SolverNeeds& needs,
              Ordinal rows, RunInput& input) {
  if (problem.rhs.empty()) return;
  const auto length = static_cast<std::size_t>(rows);
  const auto first = static_cast<std::size_t>(input.stack ? problem.slices->first : 0);
  const std::size_t before = first * length;
  const std::size_t needed = before + static_cast<std::size_t>(input.slices) * length;
  const char* const expected =
      input.stack ? "rows of the matrix in the slices" : "rows of the matrix";
  std::vector<std::size_t> shape;
  if (!problem.rhs_is_raw() && is_matrix_file(problem.rhs)) {
    input.data = read_vector<double>(problem.rhs);
  } else if (!problem.rhs_is_raw()) {
    HostArray<double> array = read_npy<double>(problem.rhs);
    input.data = std::move(array.data);
    shape = std::move(array.shape);
  } else if (problem.rhs_type == RawType::int32) {
    const auto counts = read_raw<std::int32_t>(problem.rhs, needed, expected);
    input.data.assign(counts.begin(), counts.end());
  } else {
    const auto values = read_raw<float>(problem.rhs, needed, expected);
    input.data.assign(values.begin(), values.end());
  }
  const std::size_t size = input.data.size();
  const bool fits =
      input.stack ? size >= needed && length > 0 && size % length == 0 : size == length;
  if (!fits)
    throw DimensionMismatch(
        problem.rhs.string() + ": holds " + std::to_string(size) + " values, but the matrix " +
        matrix_name(input.rows) + " has " + std::to_string(rows) + " rows" +
        (input.stack ? ", and problem.slices selects slices " + std::to_string(first) + " to " +
                           std::to_string(first + input.slices - 1)
                     : ""));
  require_data_shape(problem.rhs, rows, shape, input);
  input.data.resize(needed);
  input.data.erase(input.data.begin(), input.data.begin() + static_cast<std::ptrdiff_t>(before));
  input.data.shrink_to_fit();
  if (!needs.likelihood) suspect_rhs(problem.rhs, run, input);
  if (grids_of(input.rows).crystals > 0) fold_counts(input);
  clear_masked_data(input);
  input.notes.set("file", problem.rhs.string());
}

ArrayShape image_array(const RunInput& input, std::size_t pixels) {
  const auto length = [](Ordinal value) { return static_cast<std::size_t>(value); };
  if (const PolarVolume* polar = polar_volume(input.rows)) {
    const PolarGrid grid(*polar);
    return {{length(grid.block_cols()), length(grid.blocks())}, {"voxel of a sector", "sector"}};
  }
  const std::size_t rows = length(input.volume.rows), columns = length(input.volume.columns);
  if (rows == 0) return {{pixels}, {"pixel"}};
  if (input.depth > 1) return {{length(input.depth), rows, columns}, {"slice", "row", "column"}};
  return {{rows, columns}, {"row", "column"}};
}

std::vector<double> read_constant_or_file(const ConstantOrFile& source, const std::string& key,
                                          const ArrayShape& shape) {
  if (source.file.empty()) return std::vector<double>(shape.size(), source.value);
  HostArray<double> array = read_npy<double>(source.file);
  const std::string mismatch = describe_shape_mismatch(array.shape, shape);
  if (!mismatch.empty())
    throw DimensionMismatch(key + ": " + source.file.string() + " " + mismatch);
  return std::move(array.data);
}

void read_terms(const SolverSection& solver, Ordinal rows, RunInput& input) {
  const auto read = [&](const std::optional<ConstantOrFile>& source, const char* key) {
    if (!source) return std::vector<double>();
    std::vector<double> term = read_constant_or_file(*source, key, data_array(input.rows, rows));
    const auto negative =
        std::find_if(term.begin(), term.end(), [](double value) { return value < 0.0; });
    if (negative != term.end())
      throw InputError(std::string(key) + ": " + source->file.string() + ": entry " +
                       std::to_string(negative - term.begin()) + " is " +
                       Impl::number_text(*negative) + "; it must not be negative");
    return term;
  };
  input.multiplicative = read(solver.multiplicative, "solver.multiplicative");
  input.background = read(solver.background, "solver.background");
  // A constant applies only to measured rows; for a scanner these are the pairs i < j.
  if (solver.background && solver.background->file.empty())
    for (Ordinal row = 0; row < rows; ++row)
      if (!is_measured(input.rows, row)) input.background[static_cast<std::size_t>(row)] = 0.0;
}

std::size_t check_negative_data(const ProblemSection& problem, const SolverNeeds& needs,
                                RunInput& input) {
  std::size_t count = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    if (!(input.data[i] < 0.0)) continue;
    if (count++ == 0) first = i;
  }
  if (count == 0) return 0;
  const std::size_t rows = input.data.size() / static_cast<std::size_t>(input.slices);
  if (problem.negative == NegativeData::clamp) {
    for (double& value : input.data) value = std::max(value, 0.0);
    input.notes.set("clamped_negative_values", count);
    return count;
  }
  if (!needs.likelihood) return 0;
  throw InputError(
      "the data hold " + std::to_string(count) + " negative values (the first is " +
      Impl::number_text(input.data[first]) + " at row " + std::to_string(first % rows) +
      (input.stack ? " of slice " +
                         std::to_string(first / rows + static_cast<std::size_t>(input.slab_begin))
                   : "") +
      "), which mlem cannot use; set problem." + (problem.sinogram ? "sinogram." : "") +
      "negative: clamp to replace them by 0, or choose another solver");
}

}  // namespace Tomokkos
