// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Cgls.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <limits>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Cgls<ExecutionSpace, Scalar>::Cgls(const ExecutionSpace& exec, Ordinal num_rows, Ordinal num_cols,
                                   const CglsParams& params, Ordinal num_slices)
    : Base(exec, num_rows, num_cols, params, num_slices),
      direction_(allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::Cgls::direction",
                                                        Offset{num_cols} * num_slices)),
      scalars_(allocate<Vector<double, memory_space>>(
          exec, "Tomokkos::Cgls::scalars",
          static_cast<Offset>(Impl::CglsScalar::count) * num_slices)) {}

template <class ExecutionSpace, class Scalar>
typename LeastSquaresSolver<ExecutionSpace, Scalar>::Held Cgls<ExecutionSpace, Scalar>::held()
    const {
  using Array = typename Base::HeldArray;
  return {Array::of_vector("direction", direction_), Array::of_scalars("scalars", scalars_)};
}

template <class ExecutionSpace, class Scalar>
std::size_t Cgls<ExecutionSpace, Scalar>::workspace_bytes() const {
  return Base::workspace_bytes() + direction_.extent(0) * sizeof(Scalar) +
         scalars_.extent(0) * sizeof(double);
}

template <class ExecutionSpace, class Scalar>
std::size_t Cgls<ExecutionSpace, Scalar>::iteration_bytes(const OperatorType& A) const {
  const std::size_t columns = (this->params().damping == 0 ? 6 : 10) * direction_.extent(0);
  const std::size_t rows =
      (this->params().nan_data == NanData::refused ? 4 : 5) * this->residual_.extent(0);
  return product_bytes(A, this->num_slices_) + (rows + columns) * sizeof(Scalar);
}

