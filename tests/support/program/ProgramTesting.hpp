// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program in a separate process.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Tomokkos_YamlFile.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace Tomokkos::Testing {

/// \brief Exit status and output of a process.
struct ProgramResult {
  int status = -1;  ///< exit status; 128 + signal if a signal ended the process
  std::string out;
  std::string error;
};

/// \brief Settings for the start of the program.
struct ProgramOptions {
  std::filesystem::path directory;    ///< working directory; empty: that of the test
  std::vector<std::string> launcher;  ///< command and arguments in front of the program, which is
                                      ///< given with its full path
  std::function<void()> in_child;  ///< called in the child process before the program starts, for
                                   ///< example to set limits
  std::string interrupt_after;  ///< text in the output after which the signal is sent; empty: none
  std::function<bool()>
      interrupt_when;             ///< alternatively, condition under which the signal is sent
  int interrupt_signal = SIGINT;  ///< signal to send
  int terminal = -1;              ///< file descriptor of a terminal for standard output; -1: none
};

/// \brief Returns options with a limit for \p resource of the process, for example `RLIMIT_AS`.
inline ProgramOptions limited(decltype(RLIMIT_AS) resource, rlim_t most) {
  ProgramOptions options;
  options.in_child = [resource, most] {
    const rlimit limit{most, most};
    setrlimit(resource, &limit);
  };
  return options;
}

/// \brief Returns options with a command and arguments in front of the program.
inline ProgramOptions launched(const std::vector<std::string>& launcher) {
  ProgramOptions options;
  options.launcher = launcher;
  return options;
}

inline ProgramResult run_program(std::vector<std::string> arguments,
                                 const ProgramOptions& options = {}) {
  int out[2];
  int error[2];
  EXPECT_EQ(pipe(out), 0);
  EXPECT_EQ(pipe(error), 0);
  arguments.insert(arguments.begin(), TOMOKKOS_PROGRAM);
  arguments.insert(arguments.begin(), options.launcher.begin(), options.launcher.end());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    dup2(options.terminal >= 0 ? options.terminal : out[1], STDOUT_FILENO);
    dup2(error[1], STDERR_FILENO);
    for (const int descriptor : {out[0], out[1], error[0], error[1]}) close(descriptor);
    // The tests may run with ignored signals, for example in the background of a script.
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGXCPU, SIGPIPE})
      std::signal(signal, SIG_DFL);
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) _exit(126);
    if (options.in_child) options.in_child();
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(out[1]);
  close(error[1]);
  ProgramResult result;
  bool interrupted = options.interrupt_after.empty() && !options.interrupt_when;
  const auto interrupt = [&] {
    interrupted = true;
    kill(child, options.interrupt_signal);
  };
  pollfd streams[2] = {{out[0], POLLIN, 0}, {error[0], POLLIN, 0}};
  for (int open = 2; open > 0;) {
    const bool watching = options.interrupt_when && !interrupted;
    const int ready = poll(streams, 2, watching ? 1 : 120000);
    if (watching && options.interrupt_when()) interrupt();
    if (watching && ready == 0) continue;
    if (ready <= 0) {
      ADD_FAILURE() << "the program says nothing for two minutes";
      kill(child, SIGKILL);
      break;
    }
    for (int i = 0; i < 2; ++i) {
      if (streams[i].fd < 0 || streams[i].revents == 0) continue;
      char buffer[4096];
      const ssize_t count = read(streams[i].fd, buffer, sizeof buffer);
      if (count <= 0) {
        streams[i].fd = -1;
        --open;
        continue;
      }
      (i == 0 ? result.out : result.error).append(buffer, static_cast<std::size_t>(count));
      if (!interrupted && !options.interrupt_after.empty() &&
          result.out.find(options.interrupt_after) != std::string::npos)
        interrupt();
    }
  }
  close(out[0]);
  close(error[0]);
  int status = 0;
  waitpid(child, &status, 0);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  for (const char* name : {"Tomokkos::", "Impl::", "Kokkos::", "std::"})
    EXPECT_EQ(result.error.find(name), std::string::npos) << "names code: " << result.error;
  return result;
}

/// \brief Temporary folder whose paths are strings, for arguments of programs.
class RunFolder : public TemporaryFolder {
 public:
  RunFolder() {}  // a constant object needs no initializer
  /// \brief Writes the configuration `c.yaml` to the new folder.
  explicit RunFolder(const std::string& config) { write_bytes(path() / "c.yaml", config); }
  std::string operator/(const std::string& name) const { return (path() / name).string(); }
  bool has(const std::string& name) const { return std::filesystem::exists(path() / name); }
};

