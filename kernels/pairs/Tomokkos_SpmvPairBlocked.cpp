// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with paired rows, of one vector or of several that lie side by side.
//
// On a host a step is a run of neighbouring pairs, whose places are processed together: enough
// pairs to make loading a place from memory worthwhile. All vectors are multiplied while the run is
// in a cache. On a GPU the vectors of a pair are spread over up to eight lanes, and a warp has 32
// pairs with one vector, four with eight.
//
// Bytes of a pass with s vectors: every stored entry is read once, for all vectors (4 bytes and a
// value), up to the padding of its pair. Each entry loads s adjacent values of X from the caches.
// With eight vectors of floats these are one sector of 32 bytes, which eight lanes load together,
// as one 16-byte load of two lanes each would; more lanes hide more latency, because a scan has few
// pairs. Y is written once. The transposed product reads the same and adds s adjacent values for
// each entry: one sector in float, two as whole numbers, whose sums (9 s bytes a column) are read
// and reset once more. The stored rays of 1024 x 1024 pixels and 720 views have 23040 pairs and
// 56 million entries: 0.45 GB of the matrix, where eight passes read 3.6 GB, and 1.8 GB of X from
// the L2 cache, which holds the 32 MiB of X.
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_PairBlockedFormat.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedPoint.hpp>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_ProductTarget.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>
#include <impl/Tomokkos_StoredSpmm_impl.hpp>
#include <impl/Tomokkos_ValueRange.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Largest number of pairs of a step of a host. With one vector this is 1 KiB of columns; two pages
/// at a time are read, of columns and of values. With several, the sums of a step stay in the L1
/// cache.
constexpr int most_step_pairs(int vectors) { return vectors == 1 ? 256 : 64; }

/// Lanes of a GPU over which the vectors of a pair are spread: eight floats are a sector.
constexpr int pair_lanes(int width) { return width < 8 ? width : 8; }

/// Number of places whose entries are loaded before the first is used.
inline constexpr int places_ahead = 4;

/// Sub-matrices that pairs traverse.
enum class PairPart { first, mixed, second };

/// Range of the pairs of a step.
template <int most_pairs>
struct PairStep {
  Ordinal begin;
  int count;

  KOKKOS_FORCEINLINE_FUNCTION PairStep(Ordinal step, int pairs, Ordinal num_pairs)
      : begin(most_pairs == 1 ? step : step * pairs), count(1) {
    if (most_pairs > 1) count = num_pairs - begin < pairs ? num_pairs - begin : pairs;
  }
};

/// Calls `take(i, column, value)` for pair `begin + i` and each of \p places places from \p place
/// on, without padding. Calls `turn(i)` before the first entry of a second row. Returns false if no
/// pair has an entry at the first place, in which case no later place has one.
template <PairPart part, int places, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION bool visit_places(const PairBlocks<Scalar>& A,
                                              const PairStep<most_pairs>& step, Ordinal place,
                                              const Turn& turn, const Take& take) {
  bool any = false;
  for (int i = 0; i < (most_pairs == 1 ? 1 : step.count); ++i) {
    Ordinal columns[places];
    Scalar values[places];
    for (int k = 0; k < places; ++k) {
      const Offset at = A.position(step.begin + i, place + k);
      columns[k] = load_streamed_entry(A.columns + at);
      values[k] = load_streamed_entry(A.values + at);
    }
    any |= part == PairPart::first || columns[0] != padding_column;
    for (int k = 0; k < places; ++k) {
      if (part == PairPart::mixed && A.is_junction(step.begin + i, place + k)) turn(i);
      if (part == PairPart::first || columns[k] != padding_column) take(i, columns[k], values[k]);
    }
  }
  return any;
}

/// Visits the places of a sub-matrix until no pair of the step has more entries.
template <PairPart part, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION void visit_part(const PairBlocks<Scalar>& A,
                                            const PairStep<most_pairs>& step, Ordinal begin,
                                            Ordinal end, const Turn& turn, const Take& take) {
  Ordinal place = begin;
  for (; place + places_ahead <= end; place += places_ahead)
    if (!visit_places<part, places_ahead>(A, step, place, turn, take)) return;
  for (; place < end; ++place)
    if (!visit_places<part, 1>(A, step, place, turn, take)) return;
}

