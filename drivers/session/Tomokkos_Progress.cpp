// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Progress.hpp>
#include <algorithm>
#include <cstdio>

namespace Tomokkos {

std::string describe_seconds(double seconds) {
  if (seconds < 10) return Impl::formatted("%.2g s", seconds);
  if (seconds < 60) return Impl::formatted("%.0f s", seconds);
  const auto whole = static_cast<long>(seconds), minutes = static_cast<long>(seconds / 60);
  if (seconds < 3600) return Impl::formatted("%ld min %02ld s", whole / 60, whole % 60);
  return Impl::formatted("%ld h %02ld min", minutes / 60, minutes % 60);
}

Progress::Progress(bool quiet) : quiet_(quiet), terminal_(isatty(STDOUT_FILENO) == 1) {}

void Progress::message(const std::string& text) {
  if (quiet_) return;
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void Progress::announce(const std::string& phase, double nonzeros) {
  constexpr double long_phase = 2e7;
  if (nonzeros < long_phase) return;
  message(phase + Impl::formatted(" (about %.2g nonzeros) ...", nonzeros));
}

void Progress::announce_reading(const std::filesystem::path& file) {
  constexpr double large = 2e8;  // bytes
  std::error_code error;
  const auto bytes = file.empty() ? 0 : std::filesystem::file_size(file, error);
  if (error || static_cast<double>(bytes) < large) return;
  message("reading " + file.string() +
          Impl::formatted(" (%.2g GB) ...", 1e-9 * static_cast<double>(bytes)));
}

void Progress::begin(const std::string& name, int total, int done) {
  name_ = name;
  total_ = total;
  first_ = done;
  shown_ = -1;
  last_line_.clear();
  begin_ = last_shown_ = Clock::now();
}

std::string Progress::line(int done, const std::string& detail) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  std::string result = name_ + " ";
  if (terminal_) {
    constexpr int width = 24;
    const int full =
        total_ > 0 ? static_cast<int>(static_cast<long>(width) * done / total_) : width;
    result.append("[").append(static_cast<std::size_t>(full), '#');
    result.append(static_cast<std::size_t>(width - full), '.').append("] ");
  }
  result += std::to_string(done) + "/" + std::to_string(total_);
  if (const int steps = done - first_; steps > 0 && seconds > 0) {
    result += Impl::formatted(", %.3g/s", steps / seconds);
    if (done < total_)
      result.append(", ")
          .append(describe_seconds(seconds / steps * (total_ - done)))
          .append(" left");
  }
  return result + detail;
}

void Progress::update(int done, const std::string& detail) {
  if (quiet_) return;
  const auto now = Clock::now();
  if (terminal_) {
    // Update at most ten times a second.
    last_line_ = line(done, detail);
    if (shown_ >= 0 && done < total_ && now - last_shown_ < std::chrono::milliseconds(100)) return;
    std::printf("\r%s\033[K", last_line_.c_str());
    last_line_.clear();
  } else {
    // Print about every tenth step, including the first and the last.
    const long tenth = total_ > 0 ? 10L * done / total_ : 10;
    const long shown_tenth = total_ > 0 ? 10L * std::max(shown_, 0) / total_ : 0;
    if (shown_ >= 0 && tenth == shown_tenth) return;
    std::printf("%s\n", line(done, detail).c_str());
  }
  std::fflush(stdout);
  shown_ = done;
  last_shown_ = now;
}

void Progress::end() {
  if (quiet_ || !terminal_ || shown_ < 0) return;
  if (!last_line_.empty()) std::printf("\r%s\033[K", last_line_.c_str());
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace Tomokkos
