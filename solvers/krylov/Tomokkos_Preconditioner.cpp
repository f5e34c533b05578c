// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <cmath>
#include <impl/Tomokkos_PreconditionerKernels.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <impl/Tomokkos_SolveUnits.hpp>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Maximum number of rows for which the diagonal is computed by products with unit vectors.
inline constexpr Ordinal most_rows_without_diagonal = 4096;

/// Returns the smallest index below n that `find` reports; n if it reports none.
template <class ExecutionSpace, class Find>
Offset first_found(const ExecutionSpace& exec, const std::string& label, Offset n,
                   const Find& find) {
  Offset first = n;
  Kokkos::parallel_reduce(label, element_range(exec, n), find, Kokkos::Min<Offset>(first));
  fence(exec, "PreconditionedSystem: the host needs the row");
  return first < n ? first : n;
}

template <class ExecutionSpace, class Scalar>
Scalar element_on_host(const ExecutionSpace& exec,
                       const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
                       Offset index) {
  Scalar value = 0;
  Kokkos::deep_copy(
      exec, VectorView<Scalar, Kokkos::HostSpace>(&value, 1),
      VectorView<const Scalar, typename ExecutionSpace::memory_space>(x.data() + index, 1));
  fence(exec, "PreconditionedSystem: the host needs the entry");
  return value;
}

/// Returns the fault in the first row of all ranks, with its global row number. `fault` is that of
/// the local rows. Without communication if `ranks` is null.
inline std::optional<SystemFault> first_fault(const Ranks* ranks, Ordinal num_rows,
                                              const std::optional<SystemFault>& fault) {
  if (ranks == nullptr) return fault;
  const std::vector<double> here{static_cast<double>(num_rows),
                                 fault ? 1.0 + static_cast<double>(fault->reason) : 0.0,
                                 fault ? static_cast<double>(*fault->row) : 0.0};
  std::vector<double> all(here.size() * static_cast<std::size_t>(ranks->size()));
  ranks->gather(here, all);
  double first_row = 0;
  for (std::size_t at = 0; at < all.size(); at += here.size()) {
    if (all[at + 1] > 0)
      return SystemFault{static_cast<StopReason>(static_cast<int>(all[at + 1]) - 1),
                         static_cast<Ordinal>(first_row + all[at + 2])};
    first_row += all[at];
  }
  return std::nullopt;
}

}  // namespace Impl

