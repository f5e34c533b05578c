// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <string>

namespace Tomokkos {

/// \brief Tells a person how far a run is, on the standard output: a bar with rate and time left on
/// a terminal, about ten plain lines in a log, nothing when quiet.
class Progress {
 public:
  explicit Progress(bool quiet);

  bool is_quiet() const { return quiet_; }

  /// \brief A line of its own.
  void message(const std::string& text);

  /// \brief Begins a loop of \p total steps called \p name, of which \p done are done already.
  void begin(const std::string& name, int total, int done = 0);
  /// \brief \p done steps are done; \p detail is shown behind.
  void update(int done, const std::string& detail);
  /// \brief Ends the loop: the last state stays visible.
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

/// \brief \p seconds for a person: `0.42 s`, `3 min 20 s`.
std::string describe_seconds(double seconds);

}  // namespace Tomokkos
