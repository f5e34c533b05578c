// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <functional>
#include <optional>

namespace Tomokkos {

/// \brief What stands for `M^-1` in `M^-1 A x = M^-1 b`.
enum class PreconditionerKind {
  none,          ///< the identity
  jacobi,        ///< the diagonal of A
  block_jacobi,  ///< blocks of 2, 3 or 4 rows and columns along the diagonal of A
  user           ///< a function of the user's
};

template <>
struct EnumNames<PreconditionerKind> {
  static constexpr std::array<std::pair<PreconditionerKind, std::string_view>, 4> names{
      {{PreconditionerKind::none, "none"},
       {PreconditionerKind::jacobi, "jacobi"},
       {PreconditionerKind::block_jacobi, "block_jacobi"},
       {PreconditionerKind::user, "user"}}};
};

/// \brief `Z = M^-1 R` on \p exec, for a symmetric positive definite M; R and Z are `n x s`,
/// row-major. A lambda, or an object with this call operator.
template <class ExecutionSpace, class Scalar>
using UserPreconditioner =
    std::function<void(const ExecutionSpace& exec,
                       const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>&,
                       const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>&)>;

/// \brief How `PreconditionedSystem` prepares a matrix.
struct PreconditionerOptions {
  PreconditionerKind kind = PreconditionerKind::jacobi;
  /// Rows of a block of `block_jacobi`: 2, 3 or 4.
  int block = 2;
  /// Jacobi as the symmetric scaling `D^-1/2 A D^-1/2`, where A can scale its values: iterations
  /// then need no diagonal, at the price of a second array of values. Without, and for operators
  /// that cannot, the residual is multiplied by `D^-1` in every iteration.
  bool scale_matrix = true;
  /// The scaled matrix in float, in systems of double: nearly half of the bytes of an iteration.
  /// Residuals are still those of A: where the recursion has converged for the rounded matrix, it
  /// starts again from the residual of A (iterative refinement), and ends as exact as without. That
  /// holds where the condition number of the scaled matrix is well below 1e7; a matrix that
  /// rounding leaves indefinite ends as `stagnated`. For Jacobi as a scaling; refused elsewhere.
  bool float_matrix = false;
  /// A is to be positive definite, as conjugate gradients need it: what its diagonal says against
  /// that is a fault. Without, diagonal entries and blocks may be anything that can be inverted,
  /// and the matrix is not scaled: for `BiCgStab` and `Gmres`.
  bool positive_definite = true;
};

/// \brief Describes the preconditioners that a configuration can name; of systems that are not
/// symmetric nothing is scaled.
template <class Visitor>
void describe(Visitor&& key, PreconditionerOptions& options) {
  key.name("preconditioner", options.kind,
           {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi},
           "What the residual is multiplied with.");
  key.only("preconditioner", options.kind, PreconditionerKind::block_jacobi)
      .integer("block", options.block, 2, 4, "Rows of a block on the diagonal.");
  if (!options.positive_definite) return;
  key.only("preconditioner", options.kind, PreconditionerKind::jacobi)
      .boolean("scale_matrix", options.scale_matrix,
               "Scales the matrix once, so that iterations need no diagonal.");
  key.only("preconditioner", options.kind, PreconditionerKind::jacobi)
      .boolean("float_matrix", options.float_matrix,
               "Keeps the scaled matrix in float, for vectors in double.");
}

/// \brief Why a system cannot be solved as it was asked for.
struct SystemFault {
  StopReason reason;
  std::optional<Ordinal> row;
};

/// \brief A square matrix and its preconditioner, prepared once for any number of solves.
///
/// Copies share everything. Serves one execution-space instance at a time, as its operator does.
///
/// Of a matrix whose rows are spread over ranks, each prepares those that are here; all construct
/// it alike. Blocks are counted from the first row of a rank, so none reaches into the next. All
/// ranks know of the first fault, with its row counted among all.
template <class ExecutionSpace, class Scalar>
class PreconditionedSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using UserType = UserPreconditioner<ExecutionSpace, Scalar>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;

