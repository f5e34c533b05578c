// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace Tomokkos {

/// \brief Prints the progress of a run to standard output: a bar with rate and remaining time on a
/// terminal, about ten plain lines in a log, nothing if quiet.
class Progress {
 public:
  explicit Progress(bool quiet);

  bool is_quiet() const { return quiet_; }

  /// \brief Prints a message on a separate line.
  void message(const std::string& text);
  /// \brief Prints that \p phase begins if about \p nonzeros entries make it a long phase.
  void announce(const std::string& phase, double nonzeros);
  /// \brief Prints that \p file is being read if it is large. An empty path means no file.
  void announce_reading(const std::filesystem::path& file);

  /// \brief Begins a loop of \p total steps called \p name, with \p done steps already finished.
  void begin(const std::string& name, int total, int done = 0);
  /// \brief Shows that \p done steps are finished, followed by \p detail.
  void update(int done, const std::string& detail);
  /// \brief Ends the loop. The last state stays visible.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(int done, const std::string& detail) const;

  bool quiet_;
  bool terminal_;
  std::string name_;
  int total_ = 0;
  int first_ = 0;
  int shown_ = -1;
  std::string last_line_;
  Clock::time_point begin_;
  Clock::time_point last_shown_;
};

/// \brief Formats \p seconds: `0.42 s`, `3 min 20 s`.
std::string describe_seconds(double seconds);

}  // namespace Tomokkos
