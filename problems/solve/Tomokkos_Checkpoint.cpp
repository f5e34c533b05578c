// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <sstream>
#include <utility>

namespace Tomokkos {

namespace {

// Version 2 added fingerprints of the image and the tables; version 3 the internal vectors of
// solvers and more figures; version 4 fingerprints of the slices of a volume, and histories with
// gaps; version 5 other figures, and the number of reasons to stop; version 6 the configuration as
// a text, and another fingerprint of a matrix whose entries are computed.
constexpr int format_version = 7;
// Reasons are stored by their number in this list.
constexpr int num_reasons = static_cast<int>(EnumNames<StopReason>::names.size());
constexpr int most_iterations = std::numeric_limits<int>::max();
constexpr const char* state_name = "state.yaml";

// Numbers in a row of the history, and in a row of the slices: see `history_row` and `slice_row`.
constexpr std::size_t history_columns = 3 + record_figures.size() + 1;
constexpr std::size_t slice_columns = 10;
// Prefix of the names of internal vectors of a solver.
constexpr std::string_view held_prefix = "held_";

// Names of the progress of a volume among the internal vectors, and of the fingerprints of its
// slices: in the data, and in a file, whose extension (`.npy`) follows.
const std::string volume_name = "volume", volume_data_name = "volume_data",
                  volume_file_name = "volume_file_";

constexpr ReadOptions any_values{.allow_non_finite = true};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& message) {
  throw InputError(file.string() + ": " + message);
}

/// Row of a table. The same calls write its numbers and read them.
class TableRow {
 public:
  /// Writes to the end of \p table.
  explicit TableRow(std::vector<double>& table) : table_(&table) {}
  /// Reads numbers of \p file, from \p next on.
  TableRow(const std::filesystem::path& file, const double* next) : file_(&file), next_(next) {}

  void number(double& value) {
    if (table_ != nullptr)
      table_->push_back(value);
    else
      value = *next_++;
  }