template <class ExecutionSpace, class Scalar>
typename Cgls<ExecutionSpace, Scalar>::Sum Cgls<ExecutionSpace, Scalar>::scalar(
    Impl::CglsScalar which) const {
  return Sum(scalars_.data() + static_cast<Offset>(which) * this->num_slices_, this->num_slices_);
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::forget_scale(const ExecutionSpace& exec) {
  Kokkos::deep_copy(exec, scalar(Impl::CglsScalar::shortest),
                    std::numeric_limits<double>::infinity());
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::begin(const ExecutionSpace& exec, const ConstVectorType&) {
  Kokkos::parallel_for(
      "Tomokkos::cgls::take_direction", Impl::element_range(exec, this->num_cols_),
      Impl::CopyChosen<Scalar, memory_space>{this->columns_array(this->gradient_),
                                             this->columns_array(direction_), this->chosen_});
  // If the rows are distributed over ranks, the device does not know the whole residual.
  Impl::SliceSums<memory_space> residual{{}, 1};
  if (!Impl::several_ranks(this->ranks_.rows))
    residual.values = this->measured(Measured::true_residual);
  Kokkos::parallel_for("Tomokkos::cgls::begin", Impl::element_range(exec, this->num_slices_),
                       Impl::CglsBegin<memory_space>{{scalars_, this->num_slices_},
                                                     {this->measured(Measured::true_gradient), 1},
                                                     residual,
                                                     this->chosen_,
                                                     this->negligible_part()});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::set_last_changes(const ExecutionSpace& exec,
                                                    const std::vector<double>& changes) {
  has_last_change_ = !changes.empty();
  if (!has_last_change_) return;
  Kokkos::deep_copy(exec, scalar(Impl::CglsScalar::last_change),
                    VectorView<const double, Kokkos::HostSpace>(changes.data(), changes.size()));
  Impl::fence(exec, "Cgls: the last changes must have left");
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::take_step_length(const ExecutionSpace& exec, int k) {
  using Impl::CglsScalar;
  // If x is distributed over ranks, only the host knows the change of the whole x.
  Impl::SliceSums<memory_space> last_change{{}, this->log_.stride};
  if (k > 1 && !Impl::several_ranks(this->ranks_.columns)) {
    if (this->log_.holds(k - 1))
      last_change.values = this->log_.slot(k - 1, Impl::RecordField::change_squared);
    else if (has_last_change_)
      last_change = Impl::SliceSums<memory_space>{scalar(CglsScalar::last_change), 1};
  }
  has_last_change_ = false;
  const auto image = this->rows_array(this->image_);
  dot_columns<ExecutionSpace, Scalar>(exec, this->reduction_, image, image,
                                      scalar(CglsScalar::image_squared));
  Impl::add_up<ExecutionSpace>(exec, this->ranks_.rows, scalar(CglsScalar::image_squared));
  Kokkos::parallel_for("Tomokkos::cgls::step_length", Impl::element_range(exec, this->num_slices_),
                       Impl::CglsStepLength<memory_space>{{scalars_, this->num_slices_},
                                                          this->damping() * this->damping(),
                                                          last_change,
                                                          this->negligible_part()});
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::turn_direction(const ExecutionSpace& exec, const VectorType& x,
                                                  int k) {
  using Impl::CglsScalar;
  const auto alpha = scalar(CglsScalar::alpha);
  const auto new_gamma = this->log_.slot(k, Impl::RecordField::objective);
  Impl::reduce_over_ranks<1>(
      exec, Impl::several_ranks(this->ranks_.columns), "Tomokkos::cgls::gradient", this->num_cols_,
      this->num_slices_,
      Impl::CglsGradient<Scalar, memory_space>{alpha, direction_, x, this->gradient_,
                                               this->damping() * this->damping()},
      this->reduction_, this->rank_sums_, new_gamma, this->log_.stride);
  Impl::SliceSums<memory_space> residual{{}, this->log_.stride};
  if (!Impl::several_ranks(this->ranks_.rows))
    residual.values = this->log_.slot(k, Impl::RecordField::residual_squared);
  Kokkos::parallel_for("Tomokkos::cgls::update", Impl::element_range(exec, this->num_slices_),
                       Impl::CglsUpdate<memory_space>{{scalars_, this->num_slices_},
                                                      {new_gamma, this->log_.stride},
                                                      residual,
                                                      this->negligible_part()});
  reduce_columns_to_device<2>(
      exec, "Tomokkos::cgls::advance", this->num_cols_, this->num_slices_,
      Impl::CglsAdvance<Scalar, memory_space>{alpha, scalar(CglsScalar::beta), this->gradient_,
                                              this->active_, direction_, x},
      this->reduction_, this->log_.slot(k, Impl::RecordField::change_squared), this->log_.stride);
  if (this->damping() > 0)
    this->square_columns(exec, direction_, scalar(CglsScalar::direction_squared));
}

template <class ExecutionSpace, class Scalar>
void Cgls<ExecutionSpace, Scalar>::iterate(const ExecutionSpace& exec, const OperatorType& A,
                                           const ConstVectorType& b, const VectorType& x, int k) {
  // Memory traffic: A and A^T once. Per slice: |q|^2: m values read; r -= alpha q: 2 m read, m
  // written; |s|^2: n read; x and p: 3 n read, 2 n written. With damping, x and p are read and s is
  // written together with |s|^2, and p is read for |p|^2. If rays may be missing, b is read: m
  // values.
  this->multiply(exec, A, b, direction_);
  take_step_length(exec, k);
  reduce_columns_to_device<1>(
      exec, "Tomokkos::cgls::residual", this->num_rows_, this->num_slices_,
      Impl::CglsReduceResidual<Scalar, memory_space>{scalar(Impl::CglsScalar::alpha), this->image_,
                                                     this->residual_},
      this->reduction_, this->log_.slot(k, Impl::RecordField::residual_squared), this->log_.stride);
  A.apply_transpose(exec, Scalar(1), this->rows_array(this->residual_), Scalar(0),
                    this->columns_array(this->gradient_));
  turn_direction(exec, x, k);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Cgls<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
