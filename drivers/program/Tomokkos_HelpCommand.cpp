// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <CLI/CLI.hpp>
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Commands.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>

namespace Tomokkos {

namespace {

struct HelpArguments {
  std::string topic;
  std::string pages;
};

// Known by its title: "# `run`: ..." or that of the list of pages.
const OutputKind page_output{"a reference page of this program",
                             [](const std::filesystem::path& file) {
                               const std::string head = Impl::first_bytes(file, 256);
                               return head.starts_with(file.filename() == "README.md"
                                                           ? "# Reference of the configuration\n"
                                                           : "# `" + file.stem().string() + "`: ");
                             }};

int help(const HelpArguments& arguments) {
  if (arguments.pages.empty()) {
    std::fputs(help_text(arguments.topic).c_str(), stdout);
    return exit_done;
  }
  std::error_code error;
  std::filesystem::create_directories(arguments.pages, error);
  if (error)
    throw OutputError("--pages: the folder " + arguments.pages +
                      " cannot be created: " + error.message());
  const std::filesystem::path folder = arguments.pages;
  const auto pages = reference_pages();
  for (const auto& [name, text] : pages) AtomicFile::probe(folder / name, page_output);
  for (const auto& [name, text] : pages) {
    AtomicFile file(folder / name, page_output);
    file.write(text.data(), text.size());
    file.commit();
  }
  return exit_done;
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_status) {
  auto arguments = std::make_shared<HelpArguments>();
  CLI::App* command = app.add_subcommand("help", "Explain the keys of a configuration");
  command->add_option(
      "topic", arguments->topic,
      "Key (solver.stop.residual), section (solver), or kind of a section (solver.type=pcg)");
  command->add_option("--pages", arguments->pages,
                      "Write the reference pages (Markdown) to this folder instead");
  command->callback(
      [arguments, &exit_status] { exit_status = guarded([&] { return help(*arguments); }); });
}

}  // namespace Tomokkos
