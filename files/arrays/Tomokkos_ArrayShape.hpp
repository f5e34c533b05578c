// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of the shape of an array with the shape that its meaning needs.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Lengths of the axes of an array, and their names for messages. A single axis accepts any
/// shape of as many values.
struct ArrayShape {
  std::vector<std::size_t> lengths;
  std::vector<std::string> axes;
  bool first_may_be_split = false;  ///< several axes may take the place of the first

  /// \brief Number of values.
  std::size_t size() const;
};

/// \brief Returns lengths as "64 x 48"; "a single value" without axes.
std::string shape_text(const std::vector<std::size_t>& lengths);

/// \brief Compares the lengths \p found of an array with \p expected. One dimension of the right
/// length is accepted, and axes of length 1 are ignored.
///
/// \return empty if they agree, otherwise a message that continues the name of the array: "is 47 x
/// 40, which is (detector, view); expected (view, detector) = 40 x 47: save array.transpose(1, 0)"
std::string describe_shape_mismatch(const std::vector<std::size_t>& found,
                                    const ArrayShape& expected);

}  // namespace Tomokkos