  /// A whole number from \p least to \p most.
  template <class Whole>
  void whole(Whole& value, int least, int most) {
    auto stored = static_cast<double>(value);
    number(stored);
    if (table_ != nullptr) return;
    if (!(stored >= least && stored <= most) || stored != std::floor(stored))
      fail(*file_, "damaged: a table contains " + std::to_string(stored) +
                       " instead of a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most));
    value = static_cast<Whole>(static_cast<int>(stored));
  }

  /// A whole number from 0 to \p most, or -1 for no value.
  template <class Whole>
  void whole_if_known(std::optional<Whole>& value, int most) {
    int stored = value ? static_cast<int>(*value) : -1;
    whole(stored, -1, most);
    value = stored < 0 ? std::nullopt : std::optional(static_cast<Whole>(stored));
  }

  /// Bits of the \p values that are known, and all of them, 0 for an unknown one.
  void numbers_if_known(std::span<std::optional<double>* const> values) {
    unsigned known = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (*values[i]) known |= 1U << i;
    whole(known, 0, (1 << values.size()) - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      double value = values[i]->value_or(0.0);
      number(value);
      if ((known >> i & 1U) != 0) *values[i] = value;
    }
  }

 private:
  std::vector<double>* table_ = nullptr;  // null: reads
  const std::filesystem::path* file_ = nullptr;
  const double* next_ = nullptr;
};

/// Columns: slice, iteration, bits of the known figures (rmse last), the figures, rmse.
void history_row(TableRow row, int& slice, int last_slice, IterationRecord& record,
                 std::optional<double>& rmse) {
  row.whole(slice, 0, last_slice);
  row.whole(record.iteration, 0, most_iterations);
  std::vector<std::optional<double>*> figures;
  for (const RecordFigure& figure : record_figures) figures.push_back(&(record.*figure.member));
  figures.push_back(&rmse);
  row.numbers_if_known(figures);
}

/// Columns: active, reason, iterations, residual, relative residual, |b|, iterate that was not
/// finite and its source (-1: none), recursive residual with its bit.
void slice_row(TableRow row, bool& active, SolveResult& result) {
  constexpr int num_sources = static_cast<int>(EnumNames<NonFiniteSource>::names.size());
  row.whole(active, 0, 1);
  row.whole(result.reason, 0, num_reasons - 1);
  row.whole(result.iterations, 0, most_iterations);
  row.number(result.residual);
  row.number(result.relative_residual);
  row.number(result.rhs_norm);
  row.whole_if_known(result.non_finite_iteration, most_iterations);
  row.whole_if_known(result.non_finite_source, num_sources - 1);
  row.numbers_if_known(std::array{&result.recursive_residual});
}

/// Tables of the results of all slices, row after row.
struct Tables {
  std::vector<double> slices, history;
};

template <class Scalar>
Tables tables_of(const Checkpoint<Scalar>& checkpoint) {
  Tables tables;
  const int count = static_cast<int>(checkpoint.progress.results.size());
  for (int slice = 0; slice < count; ++slice) {
    const auto j = static_cast<std::size_t>(slice);
    SolveResult result = checkpoint.progress.results[j];
    bool active = checkpoint.progress.active[j];
    slice_row(TableRow(tables.slices), active, result);
    for (IterationRecord& record : result.history) {
      const auto known = checkpoint.rmse[j].find(record.iteration);
      std::optional<double> rmse;
      if (known != checkpoint.rmse[j].end()) rmse = known->second;
      history_row(TableRow(tables.history), slice, count - 1, record, rmse);
    }
  }
  return tables;
}

/// Checks that the records of every slice are in order, from the start to its last iterate.
template <class Scalar>
void take_tables(const std::filesystem::path& file, const Tables& tables,
                 Checkpoint<Scalar>& checkpoint) {
  SolveProgress& progress = checkpoint.progress;
  for (std::size_t at = 0; at < tables.slices.size(); at += slice_columns) {
    bool active = false;
    slice_row(TableRow(file, tables.slices.data() + at), active, progress.results.emplace_back());
    progress.active.push_back(active);
  }
  checkpoint.rmse.resize(progress.results.size());
  for (std::size_t at = 0; at < tables.history.size(); at += history_columns) {
    int slice = 0;
    IterationRecord record;
    std::optional<double> rmse;
    history_row(TableRow(file, tables.history.data() + at), slice,
                static_cast<int>(progress.results.size()) - 1, record, rmse);
    const auto j = static_cast<std::size_t>(slice);
    auto& history = progress.results[j].history;
    if (history.empty() ? record.iteration != 0 : record.iteration <= history.back().iteration)
      fail(file, "history: the records of slice " + std::to_string(j) + " are not in order");
    if (rmse) checkpoint.rmse[j][record.iteration] = *rmse;
    history.push_back(std::move(record));
  }
  for (std::size_t j = 0; j < progress.results.size(); ++j) {
    const SolveResult& result = progress.results[j];
    const int last = progress.active[j] ? progress.iteration : result.iterations;
    const int found = result.history.empty() ? -1 : result.history.back().iteration;
    // A solver of systems that has failed may have returned an earlier iterate.
    if (progress.active[j] ? found != last : found < last)
      fail(file, "history: slice " + std::to_string(j) + " ends at iteration " +
                     std::to_string(found) + ", not at " + std::to_string(last));
  }
}

/// Writes texts as a map in YAML. A text of several lines is a block.
std::string state_text(const CheckpointTexts& texts) {
  std::string result;
  for (const auto& [name, text] : texts) {
    result += name + ":";
    if (text.find('\n') == std::string::npos) {
      result += " " + text + "\n";
      continue;
    }
    result += " |\n";
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) result += "  " + line + "\n";
  }
  return result;
}

/// Reads what `state_text` has written.
CheckpointTexts read_state(const std::filesystem::path& file) {
  CheckpointTexts texts;
  std::istringstream lines(read_npz_text(file, state_name));
  std::string* block = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ") && block != nullptr) {
      *block += line.substr(2) + "\n";
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || colon == 0 || line.front() == ' ')
      fail(file, std::string(state_name) + ": expected name: text, found \"" + line + "\"");
    std::string& text = texts[line.substr(0, colon)];
    text = line.size() > colon + 2 ? line.substr(colon + 2) : "";
    block = text == "|" ? &text : nullptr;
    if (block != nullptr) text.clear();
  }
  return texts;
}

/// Removes the text \p name from \p texts and returns it.
std::string take_text(const std::filesystem::path& file, CheckpointTexts& texts,
                      const std::string& name) {
  const auto found = texts.find(name);
  if (found == texts.end()) fail(file, std::string(state_name) + ": " + name + " is missing");
  std::string text = std::move(found->second);
  texts.erase(found);
  return text;
}

std::string extents_text(const std::vector<std::size_t>& shape) {
  std::string text;
  for (const std::size_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

/// Checks `values` against their fingerprint in the state. Detects any changed bit, and also a
/// changed type of the array.
template <class Scalar>
void require_fingerprint(const std::filesystem::path& file, CheckpointTexts& state,
                         const std::string& member, std::span<const Scalar> values) {
  if (take_text(file, state, member) != fingerprint_of(values))
    fail(file, member + ": its values or their type differ from those that the run has written");
}

/// Reads a table of \p columns columns.
std::vector<double> read_table(const std::filesystem::path& file, CheckpointTexts& state,
                               const char* name, std::size_t columns) {
  HostArray<double> array = read_npz_array<double>(file, name, any_values);
  if (array.shape.size() != 2 || array.shape[1] != columns)
    fail(file,
         std::string(name) + ": expected an array of " + std::to_string(columns) + " columns");
  require_fingerprint<double>(file, state, name, array.data);
  return std::move(array.data);
}

/// Reads the internal vectors of the solver other than x.
void restore_held(const std::filesystem::path& file, CheckpointTexts& state,
                  SolveProgress& progress) {
  const CheckpointTexts all = state;
  for (const auto& [member, text] : all) {
    if (!member.starts_with(held_prefix)) continue;
    std::vector<double> values = read_npz_array<double>(file, member, any_values).data;
    require_fingerprint<double>(file, state, member, values);
    progress.held[member.substr(held_prefix.size())] = std::move(values);
  }
}

int take_count(const std::filesystem::path& file, CheckpointTexts& state, const std::string& name) {
  const std::string text = take_text(file, state, name);
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0)
    fail(file, std::string(state_name) + ": " + name + " is not a whole number of at least 0");
  return value;
}

/// Reads the texts of a checkpoint of this format.
CheckpointTexts read_current_state(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error))
    fail(file,
         "there is no checkpoint; set output.checkpoint to write checkpoints, or run without "
         "--resume to start again");
  CheckpointTexts state = read_state(file);
  if (const std::string format = take_text(file, state, "format");
      format != std::to_string(format_version))
    fail(file,
         "a checkpoint of format " + format + "; this program reads format " +
             std::to_string(format_version) +
             ": finish the run with the version of the program that began it, or start again");
  if (take_count(file, state, "reasons") != num_reasons)
    fail(file,
         "a checkpoint of a program with other stop rules: finish the run with that program, or "
         "start again");
  return state;
}

}  // namespace