/// Vectors of a lane: `lane`, `lane + lanes`, ... of a pass of at most W. A lane of a host has all.
template <int W, int lanes>
struct PairVectors {
  static constexpr int V = W / lanes;
  /// True if every lane has V vectors. Lanes without any do not take part, and a host chooses W.
  static constexpr bool always = V == 1 || lanes == 1;

  /// Calls `visit(v, vector)` for the vectors of a lane.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(int lane, int width, const Visit& visit) {
    for (int v = 0; v < V; ++v)
      if (always || v * lanes + lane < width) visit(v, v * lanes + lane);
  }
};

/// `Y = alpha A(range, :) X + beta Y`
template <class Scalar>
struct MultiplyPairs {
  PairBlocks<Scalar> A;
  MultiVectorPass<Scalar> pass;
  RowRange range;

  int width() const { return pass.width; }
  /// Returns the product with \p count vectors from \p first on.
  KOKKOS_FUNCTION MultiplyPairs part(int first, int count) const {
    MultiplyPairs result = *this;
    result.pass.x += first;
    result.pass.y += first;
    result.pass.width = count;
    return result;
  }

  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, int lane,
                                       Scalar (&sum)[Vectors::V]) const {
    const Scalar* const x = pass.x + pass.at(column);
    Vectors::for_each(lane, pass.width, [&](int v, int vector) {
      sum[v] = multiply_add(value, load_gathered(x + vector), sum[v]);
    });
  }

  /// Writes the sums of a row and clears them.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void finish(Ordinal row, int lane, Scalar (&sum)[Vectors::V]) const {
    Scalar* const y = pass.y + pass.at(row - range.begin);
    Vectors::for_each(lane, pass.width, [&](int v, int vector) {
      y[vector] = combine(pass.alpha, sum[v], pass.beta, y[vector]);
      sum[v] = 0;
    });
  }

  /// Processes both rows of the pairs of a step; the range is all rows.
  template <class Vectors, int most_pairs>
  KOKKOS_FORCEINLINE_FUNCTION void process(const PairStep<most_pairs>& step, int lane) const {
    Scalar sum[most_pairs][Vectors::V];
    bool turned[most_pairs];
    for (int i = 0; i < step.count; ++i) {
      for (int v = 0; v < Vectors::V; ++v) sum[i][v] = 0;
      turned[i] = false;
    }
    const auto turn = [&](int i) {
      finish<Vectors>(A.first_row(step.begin + i), lane, sum[i]);
      turned[i] = true;
    };
    const auto take = [&](int i, Ordinal column, Scalar value) {
      add<Vectors>(column, value, lane, sum[i]);
    };
    visit_part<PairPart::first>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (!turned[i]) turn(i);
    visit_part<PairPart::second>(A, step, A.mixed_end, A.width, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (A.has_second(step.begin + i)) finish<Vectors>(A.second_row(step.begin + i), lane, sum[i]);
  }

  /// Processes the entries of \p row, at the places from \p begin to \p end of a pair. The order of
  /// the sums is that of `process`.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void process_row(const PairStep<1>& step, Ordinal row, Ordinal begin,
                                               Ordinal end, int lane) const {
    Scalar sum[Vectors::V] = {};
    visit_part<PairPart::second>(
        A, step, begin, end, [](int) {},
        [&](int, Ordinal column, Scalar value) { add<Vectors>(column, value, lane, sum); });
    finish<Vectors>(row, lane, sum);
  }
};

/// Adds to Y with floating-point atomics.
template <class Scalar>
struct AddPairsAtomically {
  using Weight = Scalar;
  Scalar* y;
  Ordinal stride;
  Scalar alpha;

