// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_NumberText.hpp>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace Tomokkos {

namespace {

/// True if \p name matches \p pattern, in which each `*` stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == name;
  if (name.substr(0, star) != pattern.substr(0, star)) return false;
  pattern.remove_prefix(star + 1);
  for (std::size_t at = star; at <= name.size(); ++at)
    if (matches(pattern, name.substr(at))) return true;
  return false;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Text of a difference of decimals, without its rounding errors.
std::string step_text(double step) {
  constexpr double places = 1e6;
  return Impl::number_text(std::abs(step) < places ? std::round(step * places) / places : step);
}

struct Number {
  std::string whole, fraction;
  bool is_negative = false;

  double value() const {
    const double size = std::strtod((whole + "." + fraction).c_str(), nullptr);
    return is_negative ? -size : size;
  }
};

/// Name of a file: texts[0] numbers[0] texts[1] ... numbers[n - 1] texts[n].
struct Name {
  std::filesystem::path file;
  std::vector<std::string> texts;
  std::vector<Number> numbers;

  std::string text() const { return file.filename().string(); }
  /// Name without its numbers.
  std::string pattern() const {
    std::string result = texts.front();
    for (std::size_t i = 1; i < texts.size(); ++i) result.append("\n").append(texts[i]);
    return result;
  }
};

Name parse(std::filesystem::path file) {
  Name name{std::move(file), {""}, {}};
  const std::string text = name.text();
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  while (at < text.size()) {
    if (!is_digit(text[at])) {
      name.texts.back() += text[at++];
      continue;
    }
    Number number;
    number.whole = digits();
    if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
      ++at;
      number.fraction = digits();
    }
    name.numbers.push_back(std::move(number));
    name.texts.emplace_back();
  }
  return name;
}

/// Splits numbers whose points only separate: decimals have as many places as all others, or no
/// zeros at their end.
void split_at_points(std::vector<Name>& names) {
  std::map<std::size_t, std::set<std::size_t>> lengths;
  std::set<std::size_t> with_zeros;
  for (const Name& name : names)
    for (std::size_t i = 0; i < name.numbers.size(); ++i) {
      const std::string& fraction = name.numbers[i].fraction;
      if (fraction.empty()) continue;
      lengths[i].insert(fraction.size());
      if (fraction.size() > 1 && fraction.back() == '0') with_zeros.insert(i);
    }
  for (Name& name : names)
    for (std::size_t i = name.numbers.size(); i-- > 0;) {
      if (name.numbers[i].fraction.empty() || with_zeros.count(i) == 0 || lengths[i].size() < 2)
        continue;
      const auto place = static_cast<std::ptrdiff_t>(i) + 1;
      name.texts.insert(name.texts.begin() + place, ".");
      name.numbers.insert(name.numbers.begin() + place,
                          Number{std::exchange(name.numbers[i].fraction, ""), ""});
    }
}

/// Moves signs from the texts to the numbers.
void take_signs(std::vector<Name>& names) {
  std::set<std::pair<std::size_t, std::string>> texts;
  for (const Name& name : names)
    for (std::size_t i = 0; i < name.numbers.size(); ++i) texts.emplace(i, name.texts[i]);
  for (Name& name : names)
    for (std::size_t i = 0; i < name.numbers.size(); ++i) {
      std::string& text = name.texts[i];
      if (text.empty() || (text.back() != '-' && text.back() != '+')) continue;
      const std::string before = text.substr(0, text.size() - 1);
      const bool is_sign = before.empty()
                               ? i == 0
                               : std::string_view("_=(").find(before.back()) != std::string::npos;
      if (!is_sign && (before.empty() || texts.count({i, before}) == 0)) continue;
      name.numbers[i].is_negative = text.back() == '-';
      text = before;
    }
}

bool is_before(const Name& a, const Name& b) {
  for (std::size_t i = 0; i < a.texts.size() && i < b.texts.size(); ++i) {
    if (a.texts[i] != b.texts[i]) return a.texts[i] < b.texts[i];
    if (i >= a.numbers.size() || i >= b.numbers.size()) {
      if (a.numbers.size() != b.numbers.size()) return a.numbers.size() < b.numbers.size();
      break;
    }
    const double left = a.numbers[i].value(), right = b.numbers[i].value();
    if (left != right) return left < right;
  }
  return a.text() < b.text();
}

