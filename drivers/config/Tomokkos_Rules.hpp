// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules that connect keys. A description (Tomokkos_Keys.hpp) says what a key accepts and which kind
// has it; the tables of rules say which values go together. They are checked after reading.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Checks the rows of a table of rules, each a call, from top to bottom: a row may rely on
/// those above it.
class RuleCheck {
 public:
  /// \param root the whole configuration
  explicit RuleCheck(const ConfigReader& root) : root_(root) {}

  /// \brief Refuses the key at the dotted \p path with \p message if \p is_broken.
  void operator()(bool is_broken, std::string_view path, const std::string& message) const {
    if (is_broken) root_.fail_at_path(path, message);
  }
  /// \brief Refuses the key at \p path with the message of the `Error` that \p check throws.
  template <class Check>
  void passes(std::string_view path, const Check& check) const {
    try {
      check();
    } catch (const Error& error) {
      root_.fail_at_path(path, error.what());
    }
  }
  /// \brief True when the configuration has a value at the dotted \p path.
  bool given(std::string_view path) const { return find(path) != nullptr; }
  /// \brief Value at the dotted \p path; nullptr when absent or empty.
  const ConfigNode* find(std::string_view path) const { return root_.find_path(path); }
  /// \brief Scalar at the dotted \p path as text; empty if there is none.
  std::string text(std::string_view path) const {
    const ConfigNode* const node = find(path);
    return node && node->is_scalar() ? node->scalar() : "";
  }

 private:
  const ConfigReader& root_;
};

// The tables of the sections. Each is checked when its section is read, and knows the sections
// before it.

/// \brief Checks which data may be given together, before they are read.
void check_keys_of_data(const RuleCheck& rule);
/// \brief Checks `problem` of a tomography.
void check_tomography(const RuleCheck& rule, const ProblemSection& problem, ConfigUse use);
/// \brief Checks `problem` of a linear system or a mesh.
void check_system(const RuleCheck& rule, const ProblemSection& problem);
/// \brief Refuses a grid with more unknowns than a 32-bit index can number. \p path is that of its
/// size.
void check_stencil(const RuleCheck& rule, std::string_view path, const StencilRows& stencil);
/// \brief Checks `solver.type` of a tomography, before the keys of the solver are read.
void check_image_solver_type(const RuleCheck& rule, const RunConfig& config);
/// \brief Checks the other keys of `solver`, and those of `run` that connect with it.
void check_solver(const RuleCheck& rule, const RunConfig& config);
/// \brief Checks `operator.format` and `stored_format` of any problem, before the keys of the
/// format are read.
void check_format(const RuleCheck& rule, const RunConfig& config);
/// \brief Checks the other keys of `operator` of any problem.
void check_operator(const RuleCheck& rule, const RunConfig& config);
/// \brief Checks `output`.
void check_output(const RuleCheck& rule, const RunConfig& config);

}  // namespace Tomokkos