  KOKKOS_FORCEINLINE_FUNCTION AddPairsAtomically from(int first) const {
    return {y + first, stride, alpha};
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar scale(int) const { return alpha; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, int vector, Scalar value,
                                              Scalar weight) const {
    Kokkos::atomic_add(y + static_cast<Offset>(column) * stride + vector, value * weight);
  }
};

/// Adds integers, which count multiples of a unit, to sums.
///
/// \tparam absolute sums |A| instead of A, for a bound of the sums
template <class Scalar, bool absolute>
struct AddPairsFixed {
  using Weight = double;
  const double* bound;  // largest entry of each vector
  double column_bound;  // largest sum of a column of |A|
  int bits;
  long long* sums;  // of the vectors of a column side by side
  unsigned char* faults;
  Ordinal stride;

  KOKKOS_FORCEINLINE_FUNCTION AddPairsFixed from(int first) const {
    return {bound + first, column_bound, bits, sums + first, faults + first, stride};
  }
  KOKKOS_FORCEINLINE_FUNCTION double scale(int vector) const {
    const double bounded = bound[vector] * column_bound;
    return bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal column, int vector, Scalar value,
                                              double weight) const {
    const double factor = static_cast<double>(absolute ? fabs(value) : value);
    const Offset at = static_cast<Offset>(column) * stride + vector;
    if (weight - weight == 0)
      add_shared(sums + at, nearest(factor * weight));
    else
      faults[at] = 1;
  }
};

/// Computes `Y += alpha A(range, :)^T X` with any kind of addition.
template <class Scalar, class Add>
struct AddPairsTransposed {
  using Weight = typename Add::Weight;
  PairBlocks<Scalar> A;
  const Scalar* x;
  Ordinal stride;
  int vectors;
  Add to;
  RowRange range;

  int width() const { return vectors; }
  KOKKOS_FUNCTION AddPairsTransposed part(int first, int count) const {
    AddPairsTransposed result = *this;
    result.x += first;
    result.vectors = count;
    result.to = to.from(first);
    return result;
  }

  /// Loads the weights of the entries of a row.
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void weigh(Ordinal row, int lane, const Weight (&scale)[Vectors::V],
                                         Weight (&weight)[Vectors::V]) const {
    const Scalar* const values = x + static_cast<Offset>(row - range.begin) * stride;
    Vectors::for_each(lane, vectors, [&](int v, int vector) {
      weight[v] = static_cast<Weight>(values[vector]) * scale[v];
    });
  }
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void find_scale(int lane, Weight (&scale)[Vectors::V]) const {
    Vectors::for_each(lane, vectors, [&](int v, int vector) { scale[v] = to.scale(vector); });
  }
  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, int lane,
                                       const Weight (&weight)[Vectors::V]) const {
    Vectors::for_each(lane, vectors,
                      [&](int v, int vector) { to(column, vector, value, weight[v]); });
  }

  template <class Vectors, int most_pairs>
  KOKKOS_FORCEINLINE_FUNCTION void process(const PairStep<most_pairs>& step, int lane) const {
    Weight weight[most_pairs][Vectors::V], scale[Vectors::V];
    bool turned[most_pairs];
    find_scale<Vectors>(lane, scale);
    for (int i = 0; i < step.count; ++i) {
      weigh<Vectors>(A.first_row(step.begin + i), lane, scale, weight[i]);
      turned[i] = false;
    }
    const auto turn = [&](int i) {
      turned[i] = true;
      if (A.has_second(step.begin + i))
        weigh<Vectors>(A.second_row(step.begin + i), lane, scale, weight[i]);
    };
    const auto take = [&](int i, Ordinal column, Scalar value) {
      add<Vectors>(column, value, lane, weight[i]);
    };
    visit_part<PairPart::first>(A, step, 0, A.mixed_begin, turn, take);
    visit_part<PairPart::mixed>(A, step, A.mixed_begin, A.mixed_end, turn, take);
    for (int i = 0; i < step.count; ++i)
      if (!turned[i]) turn(i);
    visit_part<PairPart::second>(A, step, A.mixed_end, A.width, turn, take);
  }

