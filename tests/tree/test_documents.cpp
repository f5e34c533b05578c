// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of code in the documents that are copies from a file of the project. A comment in the line
// before the block names the file:
//
//   <!-- examples/own_matrix/main.cpp -->
//   ```cpp
//
// The file must contain the block unchanged, apart from a common indentation.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "ProjectRoot.hpp"

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Complaints = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t") == std::string::npos;
}

/// Removes the indentation that all lines share. Blank lines become empty.
Lines without_indentation(Lines lines) {
  std::size_t shared = std::string::npos;
  for (const std::string& line : lines)
    if (!is_blank(line)) shared = std::min(shared, line.find_first_not_of(' '));
  for (std::string& line : lines) line = is_blank(line) ? "" : line.substr(shared);
  return lines;
}

/// Returns true if `block` is a sequence of lines of `source`, apart from the indentation.
bool contains(const Lines& source, const Lines& block) {
  const Lines wanted = without_indentation(block);
  for (std::size_t first = 0; first + block.size() <= source.size(); ++first) {
    const auto begin = source.begin() + static_cast<std::ptrdiff_t>(first);
    if (without_indentation({begin, begin + static_cast<std::ptrdiff_t>(block.size())}) == wanted)
      return true;
  }
  return false;
}

/// Checks the blocks of one document.
///
/// \param read returns the text of a file of the project, or an empty text if it does not exist
/// \param count increased by the number of blocks
template <class Read>
Complaints complaints_about(const std::string& name, const std::string& text, const Read& read,
                            int& count) {
  static const std::regex comment(R"(\s*<!-- ([\w./-]+\.(?:cpp|hpp|txt|yaml|sh)) -->\s*)");
  Complaints complaints;
  const Lines lines = lines_of(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_match(lines[i], match, comment)) continue;
    const std::string file = match[1].str();
    const std::string where = name + ":" + std::to_string(i + 1) + ": ";
    ++count;
    std::size_t end = i + 2;
    const auto is_fence = [&](std::size_t at) {
      return at < lines.size() && lines[at].rfind("```", lines[at].find_first_not_of(' ')) == 0;
    };
    if (!is_fence(i + 1)) {
      complaints.push_back(where + "no block of code follows the name of a file");
      continue;
    }
    while (end < lines.size() && !is_fence(end)) ++end;
    const Lines block(lines.begin() + static_cast<std::ptrdiff_t>(i) + 2,
                      lines.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string source = read(file);
    if (source.empty())
      complaints.push_back(where + "there is no file " + file);
    else if (block.empty() || !contains(lines_of(source), block))
      complaints.push_back(where + "the block is not a part of " + file);
  }
  return complaints;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Complaints complaints_about(const std::string& block) {
  const auto read = [](const std::string& file) -> std::string {
    return file == "examples/a.cpp" ? "int main() {\n  first();\n\n    second();\n}\n" : "";
  };
  int count = 0;
  Complaints complaints = complaints_about("page.md", "Text.\n\n" + block, read, count);
  EXPECT_EQ(count, 1);
  return complaints;
}

void expect_complaint(const std::string& block, const std::string& expected) {
  const Complaints complaints = complaints_about(block);
  ASSERT_EQ(complaints.size(), 1u) << block;
  EXPECT_EQ(complaints.front(), expected);
}

TEST(Documents, a_block_must_occur_in_the_file_that_it_names) {
  const std::string name = "<!-- examples/a.cpp -->\n";
  EXPECT_TRUE(complaints_about(name + "```cpp\n  first();\n\n    second();\n```\n").empty());
  EXPECT_TRUE(complaints_about(name + "```cpp\nfirst();\n\n  second();\n```\n").empty());
  const std::string wrong = "page.md:3: the block is not a part of examples/a.cpp";
  expect_complaint(name + "```cpp\nfirst();\n\n  third();\n```\n", wrong);
  expect_complaint(name + "```cpp\nfirst();\n  second();\n```\n", wrong);
  expect_complaint(name + "```cpp\nfirst();\n\nsecond();\n```\n", wrong);
  expect_complaint(name + "```cpp\n```\n", wrong);
  expect_complaint("<!-- examples/b.cpp -->\n```cpp\nfirst();\n```\n",
                   "page.md:3: there is no file examples/b.cpp");
  expect_complaint(name + "\n```cpp\nfirst();\n```\n",
                   "page.md:3: no block of code follows the name of a file");
}

TEST(Documents, blocks_of_code_occur_in_their_files) {
  const fs::path root = Tomokkos::Testing::project_root();
  const auto read = [&](const std::string& file) { return text_of(root / file); };
  std::vector<fs::path> pages{root / "README.md", root / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root / "docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  int count = 0;
  for (const fs::path& page : pages)
    for (const std::string& complaint :
         complaints_about(fs::relative(page, root).generic_string(), text_of(page), read, count))
      ADD_FAILURE() << complaint;
  EXPECT_GE(count, 10);
}

}  // namespace
