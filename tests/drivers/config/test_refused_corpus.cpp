// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hundreds of configurations that were valid until something was changed. The error must name the
// place of that change. `refused/cases.tsv` lists the cases with the position and key of the error,
// which must stay the same however configurations are read, and with words of its message.
#include <gtest/gtest.h>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

/// One line of `cases.tsv`.
struct Case {
  std::string base, operation;
  std::size_t line = 0;
  std::string text, place, key, words;

  std::string message() const {
    if (operation == "set")
      return Testing::refusal_of(Testing::configuration(base), Testing::list_of(text));
    auto lines = Testing::lines_of(Testing::config_tests / "refused" / (base + ".yaml"));
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(line);
    if (operation == "+")
      lines.insert(at, text);
    else
      *(at - 1) = text;
    return Testing::refusal_of(Testing::joined(lines), {});
  }
  /// \brief Beginning of the message: the place of the error, and the key.
  ///
  /// \p place is line:column in the file, or the number of a setting.
  std::string beginning() const {
    const bool in_file = place.find(':') != std::string::npos;
    return (in_file ? "f.yaml:" + place
                    : "--set " + Testing::list_of(text).at(std::stoul(place) - 1)) +
           ": " + (key.empty() ? "" : key + ": ");
  }
  std::string name() const { return base + ".yaml, line " + std::to_string(line) + ": " + text; }
};

std::vector<Case> cases() {
  std::vector<Case> result;
  for (const auto& fields : Testing::rows_of(Testing::config_tests / "refused/cases.tsv")) {
    EXPECT_TRUE(fields.size() == 6 || fields.size() == 7) << Testing::joined(fields);
    if (fields.size() >= 6)
      result.push_back({fields[0], fields[1], std::stoul(fields[2]), fields[3], fields[4],
                        fields[5], fields.size() == 7 ? fields[6] : ""});
  }
  return result;
}

TEST(RefusedCorpus, errors_name_their_place_and_key) {
  const auto all = cases();
  EXPECT_GE(all.size(), 1100u);
  for (const Case& refused : all) {
    const std::string message = refused.message(), beginning = refused.beginning();
    EXPECT_TRUE(message.starts_with(beginning))
        << refused.name() << "\nexpected " << beginning << "\nin: " << message;
    EXPECT_NE(message.find(refused.words, beginning.size()), std::string::npos)
        << refused.name() << "\nexpected " << refused.words << "\nin: " << message;
  }
}

TEST(RefusedCorpus, the_unchanged_configurations_are_valid) {
  for (const auto& entry : std::filesystem::directory_iterator(Testing::config_tests / "refused"))
    if (entry.path().extension() == ".yaml") {
      EXPECT_EQ(Testing::refusal_of(Testing::joined(Testing::lines_of(entry.path())), {}),
                "(accepted)")
          << entry.path();
    }
}

}  // namespace
