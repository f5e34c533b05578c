// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <Tomokkos_CompareCase.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace Tomokkos {
namespace {

std::string last_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line, last;
  while (std::getline(stream, line))
    if (!line.empty()) last = line;
  const std::string prefix = "tomokkos: error: ";
  return last.starts_with(prefix) ? last.substr(prefix.size()) : last;
}

/// Runs this program with \p arguments in place of this process. It ends with its parent.
[[noreturn]] void become_program(std::vector<std::string> arguments, const std::string& log,
                                 pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);
  const int out = open(log.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (out >= 0) {
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
  }
  arguments.insert(arguments.begin(), "tomokkos");
  std::vector<char*> pointers;
  for (std::string& word : arguments) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv("/proc/self/exe", pointers.data());
  _exit(127);
}

/// Starts the program and waits for it. If \p parent is killed meanwhile, ends the program and
/// removes \p folder, since nobody else is left to do so. Ends as the program does.
[[noreturn]] void watch_program(const std::vector<std::string>& arguments,
                                const std::filesystem::path& folder, pid_t parent) {
  const std::string log = (folder / "log").string();
  const pid_t self = getpid(), child = fork();
  if (child == 0) become_program(arguments, log, self);
  int status = 127 << 8;
  while (child > 0 && waitpid(child, &status, WNOHANG) != child) {
    if (getppid() != parent) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      std::error_code ignored;
      std::filesystem::remove_all(folder, ignored);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  if (WIFSIGNALED(status)) {
    std::signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
  }
  _exit(WEXITSTATUS(status));
}

/// Runs this program with \p arguments, without its output.
///
/// \throws Interrupted once a signal has been received; the other process has ended then.
CaseOutcome run_program(const std::vector<std::string>& arguments,
                        const std::filesystem::path& folder) {
  std::fflush(nullptr);
  const pid_t self = getpid(), child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) watch_program(arguments, folder, self);
  int status = 0;
  for (pid_t ended = 0; ended != child; ended = waitpid(child, &status, WNOHANG)) {
    if (ended < 0 && errno != EINTR)
      throw Error(std::string("lost a process: ") + std::strerror(errno));
    // Nobody reads the results of an interrupted case.
    if (InterruptGuard::requested()) kill(child, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  InterruptGuard::check();
  if (WIFSIGNALED(status))
    return {exit_by_signal(WTERMSIG(status)),
            "ended by signal " + std::to_string(WTERMSIG(status)),
            {}};
  return {WEXITSTATUS(status), last_line(folder / "log"), {}};
}

}  // namespace

TemporaryFolder make_temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "tomokkos-compare-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw OutputError("cannot make a folder in " + std::filesystem::temp_directory_path().string() +
                      ": " + std::strerror(errno));
  return {new std::filesystem::path(name), [](const std::filesystem::path* path) {
            std::error_code ignored;
            std::filesystem::remove_all(*path, ignored);
            delete path;
          }};
}

CaseOutcome run_case(const ConfigNode& configuration, bool measures_rounding) {
  const TemporaryFolder folder = make_temporary_folder();
  const std::filesystem::path config = *folder / "case.yaml", record = *folder / "record.yaml";
  std::ofstream(config) << to_yaml(configuration);
  std::vector<std::string> arguments{"compare", config.string(), "--record", record.string(),
                                     "--case"};
  if (!measures_rounding) arguments.push_back("--no-rounding");
  CaseOutcome outcome = run_program(arguments, *folder);
  // Names of temporary files mean nothing to the reader.
  if (outcome.message.starts_with(config.string()))
    outcome.message = outcome.message.substr(outcome.message.find(": ") + 2);
  if (outcome.status == exit_done) outcome.record = read_record(record);
  return outcome;
}

}  // namespace Tomokkos