/// Names of the most frequent pattern. Adds those of other patterns to the oddities.
std::vector<const Name*> names_of_main_pattern(const std::vector<Name>& names, FileSeries& series) {
  std::map<std::string, std::vector<const Name*>> groups;
  for (const Name& name : names) groups[name.pattern()].push_back(&name);
  const auto largest = std::max_element(
      groups.begin(), groups.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  std::vector<const Name*> main = largest->second;
  if (groups.size() == 1 || main.size() == 1) return main;
  const auto other = std::find_if(names.begin(), names.end(), [&](const Name& name) {
    return name.pattern() != largest->first;
  });
  const std::size_t others = names.size() - main.size();
  series.oddities.push_back(Impl::text("{} of {} names {} another pattern than {}: {}{}", others,
                                       names.size(), others == 1 ? "has" : "have",
                                       main.front()->text(), other->text(),
                                       others == 1 ? "" : " and others"));
  return main;
}

std::vector<double> values_at(const std::vector<const Name*>& names, std::size_t position) {
  std::vector<double> values;
  for (const Name* name : names) values.push_back(name->numbers[position].value());
  return values;
}

std::size_t places_at(const std::vector<const Name*>& names, std::size_t position) {
  std::size_t places = 0;
  for (const Name* name : names) places = std::max(places, name->numbers[position].fraction.size());
  return places;
}

/// Seconds since the first name, if all numbers are times of a clock: hhmmss, also after a date.
std::optional<std::vector<double>> clock_times(const std::vector<const Name*>& names,
                                               std::size_t position) {
  constexpr int day = 86400;
  std::vector<double> times;
  int before = 0;
  for (const Name* name : names) {
    const Number& number = name->numbers[position];
    const std::size_t length = number.whole.size();
    if ((length != 6 && length != 14) || !number.fraction.empty() || number.is_negative)
      return std::nullopt;
    const int clock = std::atoi(number.whole.c_str() + (length - 6));
    const int hours = clock / 10000, minutes = clock / 100 % 100, seconds = clock % 100;
    if (hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
    const int time = (hours * 60 + minutes) * 60 + seconds;
    // Names are sorted, so an earlier time is that of the next day.
    times.push_back(times.empty() ? 0 : times.back() + (time - before + day) % day);
    before = time;
  }
  return times;
}

/// True if \p values are an evenly spaced series that was rounded or cut to \p place.
bool is_rounded_series(const std::vector<double>& values, double place) {
  const double mean = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::abs(values[i] - (values.front() + static_cast<double>(i) * mean)) > 1.001 * place)
      return false;
  return true;
}

/// True if \p places, of more than two, have almost equal distances, as those where the rounding
/// of a series adds a step.
bool are_evenly_spread(const std::vector<std::size_t>& places) {
  if (places.size() < 3) return false;
  std::size_t shortest = places[1] - places[0], longest = shortest;
  for (std::size_t i = 2; i < places.size(); ++i) {
    shortest = std::min(shortest, places[i] - places[i - 1]);
    longest = std::max(longest, places[i] - places[i - 1]);
  }
  return longest - shortest <= 2;
}

/// Steps of the number at one position of the names.
struct Steps {
  Steps(const std::vector<const Name*>& names, std::size_t position)
      : Steps(values_at(names, position), places_at(names, position)) {
    if (is_regular) return;
    if (const auto times = clock_times(names, position)) *this = Steps(*times, 0);
  }
  Steps(const std::vector<double>& values, std::size_t places) {
    // Decimals are rounded to their last place. A double step is never rounded.
    const double place = std::pow(10.0, -static_cast<double>(places));
    const double rounding = places == 0 ? 0.0 : 1.01 * place;
    for (std::size_t i = 1; i < values.size(); ++i) steps.push_back(values[i] - values[i - 1]);
    varies = std::any_of(steps.begin(), steps.end(), [](double step) { return step != 0; });
    mean = (values.back() - values.front()) / static_cast<double>(steps.size());
    // The most frequent step; the smallest of several.
    std::vector<double> sorted = steps;
    std::sort(sorted.begin(), sorted.end());
    std::size_t most = 0;
    for (const double candidate : std::set<double>(sorted.begin(), sorted.end())) {
      const double near = std::min(rounding, 0.45 * std::abs(candidate));
      const auto begin = std::lower_bound(sorted.begin(), sorted.end(), candidate - near);
      const auto end = std::upper_bound(sorted.begin(), sorted.end(), candidate + near);
      const auto count = static_cast<std::size_t>(end - begin);
      if (count > most) most = count, typical = candidate, tolerance = near;
    }
    is_distinct = sorted.front() > 0;
    is_regular = is_distinct && most == steps.size();
    // A missing number doubles a step. Times and rounded angles vary less.
    std::vector<std::size_t> odd;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (std::abs(steps[i] - typical) > 0.25 * std::abs(typical) + tolerance) odd.push_back(i);
    const auto share = static_cast<double>(odd.size()) / static_cast<double>(steps.size());
    const bool are_multiples =
        tolerance == 0 && std::all_of(steps.begin(), steps.end(), [&](double step) {
          return typical > 0 && std::fmod(step, typical) == 0;
        });
    const bool are_few = odd.size() <= 2 && most + (are_multiples ? 1 : 0) > odd.size();
    has_gaps = gaps() > 0 && (are_few || share <= largest_share_of_gaps) &&
               !(are_evenly_spread(odd) && is_rounded_series(values, place));
  }
  bool is_gap(std::size_t i) const {
    return !(steps[i] > 0.5 * typical - tolerance && steps[i] < 1.5 * typical + tolerance);
  }
  std::size_t gaps() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) count += is_gap(i) ? 1 : 0;
    return count;
  }

  /// Largest share of odd steps in a series that is regular otherwise.
  static constexpr double largest_share_of_gaps = 0.1;

  std::vector<double> steps;
  double tolerance = 0, mean = 0, typical = 0;
  bool varies = false, is_distinct = false, is_regular = false, has_gaps = false;
};