  template <class Vectors>
  KOKKOS_FORCEINLINE_FUNCTION void process_row(const PairStep<1>& step, Ordinal row, Ordinal begin,
                                               Ordinal end, int lane) const {
    Weight weight[Vectors::V], scale[Vectors::V];
    find_scale<Vectors>(lane, scale);
    weigh<Vectors>(row, lane, scale, weight);
    visit_part<PairPart::second>(
        A, step, begin, end, [](int) {},
        [&](int, Ordinal column, Scalar value) { add<Vectors>(column, value, lane, weight); });
  }
};

/// Processes the rows of a pair that are in the range of \p kernel: both, one or none. A pair of
/// which only one row is in the range is read from or up to the first entry of its second row.
template <class Vectors, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void process_rows_in_range(const Kernel& kernel, Ordinal pair,
                                                       int lane) {
  const auto& A = kernel.A;
  const auto in_range = [&](Ordinal row) {
    return row >= kernel.range.begin && row < kernel.range.end;
  };
  const bool first = in_range(A.first_row(pair));
  const bool second = A.has_second(pair) && in_range(A.second_row(pair));
  if (!first && !second) return;
  const PairStep<1> step(pair, 1, A.num_pairs);
  const Ordinal junction = A.first_length(pair);
  if (first) kernel.template process_row<Vectors>(step, A.first_row(pair), 0, junction, lane);
  if (second)
    kernel.template process_row<Vectors>(step, A.second_row(pair), junction, A.width, lane);
}

/// Processes a pair with as many lanes of a GPU as `pair_lanes` says.
template <class Kernel, int W, bool all>
struct PairsByLanes {
  static constexpr int lanes = pair_lanes(W);
  using Vectors = PairVectors<W, lanes>;
  Kernel kernel;
  int width;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto pair = static_cast<Ordinal>(index / lanes);
    const auto lane = static_cast<int>(index % lanes);
    if (lane >= width) return;
    if constexpr (all)
      kernel.template process<Vectors>(PairStep<1>(pair, 1, kernel.A.num_pairs), lane);
    else
      process_rows_in_range<Vectors>(kernel, pair, lane);
  }
};

/// Processes a step with a thread of a host, for all vectors.
template <class Kernel>
struct PairsByRuns {
  Kernel kernel;
  int pairs;  // of a step

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Ordinal index) const {
    for_each_host_width(kernel.width(), [&](auto width, int first) {
      constexpr int W = decltype(width)::value;
      constexpr int most = most_step_pairs(W);
      kernel.part(first, W).template process<PairVectors<W, 1>>(
          PairStep<most>(index, pairs, kernel.A.num_pairs), 0);
    });
  }
};

/// Processes the rows of a pair that are in a range, with a thread of a host.
template <class Kernel>
struct RangeByPairs {
  Kernel kernel;

  void operator()(const Ordinal pair) const {
    for_each_host_width(kernel.width(), [&](auto width, int first) {
      constexpr int W = decltype(width)::value;
      process_rows_in_range<PairVectors<W, 1>>(kernel.part(first, W), pair, 0);
    });
  }
};

/// Returns the pairs of a step of a host. Every thread gets several steps, in whole words of bits.
template <class ExecutionSpace>
int step_pairs(const ExecutionSpace& exec, Ordinal num_pairs, int vectors) {
  const int share = num_pairs / (4 * concurrency(exec)) / lock_step_lanes * lock_step_lanes;
  return std::clamp(share, lock_step_lanes, most_step_pairs(vectors));
}

template <int W, class ExecutionSpace, class Kernel>
void launch_pair_lanes(const ExecutionSpace& exec, const std::string& label, const Kernel& kernel,
                       bool all) {
  using Whole = PairsByLanes<Kernel, W, true>;
  static_assert(sizeof(Whole) <= recordable_functor_bytes, "see recordable_functor_bytes");
  const auto threads = element_range(
      exec, static_cast<std::size_t>(kernel.A.num_pairs) * static_cast<std::size_t>(Whole::lanes));
  if (all)
    Kokkos::parallel_for(label, threads, Whole{kernel, kernel.width()});
  else
    Kokkos::parallel_for(label, threads, PairsByLanes<Kernel, W, false>{kernel, kernel.width()});
}