namespace {

template <class ExecutionSpace, class Scalar>
bool has_diagonal(const AnyOperator<ExecutionSpace, Scalar>& A) {
  return A.capabilities().diagonal != nullptr;
}

/// Diagonal access of an operator that provides its diagonal, for its blocks.
template <class ExecutionSpace, class Scalar>
const DiagonalAccess<ExecutionSpace, Scalar>& blocks_of(
    const AnyOperator<ExecutionSpace, Scalar>& A) {
  require(has_diagonal(A), "this operator does not provide the blocks along its diagonal");
  return *A.capabilities().diagonal;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
PreconditionedSystem<ExecutionSpace, Scalar>::PreconditionedSystem(
    const ExecutionSpace& exec, OperatorType A, const PreconditionerOptions& options)
    : A_(std::move(A)), kind_(options.kind) {
  require_equal("number of rows", A_.num_rows(), "the number of columns", A_.num_cols());
  require(kind_ != PreconditionerKind::user,
          "a user's preconditioner must be passed as a function, not by its kind");
  if (options.float_matrix)
    require(
        std::is_same_v<Scalar, double> && kind_ == PreconditionerKind::jacobi &&
            options.scale_matrix && options.positive_definite && scales_in_float(A_),
        "float_matrix needs a matrix in double, the preconditioner "
        "jacobi with scale_matrix, and an operator that can be scaled in float (scaled_in_float)");
  if (kind_ == PreconditionerKind::jacobi) prepare_diagonal(exec, options);
  if (kind_ == PreconditionerKind::block_jacobi) prepare_blocks(exec, options);
  if (kind_ == PreconditionerKind::none) choose_unit(size_without_diagonal(exec));
}

template <class ExecutionSpace, class Scalar>
PreconditionedSystem<ExecutionSpace, Scalar>::PreconditionedSystem(const ExecutionSpace& exec,
                                                                   OperatorType A,
                                                                   UserType apply_inverse)
    : A_(std::move(A)), kind_(PreconditionerKind::user), user_(std::move(apply_inverse)) {
  require_equal("number of rows", A_.num_rows(), "the number of columns", A_.num_cols());
  require(static_cast<bool>(user_), "the preconditioner is an empty function");
  choose_unit(size_without_diagonal(exec));
}

/// Chooses the units of A from its size.
template <class ExecutionSpace, class Scalar>
void PreconditionedSystem<ExecutionSpace, Scalar>::choose_unit(double size) {
  unit_ = Impl::unit_exponent(size, Impl::SafeExponents<Scalar>::matrix);
  if (unit_ != 0)
    in_units_ = OperatorType(Impl::OperatorInUnits<ExecutionSpace, Scalar>(A_, unit_));
}

/// Returns a value between the largest and the smallest entry of the diagonal.
template <class ExecutionSpace, class Scalar>
double PreconditionedSystem<ExecutionSpace, Scalar>::middle_of_diagonal(
    const ExecutionSpace& exec) const {
  const double largest =
      Impl::largest_of_column<ExecutionSpace, Scalar>(exec, as_multivector(diagonal()), 0, hosts());
  if (!(largest > 0) || !std::isfinite(largest)) return 0;
  double smallest = largest;
  Kokkos::parallel_reduce(
      "Tomokkos::preconditioner::smallest", Impl::element_range(exec, diagonal_.extent(0)),
      Impl::SmallestEntry<Scalar, memory_space>{diagonal_}, Kokkos::Min<double>(smallest));
  Impl::fence(exec, "PreconditionedSystem: the host needs the smallest entry");
  smallest = std::min(smallest, largest);
  if (hosts() != nullptr) smallest = -hosts()->max_of(-smallest);
  return std::ldexp(1.0, (std::ilogb(largest) + std::ilogb(smallest)) / 2);
}

/// Returns the size of A, for preconditioners that do not need its diagonal.
template <class ExecutionSpace, class Scalar>
double PreconditionedSystem<ExecutionSpace, Scalar>::size_without_diagonal(
    const ExecutionSpace& exec) const {
  if (has_diagonal(A_)) {
    const auto diagonal = allocate<Vector<Scalar, memory_space>>(
        exec, "Tomokkos::PreconditionedSystem::diagonal", A_.num_rows());
    two_component_diagonal<ExecutionSpace, Scalar>(exec, A_, diagonal);
    const double size = Impl::largest_of_column<ExecutionSpace, Scalar>(
        exec, as_multivector(ConstVectorType(diagonal)), 0, hosts());
    if (size > 0) return size;
  }
  return Impl::size_by_product<ExecutionSpace, Scalar>(exec, A_, hosts());
}

/// Returns the ranks over which the rows are distributed; null if all rows are local.
template <class ExecutionSpace, class Scalar>
const Ranks* PreconditionedSystem<ExecutionSpace, Scalar>::hosts() const {
  return Impl::hosts_of(Impl::several_ranks(A_.capabilities().row_ranks));
}

template <class ExecutionSpace, class Scalar>
void PreconditionedSystem<ExecutionSpace, Scalar>::prepare_diagonal(
    const ExecutionSpace& exec, const PreconditionerOptions& options) {
  const Ordinal n = A_.num_rows();
  const Ranks* const ranks = hosts();
  require(ranks == nullptr || has_diagonal(A_),
          "the preconditioner jacobi needs the diagonal of the matrix, but this operator, which is "
          "distributed over ranks, does not provide it; give it a member diagonal(exec, d), or "
          "choose none");
  require(has_diagonal(A_) || n <= Impl::most_rows_without_diagonal,
          "the preconditioner jacobi needs the diagonal of the matrix, but this operator of " +
              std::to_string(n) +
              " rows does not provide it; give it a member diagonal(exec, d), or choose none");
  diagonal_ =
      allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PreconditionedSystem::diagonal", n);
  two_component_diagonal<ExecutionSpace, Scalar>(exec, A_, diagonal_);
  choose_unit(middle_of_diagonal(exec));
  if (unit_ != 0) two_component_diagonal<ExecutionSpace, Scalar>(exec, A_in_units(), diagonal_);
  const Offset bad = Impl::first_found(
      exec, "Tomokkos::preconditioner::check", n,
      Impl::FindBadDiagonal<Scalar, memory_space>{diagonal_, !options.positive_definite});
  if (bad < n) {
    const Scalar value = Impl::element_on_host<ExecutionSpace, Scalar>(exec, diagonal_, bad);
    // The reciprocal of a smaller number is infinite.
    const bool is_zero = std::abs(value) < std::numeric_limits<Scalar>::min();
    const StopReason reason = is_zero                ? StopReason::zero_diagonal
                              : std::isfinite(value) ? StopReason::indefinite
                                                     : StopReason::non_finite;
    fault_ = SystemFault{reason, static_cast<Ordinal>(bad)};
  }
  fault_ = Impl::first_fault(ranks, n, fault_);
  if (fault_) return;
  const bool scale =
      options.scale_matrix && options.positive_definite && A_.capabilities().scaling != nullptr;
  Kokkos::parallel_for("Tomokkos::preconditioner::invert", Impl::element_range(exec, n),
                       Impl::InvertDiagonal<Scalar, memory_space>{diagonal_, scale});
  rounded_ = scale && options.float_matrix;
  if (scale) {
    const auto& scaling = *A_in_units().capabilities().scaling;
    scaled_ = options.float_matrix ? scaling.scaled_in_float(exec, diagonal_)
                                   : scaling.scaled(exec, diagonal_);
  }
  Impl::fence(exec, "PreconditionedSystem: the system is complete");
}

template <class ExecutionSpace, class Scalar>
void PreconditionedSystem<ExecutionSpace, Scalar>::prepare_blocks(
    const ExecutionSpace& exec, const PreconditionerOptions& options) {
  const int block = options.block;
  require(block >= 2 && block <= 4,
          "blocks of block_jacobi have 2, 3 or 4 rows, not " + std::to_string(block));
  const Offset n = A_.num_rows();
  const Offset count = (n + block - 1) / block;
  block_ = block;
  blocks_ = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PreconditionedSystem::blocks",
                                                   count * block * block);
  blocks_of(A_).blocks(exec, block, blocks_);
  choose_unit(Impl::largest_of_column<ExecutionSpace, Scalar>(
      exec, as_multivector(ConstVectorType(blocks_)), 0, hosts()));
  if (unit_ != 0) blocks_of(A_in_units()).blocks(exec, block, blocks_);
  const auto invert = [&]<int B>(std::integral_constant<int, B>) {
    // The row is counted over all ranks, the blocks along the local index.
    Offset first = n;
    if (options.positive_definite)
      Kokkos::parallel_reduce(
          "Tomokkos::preconditioner::invert_blocks", Impl::element_range(exec, count),
          Impl::InvertBlocks<Scalar, memory_space, B>{blocks_}, Kokkos::Min<Offset>(first));
    else
      Kokkos::parallel_reduce(
          "Tomokkos::preconditioner::invert_general_blocks", Impl::element_range(exec, count),
          Impl::InvertGeneralBlocks<Scalar, memory_space, B>{blocks_}, Kokkos::Min<Offset>(first));
    Impl::fence(exec, "PreconditionedSystem: the system is complete");
    if (first >= n) return;
    // A block that was not inverted still holds the entries of A.
    bool finite = true;
    const Offset block_begin = first / B * B * B;
    for (Offset k = 0; k < B * B; ++k)
      finite = finite && std::isfinite(Impl::element_on_host<ExecutionSpace, Scalar>(
                             exec, blocks_, block_begin + k));
    const StopReason singular =
        options.positive_definite ? StopReason::indefinite : StopReason::zero_diagonal;
    fault_ = SystemFault{finite ? singular : StopReason::non_finite, static_cast<Ordinal>(first)};
  };
  if (block == 2) invert(std::integral_constant<int, 2>());
  if (block == 3) invert(std::integral_constant<int, 3>());
  if (block == 4) invert(std::integral_constant<int, 4>());
  fault_ = Impl::first_fault(hosts(), A_.num_rows(), fault_);
}

template <class ExecutionSpace, class Scalar>
void PreconditionedSystem<ExecutionSpace, Scalar>::apply_inverse(
    const ExecutionSpace& exec, const MultiVectorView<const Scalar, memory_space>& R,
    const MultiVectorView<Scalar, memory_space>& Z) const {
  if (user_ && unit_ == 0) {
    user_(exec, R, Z);
    return;
  }
  if (user_) {
    // A user's preconditioner approximates the given matrix; `A_in_units` applies half of the
    // factor on either side.
    if (scaled_input_.extent(0) < R.size())
      scaled_input_ = allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::PreconditionedSystem::scaled_input", R.size());
    const auto multiply = [&](const ConstVectorType& from, const VectorType& to) {
      Kokkos::parallel_for("Tomokkos::preconditioner::in_units",
                           Impl::element_range(exec, from.extent(0)),
                           Impl::MultiplyEntries<Scalar, memory_space>{
                               static_cast<Scalar>(std::ldexp(1.0, -unit_ / 2)), from, to});
    };
    const MultiVectorView<Scalar, memory_space> input(scaled_input_.data(), R.extent(0),
                                                      R.extent(1));
    multiply(as_vector(R), as_vector(input));
    user_(exec, input, Z);
    multiply(as_vector(Z), as_vector(Z));
    return;
  }
  require(blocks_.extent(0) > 0 || num_rows() == 0,
          "this preconditioner is a diagonal; it has no blocks to apply");
  Kokkos::parallel_for("Tomokkos::preconditioner::apply_blocks",
                       Impl::element_range(exec, R.size()),
                       Impl::ApplyBlocks<Scalar, memory_space>{blocks_, R, Z, block_});
}

template <class ExecutionSpace, class Scalar>
std::size_t PreconditionedSystem<ExecutionSpace, Scalar>::memory_bytes() const {
  return (diagonal_.extent(0) + blocks_.extent(0)) * sizeof(Scalar) +
         (scaled_ ? scaled_->memory_bytes() - A_.pattern_bytes() : 0);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class PreconditionedSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
