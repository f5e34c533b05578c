// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AssembledEquations.hpp>
#include <initializer_list>
#include <span>
#include <vector>

namespace Tomokkos {

namespace Impl {
template <class Scalar, class MemorySpace>
struct StoredEquations;
}

/// \brief Term `value x_variable` of an equation.
template <class Scalar>
struct EquationTerm {
  Ordinal variable;
  Scalar value;
};

/// \brief Linear equations collected on the host, one after the other, with the semantics of OpenNL
/// but without a global context: any number of systems may exist.
///
/// Variables are 0, ..., n - 1, with one value per right-hand side. Initially all are free and 0.
/// They may be set, locked and unlocked at any time before `assemble`, which reads them. Calls in
/// the wrong order, variables that do not exist and non-finite numbers throw `Error` and change
/// nothing.
template <class Scalar>
class EquationSystem {
 public:
  using scalar_type = Scalar;
  using Term = EquationTerm<Scalar>;

  /// \brief Creates a system without equations. Throws `Error` if the number of variables is
  /// negative or there is no right-hand side.
  explicit EquationSystem(Ordinal num_variables, const EquationOptions& options = {},
                          Ordinal num_columns = 1);

  Ordinal num_variables() const { return num_variables_; }
  Ordinal num_columns() const { return num_columns_; }
  /// \brief Returns the number of complete equations.
  Ordinal num_rows() const { return static_cast<Ordinal>(scales_.size()); }
  const EquationOptions& options() const { return options_; }

  /// \brief Sets the value of a variable. For a free variable it is the start of the iteration.
  void set_variable(Ordinal variable, Scalar value, Ordinal column = 0);
  Scalar variable(Ordinal variable, Ordinal column = 0) const;
  /// \brief Returns all values, `num_variables x num_columns`, row-major.
  const std::vector<Scalar>& variables() const { return values_; }
  void lock(Ordinal variable);
  void unlock(Ordinal variable);
  bool is_locked(Ordinal variable) const;

  /// \brief Starts an equation that is given piece by piece: `begin_row`, then in any order
  /// coefficients (repeated variables are summed), right-hand sides and the factor of the equation,
  /// then `end_row`.
  void begin_row();
  void coefficient(Ordinal variable, Scalar value);
  void right_hand_side(Scalar value, Ordinal column = 0);
  void row_scaling(double factor);
  void end_row();

  /// \brief Adds a whole equation. \p right_hand_sides has a value per column; empty: zeros.
  void row(std::span<const Term> terms, std::span<const Scalar> right_hand_sides = {},
           double factor = 1);
  /// \brief Adds a whole equation in one line: `system.row({{i, 1}, {j, -1}}, {0.5, 2})`, and for
  /// systems with one right-hand side `system.row({{i, 1}, {j, -1}}, 0.5)`.
  void row(std::initializer_list<Term> terms, std::initializer_list<Scalar> right_hand_sides = {},
           double factor = 1);
  void row(std::initializer_list<Term> terms, Scalar right_hand_side, double factor = 1);

  /// \brief Removes the equations, but keeps the variables.
  void clear_rows();

  /// \brief Assembles the system on the device. Throws the errors of `AssembledEquations`, and
  /// `Error` if an equation has not been ended. Temporarily copies the equations to memory of \p
  /// exec.
  template <class ExecutionSpace>
  AssembledEquations<ExecutionSpace, Scalar> assemble(const ExecutionSpace& exec) const;

  /// \brief Writes new coefficients, and values of locked variables, into a system with the same
  /// pattern. See `AssembledEquations::refill`.
  ///
  /// \throws DimensionMismatch when the number of equations or variables differs
  /// \throws Error when other variables are locked
  template <class ExecutionSpace>
  void refill(const ExecutionSpace& exec,
              AssembledEquations<ExecutionSpace, Scalar>& assembled) const;

  /// \brief Copies the values of all variables from \p X, `num_variables x num_columns` in memory
  /// of \p exec. Fences. Throws `DimensionMismatch`.
  template <class ExecutionSpace>
  void update_values(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X);

 private:
  template <class ExecutionSpace>
  Impl::StoredEquations<Scalar, typename ExecutionSpace::memory_space> stored(
      const ExecutionSpace& exec) const;
  template <class ExecutionSpace>
  void require_same_locks(const ExecutionSpace& exec,
                          const IndexMap<typename ExecutionSpace::memory_space>& free) const;
  void require_variable(const char* call, Ordinal variable) const;
  void require_column(const char* call, Ordinal column) const;
  void require_finite(const char* call, double value) const;
  void require_open(const char* call) const;
  void require_closed(const char* call) const;
  std::size_t place(Ordinal variable, Ordinal column) const {
    return static_cast<std::size_t>(variable) * static_cast<std::size_t>(num_columns_) +
           static_cast<std::size_t>(column);
  }

  Ordinal num_variables_, num_columns_;
  EquationOptions options_;
  std::vector<Scalar> values_;
  std::vector<char> locked_;
  std::vector<Offset> offsets_{0};  // first term of each row
  std::vector<Ordinal> term_variables_;
  std::vector<Scalar> term_values_;
  std::vector<Scalar> right_hand_sides_;
  std::vector<double> scales_;
  // Equation that has been started but not ended, if any.
  bool open_ = false;
  std::vector<Scalar> open_right_hand_sides_;
  double open_scale_ = 1;
};

}  // namespace Tomokkos
