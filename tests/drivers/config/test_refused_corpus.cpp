// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hundreds of configurations that were valid until one line was changed. The error must name the
// place of that change. `refused/cases.tsv` lists the cases with the line, column and key of the
// error, which must stay the same however configurations are read.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "ConfigTesting.hpp"
#include "ProjectRoot.hpp"

namespace {

using namespace Tomokkos;

const std::filesystem::path folder = Testing::project_root() / "tests/drivers/config/refused";

std::vector<std::string> lines_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  if (line.ends_with('\t')) fields.emplace_back();
  return fields;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// One line of `cases.tsv`.
struct Case {
  std::string base, operation;
  std::size_t line = 0;
  std::string text, place, key;

  std::string configuration() const {
    auto lines = lines_of(folder / (base + ".yaml"));
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(line);
    if (operation == "+")
      lines.insert(at, text);
    else
      *(at - 1) = text;
    return joined(lines);
  }
  std::string name() const { return base + ".yaml, line " + std::to_string(line) + ": " + text; }
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const std::string& line : lines_of(folder / "cases.tsv")) {
    if (line.starts_with('#')) continue;
    const auto fields = fields_of(line);
    EXPECT_EQ(fields.size(), 6u) << line;
    if (fields.size() == 6)
      result.push_back(
          {fields[0], fields[1], std::stoul(fields[2]), fields[3], fields[4], fields[5]});
  }
  return result;
}

TEST(RefusedCorpus, errors_name_their_place_and_key) {
  const auto all = cases();
  EXPECT_GE(all.size(), 300u);
  for (const Case& refused : all) {
    const std::string message = Testing::refusal_of(refused.configuration(), {});
    const std::string place =
        "f.yaml:" + refused.place + ": " + (refused.key.empty() ? "" : refused.key + ": ");
    EXPECT_TRUE(message.starts_with(place))
        << refused.name() << "\nexpected " << place << "\nin: " << message;
  }
}

TEST(RefusedCorpus, the_unchanged_configurations_are_valid) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".yaml") {
      EXPECT_EQ(Testing::refusal_of(joined(lines_of(entry.path())), {}), "(accepted)")
          << entry.path();
    }
}

}  // namespace