/// Launches a product over all pairs: once for all vectors on a host, once for each `spmm_widest`
/// vectors on a GPU.
template <class ExecutionSpace, class Kernel>
void launch_pairs(const ExecutionSpace& exec, const std::string& label, const Kernel& kernel) {
  const Ordinal pairs = kernel.A.num_pairs;
  const int vectors = kernel.width();
  const bool all = kernel.range == RowRange{0, kernel.A.num_rows};
  if (pairs == 0 || vectors == 0 || kernel.range.begin == kernel.range.end) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    if (all) {
      const int of_step = step_pairs(exec, pairs, vectors);
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (pairs - 1) / of_step + 1),
                           PairsByRuns<Kernel>{kernel, of_step});
    } else {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, pairs),
                           RangeByPairs<Kernel>{kernel});
    }
  } else {
    for (int first = 0, width = 0; first < vectors; first += width) {
      width = spmm_pass_width(vectors - first);
      const Kernel part = kernel.part(first, std::min(width, vectors - first));
      switch (width) {
        case 32:
          launch_pair_lanes<32>(exec, label, part, all);
          break;
        case 16:
          launch_pair_lanes<16>(exec, label, part, all);
          break;
        case 8:
          launch_pair_lanes<8>(exec, label, part, all);
          break;
        case 4:
          launch_pair_lanes<4>(exec, label, part, all);
          break;
        case 2:
          launch_pair_lanes<2>(exec, label, part, all);
          break;
        default:
          launch_pair_lanes<1>(exec, label, part, all);
      }
    }
  }
}

inline constexpr const char* pairs_largest = "Tomokkos::pair_blocked::largest_entry";

/// Returns the largest absolute value of A; infinite if a value is not finite.
template <class ExecutionSpace, class Scalar>
double largest_pair_value(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  double least = 0, largest = 0;
  if (A.num_stored() > 0)
    Kokkos::parallel_reduce("Tomokkos::pair_blocked::value_range",
                            element_range(exec, static_cast<std::size_t>(A.num_stored())),
                            ValueRange<Scalar, typename ExecutionSpace::memory_space>{A.values},
                            Kokkos::Min<double>(least), Kokkos::Max<double>(largest));
  fence(exec, "PairBlockedPlan: the range of the values");
  return std::max(-least, largest);
}

/// Adds `value X(row, :)` to the sums of \p plan for at most `plan.num_vectors()` vectors, as
/// integers.
template <bool absolute, class ExecutionSpace, class Scalar, class Plan>
void add_pairs_fixed(const ExecutionSpace& exec, const Plan& plan,
                     const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     RowRange range, const Scalar* x, Ordinal stride, int vectors,
                     double column_bound, int bits, const std::string& label) {
  using Add = AddPairsFixed<Scalar, absolute>;
  launch_pairs(exec, label,
               AddPairsTransposed<Scalar, Add>{
                   PairBlocks<Scalar>(A), x, stride, vectors,
                   Add{plan.bound().data(), column_bound, bits, plan.sums().data(),
                       plan.faults().data(), static_cast<Ordinal>(vectors)},
                   range});
}

