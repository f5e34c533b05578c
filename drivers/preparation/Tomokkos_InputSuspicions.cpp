// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <algorithm>
#include <array>
#include <cmath>

namespace Tomokkos {

namespace {

/// True if a run continues despite a suspicion of this kind.
bool is_allowed(const RunSection& run, SuspicionKind kind) {
  return run.on_suspicion == OnSuspicion::warn ||
         std::find(run.allow.begin(), run.allow.end(), kind) != run.allow.end();
}

}  // namespace

bool has_suspicion(const RunInput& input, SuspicionKind kind) {
  return std::any_of(input.suspicions.begin(), input.suspicions.end(),
                     [&](const Suspicion& known) { return known.kind == kind; });
}

void refuse_suspicions(const RunSection& run, const std::vector<Suspicion>& suspicions) {
  std::string message, names;
  for (const Suspicion& suspicion : suspicions) {
    if (is_allowed(run, suspicion.kind)) continue;
    message += (message.empty() ? "" : ".\n  ") + suspicion.text();
    const std::string name(to_string(suspicion.kind));
    if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
  }
  if (message.empty()) return;
  throw InputError(message + ". If the input is correct, set run.allow: [" + names + "]");
}

std::vector<std::string> describe_suspicions(const RunInput& input) {
  std::vector<std::string> lines;
  for (const Suspicion& suspicion : input.suspicions)
    lines.push_back("suspicion " + std::string(to_string(suspicion.kind)) + ": " +
                    suspicion.text());
  return lines;
}

void note_suspicions(RunInput& input) {
  if (input.suspicions.empty()) return;
  Description list = Description::list(false);
  for (const std::string& line : describe_suspicions(input)) list.add(line);
  input.notes.set("suspicions", std::move(list));
}

void warn_of_suspicions(const RunSection& run, const RunInput& input) {
  if (run.on_suspicion != OnSuspicion::warn) return;
  for (const std::string& line : describe_suspicions(input)) warn(line);
}

namespace {

using Sizes = std::array<std::size_t, 3>;

/// Rows of the detector of a cone beam, each views x elements along u: some of them, since the file
/// has the views last. Changes \p sizes from v x u x views to those of the result.
std::vector<double> rows_of_cone_beam(const std::vector<double>& data, Sizes& sizes) {
  const auto [v, u, views] = sizes;
  const std::size_t rows = std::min<std::size_t>(v, 9);
  std::vector<double> result;
  for (std::size_t i = 0; i < rows; ++i) {
    const double* const begin = data.data() + i * v / rows * u * views;
    const auto row = to_scan_order(std::vector<double>(begin, begin + u * views), {u, views},
                                   {ScanAxis::detectors, ScanAxis::views});
    result.insert(result.end(), row.begin(), row.end());
  }
  sizes = {rows, views, u};
  return result;
}

}  // namespace

void suspect_rhs(const std::filesystem::path& file, const RunSection& run, RunInput& input) {
  if (grids_of(input.rows).crystals > 0) return;
  const bool is_polar = traits_of(input.rows).is_polar;
  std::vector<Ordinal> shape{input.slices, input.views, input.detectors};
  if (is_polar) shape = data_shape(input.rows, num_rows(input.rows));
  Sizes sizes;
  std::copy_n(shape.begin(), sizes.size(), sizes.begin());
  std::vector<double> some;
  if (is_polar) some = rows_of_cone_beam(input.data, sizes);
  auto suspicion =
      suspect_counts(is_polar ? some : input.data, sizes[0], sizes[1], sizes[2], file.string());
  if (!suspicion) return;
  suspicion->place = "problem.rhs";
  suspicion->remedy = "give line integrals, -log((counts - dark) / (flat - dark))";
  refuse_suspicions(run, {*suspicion});
  input.suspicions.push_back(std::move(*suspicion));
  note_suspicions(input);
}

std::vector<std::string> describe_unusual_input(const InputUse& use, const RunInput& input) {
  const auto* const rows = scan_of(input.rows);
  if (rows == nullptr) return {};
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  // Counts have no usual size, and transmissions are bounded.
  if (!input.has_flat_fields && !use.needs.likelihood)
    add(describe_outliers(input.data, static_cast<std::size_t>(rows->num_rows())));
  // A filtered back projection has a rule of its own.
  if (!use.needs.filters && !use.starts_filtered) add(describe_short_fan(rows->scan));
  return lines;
}

namespace {

/// Adds a suspicion for views that are like the dark field. Ignores views that the mask of rays
/// excludes.
void suspect_views_without_signal(Ordinal first_slice, RunInput& input) {
  constexpr std::size_t most_named = 8;
  const auto all = static_cast<std::size_t>(input.views);
  const auto detectors = static_cast<std::size_t>(input.detectors);
  const std::vector<char>& mask = input.masks.rows;
  const auto is_used = [&](std::size_t view) {
    const auto begin = mask.begin() + static_cast<std::ptrdiff_t>(view * detectors);
    return mask.empty() || std::any_of(begin, begin + static_cast<std::ptrdiff_t>(detectors),
                                       [](char kept) { return kept != 0; });
  };
  // One slice is enough for a message.
  for (std::size_t first = 0; first + all <= input.without_signal.size(); first += all) {
    std::vector<std::size_t> views;
    std::size_t count = 0;
    for (std::size_t view = 0; view < all; ++view)
      if (input.without_signal[first + view] != 0 && is_used(view) && ++count <= most_named)
        views.push_back(view);
    if (auto suspicion = suspect_dark_views(views, count, all,
                                            static_cast<std::size_t>(first_slice) + first / all)) {
      input.suspicions.push_back(std::move(*suspicion));
      return;
    }
  }
}

}  // namespace

void settle_missing_data(Ordinal first_slice, NegativeData negative, RunInput& input) {
  suspect_views_without_signal(first_slice, input);
  const std::vector<char>& dead = input.dead_elements;
  const std::size_t rays =
      static_cast<std::size_t>(input.views) * static_cast<std::size_t>(input.detectors);
  const auto slices = static_cast<std::size_t>(input.slices);
  const auto detectors = static_cast<std::size_t>(input.detectors);
  std::vector<char>& mask = input.masks.rows;
  const auto is_kept = [&](std::size_t ray) { return mask.empty() || mask[ray] != 0; };
  std::vector<std::size_t> missing(rays, 0);     // number of slices without a value, for each ray
  std::vector<std::size_t> measured(slices, 0);  // number of measured rays, for each slice
  std::size_t without_beam = 0, not_a_number = 0;
  std::size_t raised = 0, with_signal = 0;  // transmissions in views unlike the dark field
  // Raised values have the largest line integral that there is.
  double largest = 0;
  for (const double value : input.data) largest = std::max(largest, value);
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    const std::size_t slice = i / rays, ray = i % rays;
    if (!is_kept(ray)) continue;
    if (!std::isnan(input.data[i])) {
      ++measured[slice];
      if (!input.without_signal.empty() && input.without_signal[i / detectors] != 0) continue;
      ++with_signal;
      if (input.data[i] == largest) ++raised;
      continue;
    }
    ++missing[ray];
    const bool is_dead = !dead.empty() && dead[slice * detectors + ray % detectors] != 0;
    ++(is_dead ? without_beam : not_a_number);
  }
  if (input.clamped > 0 && negative != NegativeData::clamp)
    input.suspect(suspect_clamped(raised, with_signal));
  const std::size_t all_missing = without_beam + not_a_number;
  if (all_missing == 0) return clear_masked_data(input);
  // All slabs share one matrix, so their rays stay in it.
  const bool is_slab = input.all_slices > 0;
  const auto taken_out =
      is_slab ? 0 : static_cast<std::size_t>(std::count(missing.begin(), missing.end(), slices));
  const auto kept = static_cast<std::size_t>(count_kept(mask, static_cast<Ordinal>(rays)));
  if (taken_out == kept && !is_slab)
    throw InputError("problem.sinogram: no ray has a measurement: " + std::to_string(without_beam) +
                     " values have no open beam, " + std::to_string(not_a_number) + " are NaN");
  if (const auto empty = std::find(measured.begin(), measured.end(), 0U); empty != measured.end())
    throw InputError(
        "problem.slices: no ray of slice " +
        std::to_string(empty - measured.begin() + input.slab_begin) + " of " +
        std::to_string(is_slab ? static_cast<std::size_t>(input.all_slices) : slices) +
        " (counted from 0 among the reconstructed slices) has a measurement; leave out this slice");
  input.suspect(suspect_missing_data(without_beam, not_a_number, kept * slices));
  if (mask.empty() && taken_out > 0) mask.assign(rays, 1);
  for (std::size_t ray = 0; ray < rays; ++ray)
    if (missing[ray] == slices && !is_slab) mask[ray] = 0;
  input.missing_rays = taken_out;
  input.missing_values = all_missing - taken_out * slices;
  Description note = describe_map({{"without_beam", without_beam},
                                   {"not_a_number", not_a_number},
                                   {"rays_taken_out", taken_out}},
                                  true);
  if (input.stack) note.set("values_left_out", input.missing_values);
  input.notes.set("missing", std::move(note));
  clear_masked_data(input);
}

}  // namespace Tomokkos