  /// \brief Reads the diagonal of \p A, and scales a copy of its values if that is wanted. Complete
  /// on return. Without a preconditioner of the diagonal, and where A does not tell it, one product
  /// tells how large A is.
  ///
  /// A diagonal with zeros, negative entries (where A is to be positive definite) or entries that
  /// are not finite makes no exception here, but is the reason at which every solve stops at once:
  /// see `fault()`. Throws `Error` for an operator that is not square, for `user`, and where A does
  /// not tell its diagonal and has more than 4096 rows (finding it out takes a product a row).
  PreconditionedSystem(const ExecutionSpace& exec, OperatorType A,
                       const PreconditionerOptions& options = {});

  /// \brief With a preconditioner of the user's.
  PreconditionedSystem(const ExecutionSpace& exec, OperatorType A, UserType apply_inverse);

  Ordinal num_rows() const { return A_.num_rows(); }
  PreconditionerKind kind() const { return kind_; }
  /// \brief The operator of the user.
  const OperatorType& A() const { return A_; }
  /// \brief `2^unit() A`: the matrix in the units in which it is solved, and of which the
  /// preconditioner is made. A itself, unless its entries are so far from 1 that squares of
  /// products with it would leave the range of the numbers.
  const OperatorType& A_in_units() const { return in_units_ ? *in_units_ : A_; }
  /// \brief An even exponent of two; 0 where A is solved as it is.
  int unit() const { return unit_; }
  /// \brief What is multiplied in an iteration: `A_in_units()`, or `D^-1/2 A D^-1/2`.
  const OperatorType& iterated() const { return scaled_ ? *scaled_ : A_in_units(); }
  bool is_scaled() const { return scaled_.has_value(); }
  /// \brief True where what is iterated is rounded to float (`float_matrix`).
  bool is_rounded() const { return rounded_; }
  /// \brief `D^-1/2` where the system is scaled, `D^-1` where it is not and the preconditioner is
  /// Jacobi's; otherwise empty. D is the diagonal of `A_in_units()`.
  ConstVectorType diagonal() const { return diagonal_; }
  /// \brief Reason and row of a diagonal that no solve can use.
  const std::optional<SystemFault>& fault() const { return fault_; }

  /// \brief True when `apply_inverse` is what preconditions, not `diagonal()`.
  bool needs_apply() const {
    return kind_ == PreconditionerKind::block_jacobi || kind_ == PreconditionerKind::user;
  }
  /// \brief `Z = M^-1 R`; for `block_jacobi` and `user`.
  void apply_inverse(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, memory_space>& R,
                     const MultiVectorView<Scalar, memory_space>& Z) const;

  /// \brief Bytes held beside A.
  std::size_t memory_bytes() const;
  /// \brief Bytes that `apply_inverse` must move beside R and Z.
  std::size_t apply_inverse_bytes() const { return blocks_.extent(0) * sizeof(Scalar); }

 private:
  const Ranks* hosts() const;
  void choose_unit(double size);
  double middle_of_diagonal(const ExecutionSpace& exec) const;
  double size_without_diagonal(const ExecutionSpace& exec) const;
  void prepare_diagonal(const ExecutionSpace& exec, const PreconditionerOptions& options);
  void prepare_blocks(const ExecutionSpace& exec, const PreconditionerOptions& options);

  OperatorType A_;
  int unit_ = 0;
  std::optional<OperatorType> in_units_;  // nothing where that is A
  PreconditionerKind kind_;
  bool rounded_ = false;
  std::optional<OperatorType> scaled_;
  Vector<Scalar, memory_space> diagonal_;
  int block_ = 1;
  Vector<Scalar, memory_space> blocks_;  // inverses, row by row
  UserType user_;
  mutable Vector<Scalar, memory_space> scaled_input_;  // of it, where A has units
  std::optional<SystemFault> fault_;
};

}  // namespace Tomokkos