/// Computes `Y = alpha A(range, :)^T X + beta Y` after the shapes were checked.
template <class ExecutionSpace, class Scalar>
void transpose_pairs(const ExecutionSpace& exec,
                     const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                     const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                     RowRange range, Scalar alpha,
                     const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                     Scalar beta,
                     const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y) {
  if (Y.size() == 0) return;
  const auto stride = static_cast<Ordinal>(X.extent(1));
  if (plan.method() == PairTranspose::atomic) {
    Kokkos::parallel_for(
        "Tomokkos::spmv_transpose::pair_blocked::atomic::scale", element_range(exec, Y.size()),
        ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
    using Add = AddPairsAtomically<Scalar>;
    launch_pairs(exec, "Tomokkos::spmv_transpose::pair_blocked::atomic",
                 AddPairsTransposed<Scalar, Add>{PairBlocks<Scalar>(A), X.data(), stride, stride,
                                                 Add{Y.data(), stride, alpha}, range});
    return;
  }
  require(plan.num_columns() == A.num_cols, "the plan of A^T x belongs to another matrix");
  const int bits = column_sum_bits<long long>(A.num_rows);
  for (int first = 0; first < stride; first += plan.num_vectors()) {
    const int vectors = std::min(plan.num_vectors(), stride - first);
    largest_finite_of_each(exec, pairs_largest, X.data() + first, range.end - range.begin, stride,
                           vectors, plan.bound());
    add_pairs_fixed<false>(exec, plan, A, range, X.data() + first, stride, vectors,
                           plan.column_bound(), bits,
                           "Tomokkos::spmv_transpose::pair_blocked::fixed_point");
    store_fixed_sums(
        exec, "Tomokkos::spmv_transpose::pair_blocked::fixed_point::finish",
        static_cast<Offset>(A.num_cols) * vectors,
        FixedSums<Scalar, long long>{plan.bound().data(), plan.column_bound(), bits, alpha, beta,
                                     plan.sums().data(), plan.faults().data(), Y.data() + first,
                                     stride, vectors});
  }
}

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatKernels<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> {
  using Matrix = PairBlockedMatrix<Scalar, MemorySpace>;

  static void multiply(const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>&,
                       const Matrix& A, const ProductTarget<Scalar>& target) {
    launch_pairs(exec, "Tomokkos::spmv::pair_blocked",
                 MultiplyPairs<Scalar>{PairBlocks<Scalar>(A),
                                       {target.x, target.y, target.alpha, target.beta, 1, 1},
                                       {0, A.num_rows}});
  }
};

template <class ExecutionSpace, class Scalar, class MemorySpace>
struct FormatSpmm<ExecutionSpace, PairBlockedMatrix<Scalar, MemorySpace>> {
  static void multiply(const ExecutionSpace& exec, const PairBlockedMatrix<Scalar, MemorySpace>& A,
                       const MultiVectorPass<Scalar>& pass, const SpmmOptions&) {
    launch_pairs(exec, "Tomokkos::spmm::pair_blocked",
                 MultiplyPairs<Scalar>{PairBlocks<Scalar>(A), pass, {0, A.num_rows}});
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const auto pass = Impl::whole_pass(range.size(A.num_rows), A.num_cols, alpha, X, beta, Y);
  if (Y.size() == 0) return;
  Impl::launch_pairs(exec, "Tomokkos::spmm::pair_blocked::rows",
                     Impl::MultiplyPairs<Scalar>{Impl::PairBlocks<Scalar>(A), pass, range});
}

template <class ExecutionSpace, class Scalar>
PairBlockedPlan<ExecutionSpace, Scalar>::PairBlockedPlan(const ExecutionSpace& exec,
                                                         const matrix_type& A, PairTranspose method)
    : method_(method), num_columns_(A.num_cols) {
  if (method == PairTranspose::atomic) return;
  const double largest = Impl::largest_pair_value(exec, A);
  require(largest == 0 || (largest >= 0x1p-900 && largest <= 0x1p900),
          "paired rows: for A^T x with integer sums the largest value must be finite and between "
          "1e-270 and 1e270; scale the matrix");
  reserve(exec, 1);
  if (largest > 0) {
    // Bounds the sums of |A| with integer sums. The unit is so large that no sum can overflow, and
    // the bound has the same bits on every run. Each term has an error of half a unit.
    const double loose = largest * A.num_rows;
    const int bits = Impl::column_sum_bits<long long>(A.num_rows);
    const auto ones =
        allocate<Vector<Scalar, memory_space>>(exec, "Tomokkos::PairBlockedPlan::ones", A.num_rows);
    Kokkos::deep_copy(exec, ones, Scalar(1));
    Kokkos::deep_copy(exec, bound_, 1.0);
    Impl::add_pairs_fixed<true>(exec, *this, A, {0, A.num_rows}, ones.data(), 1, 1, loose, bits,
                                "Tomokkos::pair_blocked::column_bounds");
    Impl::largest_finite(exec, Impl::pairs_largest, sums_.data(), A.num_cols, 1, bound_);
    const double sum = Impl::read_entry(exec, bound_, 0, "PairBlockedPlan: a bound of the matrix");
    column_bound_ =
        (sum + A.num_rows) * 1.0001 * Impl::power_of_two(-Impl::fixed_point_exponent(loose, bits));
    Kokkos::deep_copy(exec, sums_, 0LL);
  }
  Impl::fence(exec, "PairBlockedPlan: any instance may use it from now on");
}

template <class ExecutionSpace, class Scalar>
void PairBlockedPlan<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec,
                                                      int vectors) const {
  const int wanted = std::min(vectors, most_fixed_vectors);
  if (method_ == PairTranspose::atomic || wanted <= num_vectors_) return;
  const auto size = static_cast<std::size_t>(num_columns_) * static_cast<std::size_t>(wanted);
  // If one of these fails, the plan still serves as many vectors as before.
  const auto sums =
      allocate<Vector<long long, memory_space>>(exec, "Tomokkos::PairBlockedPlan::sums", size);
  const auto faults = allocate<Vector<unsigned char, memory_space>>(
      exec, "Tomokkos::PairBlockedPlan::faults", size);
  const auto bound =
      allocate<Vector<double, memory_space>>(exec, "Tomokkos::PairBlockedPlan::bound", wanted);
  sums_ = sums;
  faults_ = faults;
  bound_ = bound;
  Kokkos::deep_copy(exec, sums_, 0LL);
  Kokkos::deep_copy(exec, faults_, static_cast<unsigned char>(0));
  num_vectors_ = wanted;
}

template <class ExecutionSpace, class Scalar>
void spmv_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
                    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y) {
  Impl::require_operands(Impl::Operand("x", x, "rows of A", A.num_rows),
                         Impl::Operand("y", y, "columns of A", A.num_cols));
  Impl::transpose_pairs<ExecutionSpace, Scalar>(exec, plan, A, {0, A.num_rows}, alpha,
                                                as_multivector(x), beta, as_multivector(y));
}

