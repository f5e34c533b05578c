// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `C^T Y` with a block-circulant matrix and without a transposed copy, on a GPU. Sums are integers,
// which count multiples of a unit and give the same bits in any order. The kernel of this file is
// for rows of Y that are too short or too long for groups: a warp holds a row of Y, multiplies it
// with each entry of the row and adds it to a row of sums, in the layout of X replicated.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <impl/Tomokkos_CirculantBackGroups.hpp>
#include <impl/Tomokkos_CirculantBounds.hpp>
#include <impl/Tomokkos_CirculantHostBack.hpp>

namespace Tomokkos {
namespace Impl {

template <class ExecutionSpace, class Scalar, class Integer, int Sums>
struct CirculantBack {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<circulant_warps * 32, 4>>;
  using Member = typename Policy::member_type;

  CirculantPass<Scalar> A;  // x is Y
  CirculantPlaces places;
  int lanes, passes;
  Integer* sums;
  unsigned char* faults;
  const double* bound;  // largest entry of Y
  double column_bound;
  int bits;
  bool packs;

  KOKKOS_FORCEINLINE_FUNCTION void add(std::uint32_t position, Scalar value, Ordinal first,
                                       const Scalar (&y)[Sums]) const {
    Integer* const to =
        sums + static_cast<std::uint64_t>(position) * static_cast<unsigned>(A.vectors) + first;
    for (int q = 0; q < Sums; ++q)
      if (first + warp_lanes * q < A.width())
        add_shared(to + warp_lanes * q, nearest(value * y[q]));
  }

