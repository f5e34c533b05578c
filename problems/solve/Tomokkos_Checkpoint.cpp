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
#include <sstream>

namespace Tomokkos {

namespace {

// Version 2 added fingerprints of the image and the tables; version 3 the internal vectors of
// solvers and more figures; version 4 fingerprints of the slices of a volume, and histories with
// gaps; version 5 other figures, and the number of reasons to stop; version 6 the configuration as
// a text, and another fingerprint of a matrix whose entries are computed.
constexpr int format_version = 6;
// Reasons are stored by their number in this list.
constexpr int num_reasons = static_cast<int>(EnumNames<StopReason>::names.size());
constexpr int most_iterations = std::numeric_limits<int>::max();
constexpr const char* state_name = "state.yaml";

// Optional members of a record and of a result, in the order of the file.
constexpr auto record_members = [] {
  std::array<RecordFigure::Member, record_figures.size()> members{};
  for (std::size_t i = 0; i < members.size(); ++i) members[i] = record_figures[i].member;
  return members;
}();
// A result copies these figures from its last record.
constexpr std::array result_members{&IterationRecord::log_likelihood,
                                    &IterationRecord::model_counts};

// Columns: slice, iteration, bits of the members that have a value (rmse last), the members, rmse.
constexpr std::size_t history_columns = 3 + record_members.size() + 1;
// Columns: active, reason, iterations, residual, relative residual, |b|, iterate that was not
// finite (-1: none), recursive residual (NaN: none), bits, the members. The bits say which members
// have a value, whether the recursive residual has the value NaN, and the source of a value that is
// not finite (0: unknown).
constexpr std::size_t slice_columns = 9 + result_members.size();
constexpr unsigned recursive_is_nan = 1U << result_members.size();
constexpr unsigned source_shift = result_members.size() + 1;
constexpr std::size_t slice_bits = source_shift + 2;
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

/// Reads an entry of a table as a whole number from `least` to `most`.
int whole(const std::filesystem::path& file, double value, int least, int most) {
  if (!(value >= least && value <= most) || value != std::floor(value))
    fail(file, "damaged: a table contains " + std::to_string(value) +
                   " instead of a whole number from " + std::to_string(least) + " to " +
                   std::to_string(most) + "");
  return static_cast<int>(value);
}

/// Reads the bits of the members that have a value.
unsigned mask(const std::filesystem::path& file, double value, std::size_t members) {
  return static_cast<unsigned>(whole(file, value, 0, (1 << members) - 1));
}

template <class Owner, std::size_t N>
void put_members(const std::array<std::optional<double> Owner::*, N>& members, const Owner& owner,
                 double* mask, double* values) {
  unsigned bits = 0;
  for (std::size_t m = 0; m < N; ++m) {
    values[m] = (owner.*members[m]).value_or(0.0);
    if (owner.*members[m]) bits |= 1U << m;
  }
  *mask += bits;
}

template <class Owner, std::size_t N>
void take_members(const std::array<std::optional<double> Owner::*, N>& members, Owner& owner,
                  unsigned bits, const double* values) {
  for (std::size_t m = 0; m < N; ++m)
    if ((bits >> m & 1U) != 0) owner.*members[m] = values[m];
}

template <class Scalar>
std::vector<double> history_table(const Checkpoint<Scalar>& checkpoint) {
  std::vector<double> table;
  for (std::size_t j = 0; j < checkpoint.progress.results.size(); ++j)
    for (const IterationRecord& record : checkpoint.progress.results[j].history) {
      std::array<double, history_columns> row{};
      row[0] = static_cast<double>(j);
      row[1] = record.iteration;
      put_members(record_members, record, &row[2], &row[3]);
      if (const auto known = checkpoint.rmse[j].find(record.iteration);
          known != checkpoint.rmse[j].end()) {
        row[2] += 1U << record_members.size();
        row.back() = known->second;
      }
      table.insert(table.end(), row.begin(), row.end());
    }
  return table;
}

std::vector<double> slice_table(const SolveProgress& progress) {
  std::vector<double> table;
  for (std::size_t j = 0; j < progress.results.size(); ++j) {
    const SolveResult& result = progress.results[j];
    std::array<double, slice_columns> row{};
    row[0] = progress.active[j] ? 1 : 0;
    row[1] = static_cast<double>(result.reason);
    row[2] = result.iterations;
    row[3] = result.residual;
    row[4] = result.relative_residual;
    row[5] = result.rhs_norm;
    row[6] = result.non_finite_iteration.value_or(-1);
    row[7] = result.recursive_residual.value_or(std::numeric_limits<double>::quiet_NaN());
    put_members(result_members, result.history.back(), &row[8], &row[9]);
    if (result.recursive_residual && std::isnan(*result.recursive_residual))
      row[8] += recursive_is_nan;
    if (result.non_finite_source)
      row[8] += (static_cast<unsigned>(*result.non_finite_source) + 1) << source_shift;
    table.insert(table.end(), row.begin(), row.end());
  }
  return table;
}

void take_slices(const std::filesystem::path& file, const std::vector<double>& table,
                 SolveProgress& progress) {
  for (std::size_t at = 0; at < table.size(); at += slice_columns) {
    const double* row = table.data() + at;
    SolveResult result;
    result.reason = static_cast<StopReason>(whole(file, row[1], 0, num_reasons - 1));
    result.iterations = whole(file, row[2], 0, most_iterations);
    result.residual = row[3];
    result.relative_residual = row[4];
    result.rhs_norm = row[5];
    if (const int bad = whole(file, row[6], -1, most_iterations); bad >= 0)
      result.non_finite_iteration = bad;
    const unsigned bits = mask(file, row[8], slice_bits);  // the members are in the history
    if (!std::isnan(row[7]) || (bits & recursive_is_nan) != 0) result.recursive_residual = row[7];
    if (const unsigned source = bits >> source_shift; source != 0)
      result.non_finite_source = static_cast<NonFiniteSource>(source - 1);
    progress.results.push_back(std::move(result));
    progress.active.push_back(whole(file, row[0], 0, 1) != 0);
  }
}

/// Checks that the records of every slice are in order, from the start to its last iterate.
template <class Scalar>
void take_history(const std::filesystem::path& file, const std::vector<double>& table,
                  Checkpoint<Scalar>& checkpoint) {
  SolveProgress& progress = checkpoint.progress;
  checkpoint.rmse.resize(progress.results.size());
  for (std::size_t at = 0; at < table.size(); at += history_columns) {
    const double* row = table.data() + at;
    const auto j = static_cast<std::size_t>(
        whole(file, row[0], 0, static_cast<int>(progress.results.size()) - 1));
    auto& history = progress.results[j].history;
    IterationRecord record;
    record.iteration = whole(file, row[1], 0, most_iterations);
    if (history.empty() ? record.iteration != 0 : record.iteration <= history.back().iteration)
      fail(file, "history: the records of slice " + std::to_string(j) + " are not in order");
    const unsigned known = mask(file, row[2], record_members.size() + 1);
    take_members(record_members, record, known, row + 3);
    if ((known >> record_members.size() & 1U) != 0)
      checkpoint.rmse[j][record.iteration] = row[history_columns - 1];
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

std::vector<double> read_table(const std::filesystem::path& file, const char* name,
                               std::size_t columns) {
  HostArray<double> array = read_npz_array<double>(file, name, any_values);
  if (array.shape.size() != 2 || array.shape[1] != columns)
    fail(file,
         std::string(name) + ": expected an array of " + std::to_string(columns) + " columns");
  return std::move(array.data);
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

std::string shape_text(const std::vector<std::size_t>& shape) {
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
  const std::vector<double> history = history_table(checkpoint);
  const std::vector<double> slices = slice_table(checkpoint.progress);
  state["image_shape"] = shape_text(shape);
  state["image"] = fingerprint_of(std::span<const Scalar>(checkpoint.image));
  state["history"] = fingerprint_of(std::span<const double>(history));
  state["slices"] = fingerprint_of(std::span<const double>(slices));
  std::vector<NpzArray> members{
      {"image", shape, std::span<const Scalar>(checkpoint.image)},
      {"history",
       {history.size() / history_columns, history_columns},
       std::span<const double>(history)},
      {"slices", {slices.size() / slice_columns, slice_columns}, std::span<const double>(slices)}};
  for (const auto& [name, values] : checkpoint.progress.held) {
    const std::string member = std::string(held_prefix) + name;
    state[member] = fingerprint_of(std::span<const double>(values));
    members.push_back({member, {values.size()}, std::span<const double>(values)});
  }
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
  const std::vector<double> slices = read_table(file, "slices", slice_columns);
  require_fingerprint<double>(file, state, "slices", slices);
  take_slices(file, slices, checkpoint.progress);
  const std::vector<double> history = read_table(file, "history", history_columns);
  require_fingerprint<double>(file, state, "history", history);
  take_history(file, history, checkpoint);
  restore_held(file, state, checkpoint.progress);
  HostArray<Scalar> image = read_npz_array<Scalar>(file, "image", any_values);
  if (const std::string shape = shape_text(image.shape),
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