template <class ExecutionSpace, class Scalar>
void spmm_transpose(const ExecutionSpace& exec, const PairBlockedPlan<ExecutionSpace, Scalar>& plan,
                    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    RowRange rows, Coefficient<Scalar> alpha,
                    const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                    const OutputMultiVector<ExecutionSpace, Scalar>& Y) {
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  Impl::require_operands(
      Impl::Operand("X", X, Impl::rows_in(range, A.num_rows), range.size(A.num_rows)),
      Impl::Operand("Y", Y, "columns of A", A.num_cols));
  Impl::transpose_pairs<ExecutionSpace, Scalar>(exec, plan, A, range, alpha, X, beta, Y);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                    \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, PairBlockedMatrix<SCALAR, SPACE::memory_space>) \
  TOMOKKOS_INSTANTIATE_SPMM(SPACE, SCALAR, PairBlockedMatrix<SCALAR, SPACE::memory_space>)     \
  template void spmm<SPACE, SCALAR>(                                                           \
      const SPACE&, const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,   \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                       \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                    \
  template class PairBlockedPlan<SPACE, SCALAR>;                                               \
  template void spmv_transpose<SPACE, SCALAR>(                                                 \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                                     \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, SCALAR,                           \
      const VectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                            \
      const VectorView<SCALAR, SPACE::memory_space>&);                                         \
  template void spmm_transpose<SPACE, SCALAR>(                                                 \
      const SPACE&, const PairBlockedPlan<SPACE, SCALAR>&,                                     \
      const PairBlockedMatrix<SCALAR, SPACE::memory_space>&, RowRange, SCALAR,                 \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                       \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
