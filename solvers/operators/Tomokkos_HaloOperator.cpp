// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HaloOperator.hpp>
#include <Tomokkos_HaloParts.hpp>
#include <Tomokkos_HaloSplit.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <optional>

namespace Tomokkos {
namespace Impl {

/// Largest number of entries in a row of the halo part that a single thread sums. Rows of
/// difference and element matrices have fewer. A row that couples all unknowns would keep one
/// thread busy while others wait.
inline constexpr Offset longest_halo_row = 64;

/// Computes `Y(rows(p), j) += alpha sum_k A(p, k) H(k, j)`.
template <class Scalar, class MemorySpace>
struct AddHaloRows {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Scalar alpha;
  MultiVectorView<const Scalar, MemorySpace> H;
  MultiVectorView<Scalar, MemorySpace> Y;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(Y.extent(1));
    const Offset p = columns == 1 ? at : at / columns;
    const Offset j = columns == 1 ? 0 : at % columns;
    const Offset end = A.row_offsets(p + 1);
    Scalar sum = 0;
    for (Offset k = A.row_offsets(p); k < end; ++k) sum += A.values(k) * H(A.columns(k), j);
    Y(rows(p), j) += alpha * sum;
  }
};

/// Computes `Y(rows(p), j) += Z(p, j)`.
template <class Scalar, class MemorySpace>
struct AddToRows {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  MultiVectorView<const Scalar, MemorySpace> Z;
  MultiVectorView<Scalar, MemorySpace> Y;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset columns = static_cast<Offset>(Y.extent(1));
    const Offset p = columns == 1 ? at : at / columns;
    const Offset j = columns == 1 ? 0 : at % columns;
    Y(rows(p), j) += Z(p, j);
  }
};

/// Sets `to` to values rounded to float.
template <class Scalar, class MemorySpace>
struct RoundToFloat {
  VectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  KOKKOS_FUNCTION void operator()(const Offset k) const {
    to(k) = static_cast<Scalar>(static_cast<float>(from(k)));
  }
};

}  // namespace Impl

namespace {

/// Options of a CSR matrix that only forward products use.
OperatorOptions forward_options(OperatorOptions options) {
  options.transpose = TransposeMethod::atomic;  // needs no memory and is never used
  return options;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
HaloOperator<ExecutionSpace, Scalar>::HaloOperator(
    const ExecutionSpace& exec, const matrix_type& rows, const std::vector<Ordinal>& begins,
    const std::shared_ptr<const CommunicatorType>& communicator, const OperatorOptions& options)
    : HaloOperator(
          exec, rows, begins, communicator,
          [&](const matrix_type& own) {
            return OwnOperator(
                CsrOperator<ExecutionSpace, Scalar>(exec, own, forward_options(options)));
          },
          options.spmv.deterministic) {}

template <class ExecutionSpace, class Scalar>
auto HaloOperator<ExecutionSpace, Scalar>::make_parts(
    const ExecutionSpace& exec, const matrix_type& rows, const std::vector<Ordinal>& begins,
    const std::shared_ptr<const CommunicatorType>& communicator, const MakeOwn& make_own,
    bool deterministic) -> Parts {
  require(communicator != nullptr, "a matrix that is distributed over ranks needs a communicator");
  const Ranks& ranks = communicator->ranks();
  OperatorOptions halo_options = forward_options({});
  halo_options.spmv.deterministic = deterministic;
  std::optional<OwnOperator> own;
  std::optional<CsrOperator<ExecutionSpace, Scalar>> halo;
  HaloSplit<Scalar, memory_space> split;
  on_all_ranks(&ranks, [&] {
    Impl::require_rank_begins(begins, ranks.size());
    require_equal("the last of the parts of the ranks", begins.back(), "the columns",
                  rows.num_cols);
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const RowRange columns{begins[rank], begins[rank + 1]};
    require_equal("rows", rows.num_rows, "the part of this rank", columns.end - columns.begin);
    if (ranks.size() == 1) {
      own = make_own(rows);
    } else {
      split = split_halo<ExecutionSpace, Scalar>(exec, rows, columns);
      own = make_own(split.own);
      halo.emplace(exec, split.halo, halo_options);
    }
    require_equal("rows of the own part", own->num_rows(), "the part of this rank", rows.num_rows);
    require_equal("columns of the own part", own->num_cols(), "the part of this rank",
                  rows.num_rows);
  });
  if (ranks.size() == 1) return {*own, nullptr};
  auto exchange = std::make_shared<HaloExchange<ExecutionSpace, Scalar>>(exec, communicator, begins,
                                                                         split.halo_columns);
  Parts parts{*own, std::make_shared<Halo>(Halo{*halo, split.halo_rows, exchange, {}})};
  parts.halo->reserve(exec, 1);
  return parts;
}

template <class ExecutionSpace, class Scalar>
bool HaloOperator<ExecutionSpace, Scalar>::Halo::has_long_rows() const {
  return matrix.statistics().longest > Impl::longest_halo_row;
}

template <class ExecutionSpace, class Scalar>
void HaloOperator<ExecutionSpace, Scalar>::Halo::reserve(const ExecutionSpace& exec, int vectors) {
  exchange->reserve(exec, vectors);
  const auto length =
      has_long_rows() ? static_cast<std::size_t>(matrix.num_rows()) * exchange->vectors() : 0;
  if (product.extent(0) >= length) return;
  product = {};  // frees the old array first
  product = allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::HaloOperator::product", length);
}

template <class ExecutionSpace, class Scalar>
void HaloOperator<ExecutionSpace, Scalar>::Halo::add(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& H,
    const MultiVectorView<Scalar, memory_space>& Y) {
  const auto& A = matrix.matrix();
  const std::size_t vectors = Y.extent(1);
  const auto all = Impl::element_range(exec, static_cast<std::size_t>(A.num_rows) * vectors);
  if (!has_long_rows()) {
    Kokkos::parallel_for("Tomokkos::halo::add_rows", all,
                         Impl::AddHaloRows<Scalar, memory_space>{A, rows, alpha, H, Y});
    return;
  }
  const MultiVectorView<Scalar, memory_space> Z(product.data(),
                                                static_cast<std::size_t>(A.num_rows), vectors);
  matrix.apply(exec, alpha, H, Scalar(0), Z);
  Kokkos::parallel_for("Tomokkos::halo::add_to_rows", all,
                       Impl::AddToRows<Scalar, memory_space>{rows, Z, Y});
}

template <class ExecutionSpace, class Scalar>
void HaloOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, int vectors) const {
  own_.reserve(exec, vectors);
  if (halo_) halo_->reserve(exec, vectors);
}

template <class ExecutionSpace, class Scalar>
void HaloOperator<ExecutionSpace, Scalar>::apply(
    const ExecutionSpace& exec, Scalar alpha, const MultiVectorView<const Scalar, memory_space>& X,
    Scalar beta, const MultiVectorView<Scalar, memory_space>& Y) const {
  if (!halo_) return own_.apply(exec, alpha, X, beta, Y);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "rows of A that are here",
                num_rows());
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  reserve(exec, static_cast<int>(X.extent(1)));
  halo_->exchange->begin(exec, X);
  own_.apply(exec, alpha, X, beta, Y);
  halo_->add(exec, alpha, halo_->exchange->finish(exec), Y);
}

