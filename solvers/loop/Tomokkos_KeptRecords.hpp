// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_StopRules.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Chooses the records that stay in the history of a long solve, so that its memory is
/// bounded.
///
/// A history is complete up to `most` records. Beyond, it holds every n-th iterate, where n is a
/// power of two and grows with the number of iterations, and every m-th check. The start, the last
/// iterate, and the checks that rules compare (`StopRules::earlier_checks`) always stay. The choice
/// follows from the numbers of the iterates alone, and a record that is dropped would be dropped
/// later as well. Therefore a resumed solve has the history of one that was never interrupted.
class KeptRecords {
 public:
  /// Bound of the iterates, and of the checks, that a history holds.
  static constexpr int most = 2048;

  explicit KeptRecords(int check_every) : check_every_(check_every) {}

  /// \brief Returns the distance n of the iterates that stay in a history that ends at \p last.
  static int step(int last) {
    int step = 1;
    while (last / step >= most) step *= 2;
    return step;
  }

  /// \brief Returns true if the record of \p iteration stays in a history that ends at \p last.
  bool keeps(int iteration, int last) const {
    if (iteration == last || iteration % step(last) == 0) return true;
    if (iteration % check_every_ != 0) return false;
    const int check = iteration / check_every_, last_check = last / check_every_;
    return check == 1 || last_check - check <= StopRules::earlier_checks ||
           check % step(last_check) == 0;
  }

  /// \brief Removes the records that do not stay, except that of iterate \p best.
  void thin(std::vector<IterationRecord>& history, int best = 0) const {
    if (history.empty() || history.back().iteration < most) return;
    std::erase_if(history, [&, last = history.back().iteration](const IterationRecord& record) {
      return record.iteration != best && !keeps(record.iteration, last);
    });
  }

 private:
  int check_every_;
};

/// \brief Returns the position of the first record after iterate \p iteration. Cost: a step for
/// each such record.
inline std::vector<IterationRecord>::const_iterator first_after(
    const std::vector<IterationRecord>& history, int iteration) {
  auto found = history.end();
  while (found != history.begin() && (found - 1)->iteration > iteration) --found;
  return found;
}

}  // namespace Tomokkos
