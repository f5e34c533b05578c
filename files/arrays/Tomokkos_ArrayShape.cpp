// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayShape.hpp>
#include <algorithm>
#include <numeric>
#include <optional>

namespace Tomokkos {
namespace {

std::size_t product(const std::vector<std::size_t>& lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
}

std::vector<std::size_t> without_ones(std::vector<std::size_t> lengths) {
  std::erase(lengths, std::size_t{1});
  return lengths;
}

/// Order of the expected axes in which \p found lists them; empty if there is none.
std::optional<std::vector<std::size_t>> order_of(const std::vector<std::size_t>& found,
                                                 const std::vector<std::size_t>& expected) {
  if (found.size() != expected.size()) return std::nullopt;
  const auto fits = [&](const std::vector<std::size_t>& order) {
    for (std::size_t axis = 0; axis < order.size(); ++axis)
      if (found[axis] != expected[order[axis]]) return false;
    return true;
  };
  std::vector<std::size_t> order(found.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The last axis first is the likeliest of several orders: projections list their views.
  std::vector<std::size_t> views_first = order;
  std::rotate(views_first.begin(), views_first.end() - 1, views_first.end());
  if (fits(views_first)) return views_first;
  do {
    if (fits(order)) return order;
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

std::string list_of(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return "(" + text + ")";
}

}  // namespace

std::size_t ArrayShape::size() const { return product(lengths); }

std::string shape_text(const std::vector<std::size_t>& lengths) {
  std::string text;
  for (const std::size_t length : lengths)
    text += (text.empty() ? "" : " x ") + std::to_string(length);
  return text.empty() ? "a single value" : text;
}

std::string describe_shape_mismatch(const std::vector<std::size_t>& found,
                                    const ArrayShape& expected) {
  const std::vector<std::size_t>& lengths = expected.lengths;
  if (product(found) == expected.size()) {
    if (lengths.size() <= 1 || without_ones(found).size() <= 1) return {};
    if (without_ones(found) == without_ones(lengths)) return {};
    if (expected.first_may_be_split && found.back() == lengths.back()) return {};
  }
  std::string text = found.size() == 1 ? "holds " + std::to_string(found[0]) + " values"
                                       : "is " + shape_text(found);
  const auto order = order_of(found, lengths);
  if (order) {
    std::vector<std::string> axes;
    for (const std::size_t axis : *order) axes.push_back(expected.axes[axis]);
    text += ", which is " + list_of(axes);
  }
  text += "; expected " + list_of(expected.axes) + " = " + shape_text(lengths);
  if (order) {
    std::vector<std::string> back(order->size());
    for (std::size_t axis = 0; axis < order->size(); ++axis)
      back[(*order)[axis]] = std::to_string(axis);
    text += ": save array.transpose" + list_of(back);
  }
  return text;
}

}  // namespace Tomokkos