template <class ExecutionSpace, class Scalar>
HaloOperator<ExecutionSpace, Scalar> HaloOperator<ExecutionSpace, Scalar>::scaled(
    const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& scale,
    bool in_float) const {
  const auto scale_own = [&] {
    const auto& scaling = *own_.capabilities().scaling;
    return in_float ? scaling.scaled_in_float(exec, scale) : scaling.scaled(exec, scale);
  };
  if (!halo_) return {begins_, communicator_, Parts{scale_own(), nullptr}};
  halo_->exchange->begin(exec, as_multivector(scale));
  auto own = scale_own();
  const auto halo_scale = as_vector(halo_->exchange->finish(exec));
  const auto row_scale = allocate<Vector<Scalar, memory_space>>(
      exec, "Tomokkos::HaloOperator::row_scale", num_halo_rows());
  Kokkos::parallel_for(
      "Tomokkos::halo::row_scale", Impl::element_range(exec, row_scale.extent(0)),
      Impl::PackHalo<Scalar, memory_space>{halo_->rows, as_multivector(scale), row_scale});
  auto scaled_halo =
      csr_scaled<ExecutionSpace, Scalar>(exec, halo_->matrix.matrix(), row_scale, halo_scale);
  if (in_float) {
    const auto rounded = allocate<Vector<Scalar, memory_space>>(
        exec, "Tomokkos::HaloOperator::rounded", scaled_halo.values.extent(0));
    Kokkos::parallel_for("Tomokkos::halo::round", Impl::element_range(exec, rounded.extent(0)),
                         Impl::RoundToFloat<Scalar, memory_space>{scaled_halo.values, rounded});
    scaled_halo.values = rounded;
  }
  CsrOperator<ExecutionSpace, Scalar> halo(exec, scaled_halo, halo_->matrix.options());
  auto parts =
      std::make_shared<Halo>(Halo{std::move(halo), halo_->rows, halo_->exchange, halo_->product});
  return {begins_, communicator_, Parts{std::move(own), std::move(parts)}};
}

template <class ExecutionSpace, class Scalar>
Offset HaloOperator<ExecutionSpace, Scalar>::dot_sums() const {
  const auto* const dot = own_.capabilities().dot;
  return halo_ || dot == nullptr ? 0 : dot->num_sums();
}

template <class ExecutionSpace, class Scalar>
void HaloOperator<ExecutionSpace, Scalar>::apply_dot(
    const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
    const VectorView<Scalar, memory_space>& y, const VectorView<double, memory_space>& sums) const {
  require(dot_sums() > 0, "this product does not compute x . y");
  own_.capabilities().dot->apply(exec, x, y, sums);
}

template <class ExecutionSpace, class Scalar>
std::size_t HaloOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  if (!halo_) return own_.memory_bytes();
  return own_.memory_bytes() + halo_->matrix.memory_bytes() + halo_->exchange->memory_bytes() +
         halo_->rows.extent(0) * sizeof(Ordinal) + halo_->product.extent(0) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::size_t HaloOperator<ExecutionSpace, Scalar>::pattern_bytes() const {
  if (!halo_) return own_.pattern_bytes();
  return own_.pattern_bytes() + halo_->matrix.pattern_bytes() + halo_->exchange->memory_bytes() +
         halo_->rows.extent(0) * sizeof(Ordinal) + halo_->product.extent(0) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
std::size_t HaloOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  if (!halo_) return own_.apply_bytes(vectors);
  const auto values = 2 * static_cast<std::size_t>(vectors) * num_halo_rows();
  return own_.apply_bytes(vectors) + halo_->exchange->exchange_bytes(vectors) +
         halo_->matrix.matrix().memory_bytes() + halo_->rows.extent(0) * sizeof(Ordinal) +
         values * sizeof(Scalar);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class HaloOperator<SPACE, SCALAR>;

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