void set_volume(SolveProgress& progress, const VolumeProgress& volume) {
  progress.held[volume_name] = {static_cast<double>(volume.done),
                                static_cast<double>(volume.slices),
                                volume.smallest,
                                volume.largest,
                                volume.clamped,
                                volume.clamped_negative,
                                volume.missing};
  progress.held[volume_data_name] = volume.data;
  for (const auto& [extension, fingerprints] : volume.written)
    progress.held[volume_file_name + extension.substr(1)] = fingerprints;
}

std::optional<VolumeProgress> volume_of(const SolveProgress& progress) {
  const auto found = progress.held.find(volume_name);
  if (found == progress.held.end() || found->second.size() != 7) return std::nullopt;
  const std::vector<double>& v = found->second;
  VolumeProgress volume{
      static_cast<int>(v[0]), static_cast<int>(v[1]), v[2], v[3], v[4], v[5], v[6], {}, {}};
  for (const auto& [name, values] : progress.held) {
    if (name == volume_data_name) volume.data = values;
    if (name.starts_with(volume_file_name))
      volume.written["." + name.substr(volume_file_name.size())] = values;
  }
  return volume;
}

const OutputKind checkpoint_output{"a checkpoint of a run", [](const std::filesystem::path& file) {
                                     return has_npz_members(file, {state_name, "image.npy"});
                                   }};

template <class Scalar>
void write_checkpoint(const std::filesystem::path& file, const Checkpoint<Scalar>& checkpoint,
                      const std::vector<std::size_t>& shape) {
  CheckpointTexts state = checkpoint.texts;
  state["format"] = std::to_string(format_version);
  state["reasons"] = std::to_string(num_reasons);
  state["iteration"] = std::to_string(checkpoint.progress.iteration);
  const auto [slices, history] = tables_of(checkpoint);
  state["image_shape"] = extents_text(shape);
  std::vector<NpzArray> members;
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& extents,
                       const auto& values) {
    const std::span all(values);
    state[name] = fingerprint_of(all);
    members.push_back({name, extents, all});
  };
  add("image", shape, checkpoint.image);
  add("history", {history.size() / history_columns, history_columns}, history);
  add("slices", {slices.size() / slice_columns, slice_columns}, slices);
  for (const auto& [name, values] : checkpoint.progress.held)
    add(std::string(held_prefix) + name, {values.size()}, values);
  write_npz(file, members, {{state_name, state_text(state)}}, checkpoint_output);
}

CheckpointTexts read_checkpoint_texts(const std::filesystem::path& file) {
  const Impl::LookOnly looks;
  return read_current_state(file);
}

template <class Scalar>
Checkpoint<Scalar> read_checkpoint(const std::filesystem::path& file,
                                   const std::function<void(const CheckpointTexts&)>& check) {
  // A run that continues a checkpoint replaces it.
  const Impl::LookOnly looks;
  Checkpoint<Scalar> checkpoint;
  CheckpointTexts& state = checkpoint.texts = read_current_state(file);
  checkpoint.progress.iteration = take_count(file, state, "iteration");
  if (check) check(state);
  std::vector<double> slices = read_table(file, state, "slices", slice_columns);
  take_tables<Scalar>(
      file, {std::move(slices), read_table(file, state, "history", history_columns)}, checkpoint);
  restore_held(file, state, checkpoint.progress);
  HostArray<Scalar> image = read_npz_array<Scalar>(file, "image", any_values);
  if (const std::string shape = extents_text(image.shape),
      written = take_text(file, state, "image_shape");
      shape != written)
    fail(file, "image: its shape is " + shape + ", but the run has written " + written);
  require_fingerprint<Scalar>(file, state, "image", image.data);
  checkpoint.image = std::move(image.data);
  return checkpoint;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                      \
  template void write_checkpoint(const std::filesystem::path&, const Checkpoint<Scalar>&, \
                                 const std::vector<std::size_t>&);                        \
  template Checkpoint<Scalar> read_checkpoint(const std::filesystem::path&,               \
                                              const std::function<void(const CheckpointTexts&)>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