/// \brief Returns the text at a key path of a report, or "(none)".
inline std::string entry(const std::filesystem::path& report, const std::string& path) {
  const ConfigNode root = read_yaml_file(report);
  const ConfigNode* node = &root;
  std::istringstream keys(path);
  for (std::string key; std::getline(keys, key, '.');) {
    node = node->is_map() ? node->find(key) : nullptr;
    if (!node) return "(none)";
  }
  return node->is_scalar() ? node->scalar() : to_yaml(*node);
}

/// \brief Returns true if the program of the benchmarks was built.
inline bool has_bench() {
#if defined(TOMOKKOS_TEST_BENCH)
  return true;
#else
  return false;
#endif
}

inline std::filesystem::path config_file(const std::string& name) {
  return project_root() / "configs" / name;
}

// Small run that takes a moment.
inline constexpr const char* small_config = R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 18, detectors: 32}
  phantom: shepp_logan
solver: {type: sirt, iterations: 5}
)";

/// \brief Square image with a scan, both with the symmetries of the square.
inline const std::string square_config = R"(
run: { scalar: double }
problem:
  type: tomography
  volume: { size: [24, 24] }
  geometry: { type: parallel_beam, views: 16, detectors: 36 }
  phantom: shepp_logan
solver: { type: sirt, iterations: 8 }
output: { directory: out, image: [npy] }
)";

/// \brief Appends `--set` and each of \p settings to \p arguments.
inline std::vector<std::string> with_settings(std::vector<std::string> arguments,
                                              const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
  return arguments;
}

/// \brief Returns the arguments of a run of `c.yaml` in \p folder into its folder \p output.
inline std::vector<std::string> run_of(const RunFolder& folder, const std::string& output,
                                       const std::vector<std::string>& settings = {}) {
  return with_settings({"run", folder / "c.yaml", "--output", folder / output}, settings);
}

/// \brief Runs the program and expects \p status, and an error output that contains \p parts.
inline ProgramResult expect_failure(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& parts, int status = 2,
                                    const ProgramOptions& options = {}) {
  ProgramResult result = run_program(arguments, options);
  EXPECT_EQ(result.status, status)
      << ::testing::PrintToString(arguments) << ": " << result.error << result.out;
  for (const std::string& part : parts)
    EXPECT_CONTAINS(result.error, part) << "'" << part << "' is not in the errors of "
                                        << ::testing::PrintToString(arguments) << ": ";
  return result;
}

/// \brief Expects that a run of `c.yaml` is refused and writes nothing; returns its error output.
inline std::string refusal(const RunFolder& folder, const std::vector<std::string>& settings,
                           const std::vector<std::string>& parts = {}) {
  const ProgramResult result = expect_failure(run_of(folder, "refused", settings), parts);
  EXPECT_FALSE(folder.has("refused"));
  return result.error;
}

/// \brief Runs the program and expects success.
inline ProgramResult run_well(const std::vector<std::string>& arguments,
                              const ProgramOptions& options = {}) {
  return expect_failure(arguments, {}, 0, options);
}

/// \brief Runs `c.yaml` as `run_of` describes, and expects success.
inline ProgramResult run_well(const RunFolder& folder, const std::string& output,
                              const std::vector<std::string>& settings = {},
                              const ProgramOptions& options = {}) {
  return run_well(run_of(folder, output, settings), options);
}

/// \brief Returns the text at a key path of the report of a run into \p output, or "(none)".
inline std::string reported(const RunFolder& folder, const std::string& output,
                            const std::string& path) {
  return entry(folder / (output + "/report.yaml"), path);
}

/// \brief Returns the number at a key path of the report of a run into \p output.
inline double number(const RunFolder& folder, const std::string& output, const std::string& path) {
  return std::stod(reported(folder, output, path));
}

/// \brief Expects that the runs into the folders \p a and \p b wrote the same bytes to \p file.
inline void expect_same_file(const RunFolder& folder, const std::string& a, const std::string& b,
                             const std::string& file = "reconstruction.npy") {
  EXPECT_EQ(read_bytes(folder / (a + "/" + file)), read_bytes(folder / (b + "/" + file)))
      << file << " of " << a << " and " << b;
}

}  // namespace Tomokkos::Testing