  /// Flags every entry of X to which a row contributes values of Y that are not finite.
  KOKKOS_FUNCTION void mark(Offset row, Ordinal first) const {
    const Ordinal width = A.width();
    for (Ordinal p = first; p < first + warp_lanes * Sums && p < width; p += warp_lanes) {
      const Scalar y = A.x[row * width + p];
      if (y - y == Scalar(0)) continue;
      for (Offset e = A.row_offsets[row]; e < A.row_offsets[row + 1]; ++e) {
        const CirculantPlace place = places(A.positions[e]);
        const Ordinal j = static_cast<Ordinal>(place.block) * A.vectors + p;
        faults[Offset{place.column} * width + (j < width ? j : j - width)] = 1;
      }
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const int rank = member.team_rank();
    const int pass = member.league_rank() % passes;
    const Offset team = member.league_rank() / passes;
    const Offset row = team * (circulant_warps * 32 / lanes) + rank / lanes;
    if (row >= A.block_rows) return;
    const Ordinal first = rank % lanes + pass * lanes * Sums;
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    Scalar y[Sums];
    bool is_finite = true;
    for (int q = 0; q < Sums; ++q) {
      const Ordinal p = first + warp_lanes * q;
      y[q] = p < A.width() ? A.x[row * A.width() + p] : Scalar(0);
      if (y[q] - y[q] != Scalar(0)) {
        y[q] = 0;
        is_finite = false;
      }
      y[q] = static_cast<Scalar>(y[q] * scale);
    }
    if (!is_finite) mark(row, first);

    const Offset end = A.row_offsets[row + 1];
    Offset e = A.row_offsets[row];
    const auto add_entry = [&](Offset at) {
      add(load_gathered(A.positions + at), load_gathered(A.values + at), first, y);
    };
    if (packs) {
      for (; e < end && e % pack_size != 0; ++e) add_entry(e);
      Pack<std::uint32_t> next_position;
      Pack<Scalar> next_value;
      const auto load_next = [&](Offset at) {
        next_position = load_streamed(A.positions + at);
        next_value = load_streamed(A.values + at);
      };
      if (e + pack_size <= end) load_next(e);
      for (; e + pack_size <= end; e += pack_size) {
        const Pack<std::uint32_t> position = next_position;
        const Pack<Scalar> value = next_value;
        if (e + 2 * pack_size <= end) load_next(e + pack_size);
        for (int i = 0; i < pack_size; ++i) add(position.value[i], value.value[i], first, y);
      }
    }
    for (; e < end; ++e) add_entry(e);
  }
};

/// Computes the sums of C^T Y as integers. \p pass has Y as x, and no y.
///
/// \param sums n_B rows of `pitch s` values, in the layout of X replicated; the two places of an
///   entry of X are added later
/// \param faults one flag for each entry of X: 1 if a value of Y is not finite
template <class ExecutionSpace, class Scalar, class Integer>
void launch_circulant_back(const ExecutionSpace& exec, const std::string& label,
                           const CirculantPass<Scalar>& pass, Integer* sums, unsigned char* faults,
                           const double* bound, double column_bound, int bits) {
  if (pass.block_rows == 0) return;
  const CirculantLanes dealt(pass.width());
  const int teams = (pass.block_rows - 1) / dealt.rows_of_team() + 1;
  if (const int rows = circulant_group_rows(pass); rows > 0) {
    const int groups = (pass.block_rows - 1) / rows + 1;
    const auto bytes = static_cast<int>(circulant_group_bytes(pass, rows)) + 16;
    return with_circulant_sums(dealt.sums, [&](auto sums_of_lane) {
      using Functor =
          CirculantBackGroups<ExecutionSpace, Scalar, Integer, decltype(sums_of_lane)::value>;
      static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
      Kokkos::parallel_for(
          label,
          typename Functor::Policy(exec, groups * dealt.passes, circulant_warps * warp_lanes)
              .set_scratch_size(0, Kokkos::PerTeam(bytes)),
          Functor{pass, CirculantPlaces(pass.pitch), rows, dealt.passes, sums, faults, bound,
                  column_bound, bits});
    });
  }
  with_circulant_sums(dealt.sums, [&](auto sums_of_lane) {
    using Functor = CirculantBack<ExecutionSpace, Scalar, Integer, decltype(sums_of_lane)::value>;
    static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
    Kokkos::parallel_for(label,
                         typename Functor::Policy(exec, teams * dealt.passes, circulant_warps * 32),
                         Functor{pass, CirculantPlaces(pass.pitch), dealt.lanes, dealt.passes, sums,
                                 faults, bound, column_bound, bits,
                                 is_pack_aligned(pass.positions) && is_pack_aligned(pass.values)});
  });
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CirculantTransposePlan<ExecutionSpace, Scalar>::CirculantTransposePlan(const ExecutionSpace& exec,
                                                                       const matrix_type& A,
                                                                       int vectors) {
  require(vectors >= 1, "a product needs at least one vector");
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    bound_ =
        allocate<Vector<double, memory_space>>(exec, "Tomokkos::CirculantTransposePlan::bound", 1);
    const Impl::CirculantBounds bounds = Impl::circulant_column_bounds(exec, A, bound_);
    column_bound_ = bounds.largest_sum;
    terms_ = bounds.most_entries;
    if (column_bound_ > 0)
      Impl::require_summable_columns<Scalar>(column_bound_, "a transposed product of blocks");
  }
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    column_begins_ =
        Impl::choose_column_ranges(Impl::concurrency(exec), A.row_offsets.data(),
                                   A.positions.data(), A.block_rows, A.block_cols, A.pitch);
  reserve(exec, A, vectors);
  Impl::fence(exec, "CirculantTransposePlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void CirculantTransposePlan<ExecutionSpace, Scalar>::reserve(
    [[maybe_unused]] const ExecutionSpace& exec, [[maybe_unused]] const matrix_type& A,
    [[maybe_unused]] int vectors) const {
  if constexpr (!Impl::is_host_space<ExecutionSpace>) {
    const auto grow = [&](auto& view, const char* label, Offset size) {
      using View = std::decay_t<decltype(view)>;
      if (static_cast<Offset>(view.extent(0)) >= size) return;
      view = View();
      view = allocate<View>(exec, label, size);
      Kokkos::deep_copy(exec, view, typename View::value_type(0));
    };
    grow(sums_, "Tomokkos::CirculantTransposePlan::sums", Offset{A.block_cols} * A.pitch * vectors);
    grow(faults_, "Tomokkos::CirculantTransposePlan::faults", Offset{A.num_cols()} * vectors);
  }
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec,
                    const CirculantTransposePlan<ExecutionSpace, Scalar>& plan,
                    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& Y,
                    Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X) {
  Impl::require_operands(Impl::Operand("Y", Y, "rows of A", A.num_rows()),
                         Impl::Operand("X", X, "columns of A", A.num_cols()));
  if (X.size() == 0) return;
  const auto pass =
      Impl::circulant_pass(A, static_cast<int>(Y.extent(1)), Y.data(), X.data(), alpha, beta);
  const char* const label = "Tomokkos::spmv_transpose::block_circulant";
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    require(!plan.column_begins().empty() && plan.column_begins().back() == A.block_cols,
            "the plan belongs to another matrix, or to none");
    const Impl::CirculantGrid grid =
        Impl::choose_circulant_grid(Impl::concurrency(exec), plan.column_begins(), pass.width());
    Kokkos::parallel_for(
        label,
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::Schedule<Kokkos::Dynamic>>(exec, 0,
                                                                               grid.parts()),
        Impl::CirculantHostBack<Scalar>{pass, A.block_cols, Impl::CirculantPlaces(A.pitch), grid});
  } else {
    using Integer = typename CirculantTransposePlan<ExecutionSpace, Scalar>::integer_type;
    require(plan.bound().extent(0) == 1, "the plan belongs to another matrix, or to none");
    plan.reserve(exec, A, pass.vectors);
    const int bits = Impl::circulant_sum_bits<Integer>(plan.terms());
    Impl::largest_finite(exec, "Tomokkos::spmv_transpose::block_circulant::largest", Y.data(),
                         static_cast<Offset>(Y.size()), 1, plan.bound());
    if (A.block_rows > 0)
      Impl::launch_circulant_back<ExecutionSpace, Scalar, Integer>(
          exec, label, pass, plan.sums().data(), plan.faults().data(), plan.bound().data(),
          plan.column_bound(), bits);
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::block_circulant::fold", Impl::element_range(exec, X.size()),
        Impl::FoldSums<Scalar, Integer>{plan.bound().data(), plan.column_bound(), bits, alpha, beta,
                                        Impl::DivideBy(static_cast<std::uint32_t>(pass.width())),
                                        A.pitch * pass.vectors, pass.vectors, plan.sums().data(),
                                        plan.faults().data(), X.data()});
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                              \
  template class CirculantTransposePlan<SPACE, SCALAR>;                  \
  template void spmv_transpose<SPACE, SCALAR>(                           \
      const SPACE&, const CirculantTransposePlan<SPACE, SCALAR>&,        \
      const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, SCALAR,  \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