void examine_numbers(const std::vector<const Name*>& names, FileSeries& series) {
  if (names.size() < 2) return;
  std::vector<Steps> varying;
  for (std::size_t i = 0; i < names.front()->numbers.size(); ++i)
    if (Steps steps(names, i); steps.varies || names.front()->numbers.size() == 1)
      varying.push_back(std::move(steps));
  series.has_numbers = !varying.empty();
  for (const Steps& steps : varying)
    if (steps.is_regular) {
      // Decimals are rounded.
      series.step = steps.tolerance == 0 ? steps.typical : steps.mean;
      return;
    }
  const auto found = std::find_if(varying.begin(), varying.end(),
                                  [](const Steps& steps) { return steps.is_distinct; });
  // Several numbers that count in turn, run1_001 to run2_100, are one series each.
  if (varying.empty() || (found == varying.end() && varying.size() > 1)) return;
  const Steps& steps = found == varying.end() ? varying.front() : *found;
  if (!steps.has_gaps) return;
  std::size_t i = 0;
  while (!steps.is_gap(i)) ++i;
  series.oddities.push_back(Impl::text(
      "the numbers in the names have {}: {} follows {}, a step of {} where others are {}",
      steps.gaps() > 1 ? std::to_string(steps.gaps()) + " irregular steps" : "an irregular step",
      names[i + 1]->text(), names[i]->text(), step_text(steps.steps[i]), step_text(steps.typical)));
}

}  // namespace

std::string FileSeries::describe() const {
  if (files.empty()) return "0";
  std::string text = std::to_string(files.size()) + ", " + files.front().filename().string();
  if (files.size() == 1) return text;
  text += " to " + files.back().filename().string();
  if (step) return text + ", step " + step_text(*step);
  return text + (has_numbers ? ", irregular steps" : ", sorted by name");
}

FileSeries sorted_series(std::vector<std::filesystem::path> files) {
  FileSeries series;
  std::vector<Name> names;
  names.reserve(files.size());
  for (std::filesystem::path& file : files) names.push_back(parse(std::move(file)));
  split_at_points(names);
  take_signs(names);
  std::sort(names.begin(), names.end(), is_before);
  for (const Name& name : names) series.files.push_back(name.file);
  if (!names.empty()) examine_numbers(names_of_main_pattern(names, series), series);
  return series;
}

std::string lower_extension(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  for (char& c : extension)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return extension;
}

bool is_pattern(const std::filesystem::path& file) {
  return file.filename().string().find('*') != std::string::npos;
}

FileSeries matching_series(const std::filesystem::path& file) {
  if (!is_pattern(file)) return sorted_series({file});
  const std::string pattern = file.filename().string();
  std::vector<std::filesystem::path> files;
  std::error_code error;
  const std::filesystem::path folder = file.parent_path();
  for (const auto& entry :
       std::filesystem::directory_iterator(folder.empty() ? "." : folder, error))
    if (matches(pattern, entry.path().filename().string()))
      files.push_back(folder / entry.path().filename());
  if (files.empty())
    throw InputError(file.string() + ": no file of such a name exists" +
                     (error ? ": " + error.message() : ""));
  return sorted_series(std::move(files));
}

std::vector<std::filesystem::path> matching_files(const std::filesystem::path& file) {
  return matching_series(file).files;
}

}  // namespace Tomokkos
