// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <functional>
#include <optional>

namespace Tomokkos {

/// \brief Kind of the preconditioner `M^-1` in `M^-1 A x = M^-1 b`.
enum class PreconditionerKind {
  none,          ///< the identity
  jacobi,        ///< the diagonal of A
  block_jacobi,  ///< blocks of 2, 3 or 4 rows and columns along the diagonal of A
  user           ///< a function given by the user
};

template <>
struct EnumNames<PreconditionerKind> {
  static constexpr std::array<std::pair<PreconditionerKind, std::string_view>, 4> names{
      {{PreconditionerKind::none, "none"},
       {PreconditionerKind::jacobi, "jacobi"},
       {PreconditionerKind::block_jacobi, "block_jacobi"},
       {PreconditionerKind::user, "user"}}};
};

/// \brief Function that computes `Z = M^-1 R` on \p exec, for a symmetric positive definite M. R
/// and Z are `n x s`, row-major. A lambda, or an object with this call operator.
template <class ExecutionSpace, class Scalar>
using UserPreconditioner =
    std::function<void(const ExecutionSpace& exec,
                       const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>&,
                       const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>&)>;

/// \brief Options of `PreconditionedSystem`.
struct PreconditionerOptions {
  PreconditionerKind kind = PreconditionerKind::jacobi;
  /// Rows per block of `block_jacobi`: 2, 3 or 4.
  int block = 2;
  /// Applies Jacobi as the symmetric scaling `D^-1/2 A D^-1/2`, if A can scale its values:
  /// iterations then need no diagonal, at the cost of a second array of values. If false, and for
  /// operators that cannot scale, the residual is multiplied by `D^-1` in every iteration.
  bool scale_matrix = true;
  /// Stores the scaled matrix in float, in systems of double: nearly half of the bytes of an
  /// iteration. Residuals are still those of A: once the recursion has converged for the rounded
  /// matrix, it restarts from the residual of A (iterative refinement), and the result is as
  /// accurate as without this option. This holds if the condition number of the scaled matrix is
  /// well below 1e7; if rounding makes the matrix indefinite, the solve ends as `stagnated`. Only
  /// for Jacobi as a scaling; refused otherwise.
  bool float_matrix = false;
  /// A must be positive definite, as conjugate gradients need it: a diagonal that contradicts this
  /// is a fault. If false, diagonal entries and blocks only need to be invertible, and the matrix
  /// is not scaled: for `BiCgStab` and `Gmres`.
  bool positive_definite = true;
};

/// \brief Describes the preconditioners that a configuration can name. Scaling applies only to
/// positive definite systems.
template <class Visitor>
void describe(Visitor&& key, PreconditionerOptions& options) {
  key.name("preconditioner", options.kind,
           {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi},
           "Preconditioner that is applied to the residual.");
  key.only("preconditioner", options.kind, PreconditionerKind::block_jacobi)
      .integer("block", options.block, 2, 4, "Rows per block on the diagonal.");
  if (!options.positive_definite) return;
  key.only("preconditioner", options.kind, PreconditionerKind::jacobi)
      .boolean("scale_matrix", options.scale_matrix,
               "Scales the matrix once, so that iterations need no diagonal.");
  key.only("preconditioner", options.kind, PreconditionerKind::jacobi)
      .boolean("float_matrix", options.float_matrix,
               "Keeps the scaled matrix in float, for vectors in double.");
}

/// \brief Reason why a system cannot be solved as requested.
struct SystemFault {
  StopReason reason;
  std::optional<Ordinal> row;
};

/// \brief Square matrix with its preconditioner, prepared once for any number of solves.
///
/// Copies share everything. Serves one execution-space instance at a time, like its operator.
///
/// If the rows of the matrix are distributed over ranks, each rank prepares its local rows; all
/// ranks must construct the system together. Blocks are counted from the first row of a rank, so
/// none extends into the next rank. All ranks know the first fault, with its global row number.
template <class ExecutionSpace, class Scalar>
class PreconditionedSystem {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using UserType = UserPreconditioner<ExecutionSpace, Scalar>;
  using VectorType = VectorView<Scalar, memory_space>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;

  /// \brief Reads the diagonal of \p A, and scales a copy of its values if requested. The system is
  /// complete on return. Without a preconditioner that uses the diagonal, and if A does not provide
  /// it, one product measures the size of A.
  ///
  /// A diagonal with zeros, negative entries (if A must be positive definite) or non-finite entries
  /// does not throw here. Every solve then stops at once with this reason; see `fault()`.
  ///
  /// \throws Error when the operator is not square, for the kind `user`, and when A does not
  /// provide its diagonal and has more than 4096 rows (computing it takes one product per row)
  PreconditionedSystem(const ExecutionSpace& exec, OperatorType A,
                       const PreconditionerOptions& options = {});

  /// \brief Builds the system with a user's preconditioner.
  PreconditionedSystem(const ExecutionSpace& exec, OperatorType A, UserType apply_inverse);

  Ordinal num_rows() const { return A_.num_rows(); }
  PreconditionerKind kind() const { return kind_; }
  /// \brief Returns the given operator.
  const OperatorType& A() const { return A_; }
  /// \brief Returns `2^unit() A`: the matrix in the units of the solve, from which the
  /// preconditioner is built. Equals A unless its entries are so far from 1 that squares of
  /// products with it would overflow or underflow.
  const OperatorType& A_in_units() const { return in_units_ ? *in_units_ : A_; }
  /// \brief Returns the exponent of two of the units, an even number; 0 if A is solved unscaled.
  int unit() const { return unit_; }
  /// \brief Returns the matrix of the iterations: `A_in_units()`, or `D^-1/2 A D^-1/2`.
  const OperatorType& iterated() const { return scaled_ ? *scaled_ : A_in_units(); }
  bool is_scaled() const { return scaled_.has_value(); }
  /// \brief Returns true if the matrix of the iterations is rounded to float (`float_matrix`).
  bool is_rounded() const { return rounded_; }
  /// \brief Returns `D^-1/2` if the system is scaled, `D^-1` for Jacobi without scaling, otherwise
  /// an empty View. D is the diagonal of `A_in_units()`.
  ConstVectorType diagonal() const { return diagonal_; }
  /// \brief Returns the reason and row of a diagonal that no solve can use; empty: no fault.
  const std::optional<SystemFault>& fault() const { return fault_; }

  /// \brief Returns true when `apply_inverse` is the preconditioner, not `diagonal()`.
  bool needs_apply() const {
    return kind_ == PreconditionerKind::block_jacobi || kind_ == PreconditionerKind::user;
  }
  /// \brief Computes `Z = M^-1 R`; for `block_jacobi` and `user`.
  void apply_inverse(const ExecutionSpace& exec,
                     const MultiVectorView<const Scalar, memory_space>& R,
                     const MultiVectorView<Scalar, memory_space>& Z) const;

  /// \brief Returns the bytes held besides A.
  std::size_t memory_bytes() const;
  /// \brief Returns the bytes that `apply_inverse` must move besides R and Z.
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
  std::optional<OperatorType> in_units_;  // empty if equal to A
  PreconditionerKind kind_;
  bool rounded_ = false;
  std::optional<OperatorType> scaled_;
  Vector<Scalar, memory_space> diagonal_;
  int block_ = 1;
  Vector<Scalar, memory_space> blocks_;  // inverses, row by row
  UserType user_;
  mutable Vector<Scalar, memory_space> scaled_input_;  // copy of its input, if A has scaled units
  std::optional<SystemFault> fault_;
};

TOMOKKOS_EXTERN_CLASS(PreconditionedSystem)

}  // namespace Tomokkos
