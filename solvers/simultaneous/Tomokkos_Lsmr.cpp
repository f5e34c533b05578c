// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Lsmr.hpp>
#include <impl/Tomokkos_RankReduce.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Lsmr<ExecutionSpace, Scalar>::Lsmr(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const LsmrParams& params, Ordinal num_slices)
    : Base(exec, num_rows, num_cols, params, num_slices),
      u_below_(allocate<Vector<Scalar, memory_space>>(
          exec, "Tomokkos::Lsmr::u_below", params.damping > 0 ? Offset{num_cols} * num_slices : 0)),
      v_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Lsmr::v",
                                                Offset{num_cols} * num_slices)),
      h_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Lsmr::h",
                                                Offset{num_cols} * num_slices)),
      h_bar_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Lsmr::h_bar",
                                                    Offset{num_cols} * num_slices)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::Lsmr::scalars",
          static_cast<Offset>(Impl::LsmrScalar::count) * num_slices)) {}

template <class ExecutionSpace, class Scalar>
typename LeastSquaresSolver<ExecutionSpace, Scalar>::Held Lsmr<ExecutionSpace, Scalar>::held()
    const {
  using Array = typename Base::HeldArray;
  typename Base::Held arrays{Array::of_vector("v", v_), Array::of_vector("h", h_),
                             Array::of_vector("h_bar", h_bar_),
                             Array::of_scalars("scalars", scalars_)};
  if (is_damped()) arrays.push_back(Array::of_vector("u_below", u_below_));
  return arrays;
}

template <class ExecutionSpace, class Scalar>
std::size_t Lsmr<ExecutionSpace, Scalar>::workspace_bytes() const {
  return Base::workspace_bytes() + (3 * v_.extent(0) + u_below_.extent(0)) * sizeof(Scalar) +
         scalars_.extent(0) * sizeof(double);
}

template <class ExecutionSpace, class Scalar>
std::size_t Lsmr<ExecutionSpace, Scalar>::iteration_bytes(const OperatorType& A) const {
  const std::size_t columns = (is_damped() ? 15 : 10) * v_.extent(0);
  const std::size_t rows =
      (this->params().nan_data == NanData::refused ? 3 : 4) * this->residual_.extent(0);
  return product_bytes(A, this->num_slices_) + (rows + columns) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::forget_scale(const ExecutionSpace& exec) {
  Kokkos::deep_copy(exec, scalar(Impl::LsmrScalar::largest), 0.0);
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::begin(const ExecutionSpace& exec, const ConstVectorType& x) {
  using Impl::LsmrScalar;
  const double damping = this->damping();
  Kokkos::deep_copy(exec, scalar(LsmrScalar::u_squared), this->measured(Measured::true_residual));
  Impl::add_up<ExecutionSpace>(exec, this->ranks_.rows, scalar(LsmrScalar::u_squared));
  if (is_damped()) this->square_columns(exec, x, scalar(LsmrScalar::x_squared));
  Kokkos::parallel_for("Tomokkos::lsmr::begin", Impl::element_range(exec, this->num_slices_),
                       Impl::LsmrBegin<memory_space>{
                           scalars(), this->measured(Measured::true_gradient), this->chosen_,
                           is_damped() ? damping * damping : 0, this->negligible_part()});
  const VectorType start(const_cast<Scalar*>(x.data()), x.extent(0));
  Kokkos::parallel_for(
      "Tomokkos::lsmr::begin_vectors", Impl::element_range(exec, this->num_cols_),
      Impl::LsmrBeginVectors<Scalar, memory_space>{
          scalars(), this->columns_array(this->gradient_), this->columns_array(start),
          this->columns_array(v_), this->columns_array(h_), this->columns_array(h_bar_),
          is_damped() ? this->columns_array(u_below_) : typename Base::MultiVectorType(),
          this->chosen_, damping});
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::compute_u(const ExecutionSpace& exec, const OperatorType& A,
                                             const ConstVectorType& b) {
  using Impl::LsmrScalar;
  this->multiply(exec, A, b, v_);
  const Sum squared = scalar(LsmrScalar::u_squared);
  reduce_columns_to_device<1>(
      exec, "Tomokkos::lsmr::left", this->num_rows_, this->num_slices_,
      Impl::LsmrLeft<Scalar, memory_space>{scalars(), this->image_, this->residual_, 1},
      this->reduction_, squared, 1);
  Impl::add_up<ExecutionSpace>(exec, this->ranks_.rows, squared);
  if (is_damped())
    Impl::reduce_over_ranks<1>(
        exec, Impl::several_ranks(this->ranks_.columns), "Tomokkos::lsmr::left_below",
        this->num_cols_, this->num_slices_,
        Impl::LsmrLeft<Scalar, memory_space>{scalars(), v_, u_below_, this->damping()},
        this->reduction_, this->rank_sums_, scalar(LsmrScalar::u_below_squared), 1);
  Kokkos::parallel_for(
      "Tomokkos::lsmr::beta", Impl::element_range(exec, this->num_slices_),
      Impl::LsmrBeta<memory_space>{scalars(), is_damped(), this->negligible_part()});
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::compute_v(const ExecutionSpace& exec, const OperatorType& A) {
  A.apply_transpose(exec, Scalar(1), this->rows_array(this->residual_), Scalar(0),
                    this->columns_array(this->gradient_));
  Impl::reduce_over_ranks<1>(exec, Impl::several_ranks(this->ranks_.columns),
                             "Tomokkos::lsmr::right", this->num_cols_, this->num_slices_,
                             Impl::LsmrRight<Scalar, memory_space>{scalars(), this->gradient_,
                                                                   u_below_, v_, this->damping()},
                             this->reduction_, this->rank_sums_,
                             scalar(Impl::LsmrScalar::v_squared), 1);
  Kokkos::parallel_for("Tomokkos::lsmr::update", Impl::element_range(exec, this->num_slices_),
                       Impl::LsmrUpdate<memory_space>{scalars(), this->negligible_part()});
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::advance(const ExecutionSpace& exec, const VectorType& x, int k) {
  using Impl::RecordField;
  auto& log = this->log_;
  reduce_columns_to_device<2>(
      exec, "Tomokkos::lsmr::advance", this->num_cols_, this->num_slices_,
      Impl::LsmrAdvance<Scalar, memory_space>{scalars(), v_, this->active_, h_, h_bar_, x},
      this->reduction_, log.slot(k, RecordField::change_squared), log.stride);
  const double damping = is_damped() ? this->damping() : 0;
  if (is_damped()) this->square_columns(exec, x, scalar(Impl::LsmrScalar::x_squared));
  const auto* const rows = this->ranks_.rows;
  Kokkos::parallel_for(
      "Tomokkos::lsmr::record", Impl::element_range(exec, this->num_slices_),
      Impl::LsmrRecord<memory_space>{scalars(), log.slot(k, RecordField::residual_squared),
                                     log.slot(k, RecordField::objective), log.stride,
                                     damping * damping, rows == nullptr || rows->rank() == 0});
}

template <class ExecutionSpace, class Scalar>
void Lsmr<ExecutionSpace, Scalar>::iterate(const ExecutionSpace& exec, const OperatorType& A,
                                           const ConstVectorType& b, const VectorType& x, int k) {
  // Memory traffic: A and A^T once. Per slice: u: 2 m values read, m written; v: 2 n read, n
  // written; h, h_bar and x: 4 n read, 3 n written. With damping, v is read, the rows below are
  // read and written, and read again for v, and x is read.
  compute_u(exec, A, b);
  compute_v(exec, A);
  advance(exec, x, k);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Lsmr<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
