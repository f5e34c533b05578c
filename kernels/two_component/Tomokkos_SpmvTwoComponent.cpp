// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_SpmvTwoComponent.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_TwoComponentScaling_impl.hpp>
#include <impl/Tomokkos_TwoComponentStreams_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Rows of a pattern per work item on a host in `spmv_two_component`, independent of the number of
/// threads: a few hundred KB of a mesh's matrix.
inline constexpr Offset two_component_rows_per_block = 512;

/// Number of teams of `staged_threads` rows for a pattern with \p rows rows.
constexpr int form_teams(Ordinal rows) {
  return rows / staged_threads + (rows % staged_threads != 0 ? 1 : 0);
}

/// Least number of teams of the staged `spmv_two_component` that share a multiprocessor.
inline constexpr int staged_form_teams = 8;

/// Entries of such a team in scratch memory, with \p entry_bytes bytes each: all entries of its
/// rows at once or in equal parts, as in `staged`. A multiple of a pack.
inline int staged_form_entries(Ordinal rows, Offset nonzeros, std::size_t entry_bytes) {
  constexpr std::size_t most_bytes = 24 * 1024;  // of 8 teams on an H200
  const Offset most = static_cast<Offset>(most_bytes / entry_bytes) / 4 * 4;
  const double mean = rows > 0 ? static_cast<double>(nonzeros) / rows : 0;
  const auto entries = static_cast<Offset>(staged_threads * mean * 1.05) + 8;
  const Offset parts = (entries + most - 1) / most;
  const Offset part = (entries + parts - 1) / parts;
  return static_cast<int>(std::clamp<Offset>((part + 3) / 4 * 4, 256, most));
}

/// Loads the components of an unknown from one vector, which is aligned to their size.
template <class Scalar, int C>
struct LoadComponents {
  const Scalar* x;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal i, Scalar (&to)[C]) const {
    load_gathered_block(x + static_cast<Offset>(i) * C, to);
  }
};

/// Loads the components of an unknown from a column of a row-major array.
template <class Scalar, int C>
struct LoadStrided {
  const Scalar* x;
  Offset stride;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal i, Scalar (&to)[C]) const {
    for (int c = 0; c < C; ++c)
      to[c] = load_gathered(x + (static_cast<Offset>(i) * C + c) * stride);
  }
};

template <class Operand, class Scalar, class LoadX>
KOKKOS_FORCEINLINE_FUNCTION void sum_two_component_row(const Operand& A, Ordinal row,
                                                       const LoadX& load,
                                                       Scalar (&sum)[Operand::components]) {
  constexpr int C = Operand::components;
  for (int c = 0; c < C; ++c) sum[c] = 0;
  for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k) {
    alignas(16) Scalar x[C];
    load(A.entries.columns[k], x);
    Operand::add(A.entries.values + k * Operand::width, x, sum);
  }
  A.add_couplings(row, load, sum);
}

/// \brief Computes products for any number of vectors, any alpha and beta: a thread per row of the
/// pattern and vector.
template <class Operand, class Scalar>
struct SpmvTwoComponentAny {
  Operand A;
  const Scalar* x;
  Scalar* y;
  Offset vectors;
  Scalar alpha, beta;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    constexpr int C = Operand::components;
    const auto row = static_cast<Ordinal>(index / vectors);
    const Offset j = index % vectors;
    Scalar sum[C];
    sum_two_component_row(A, row, LoadStrided<Scalar, C>{x + j, vectors}, sum);
    for (int c = 0; c < C; ++c) {
      Scalar& target = y[(static_cast<Offset>(row) * C + c) * vectors + j];
      target = combine(alpha, sum[c], beta, target);
    }
  }
};

/// \brief Computes a block of rows for one vector on a host, and their part of the dot product.
template <class Operand, class Scalar, bool with_dot>
struct SpmvTwoComponentRows {
  Operand A;
  const Scalar* x;
  Scalar* y;
  double* sums;

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset block) const {
    constexpr int C = Operand::components;
    const LoadComponents<Scalar, C> load{x};
    const Offset end = (block + 1) * two_component_rows_per_block;
    const Ordinal last = static_cast<Ordinal>(end < A.num_rows ? end : A.num_rows);
    double gathered = 0;
    for (Ordinal row = static_cast<Ordinal>(block * two_component_rows_per_block); row < last;
         ++row) {
      Scalar sum[C];
      sum_two_component_row(A, row, load, sum);
      const Offset at = static_cast<Offset>(row) * C;
      for (int c = 0; c < C; ++c) {
        y[at + c] = sum[c];
        if (with_dot)
          gathered =
              multiply_add(static_cast<double>(sum[c]), static_cast<double>(x[at + c]), gathered);
      }
    }
    if (with_dot) sums[block] = gathered;
  }
};

/// \brief Computes products with one vector on a GPU. Entries pass through scratch memory; a thread
/// per row.
///
/// \tparam teams least number of teams that share a multiprocessor
template <class ExecutionSpace, class Operand, class Scalar, bool with_dot, int teams>
struct SpmvTwoComponentStaged {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<staged_threads, teams>>;
  using Member = typename Policy::member_type;
  using Value = typename Operand::value_type;
  static constexpr int components = Operand::components;
  static constexpr int width = Operand::width;

  Operand A;
  const Scalar* x;
  Scalar* y;
  double* sums;
  /// Number of entries that fit into the scratch memory, a multiple of a pack.
  int capacity;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    constexpr int unroll = components > 1 ? 3 : 6;
    auto* const values = static_cast<Value*>(
        member.team_shmem().get_shmem_aligned(capacity * width * sizeof(Value), 16));
    auto* const columns = static_cast<Ordinal*>(
        member.team_shmem().get_shmem_aligned(capacity * sizeof(Ordinal), 16));
    const Ordinal first = member.league_rank() * staged_threads;
    const Ordinal left = A.num_rows - first;
    const Ordinal count = left < staged_threads ? left : staged_threads;
    const Ordinal row = first + member.team_rank();
    const bool works = member.team_rank() < count;
    const Offset row_begin = works ? A.row_offsets[row] : 0;
    const Offset row_end = works ? A.row_offsets[row + 1] : 0;
    const Offset end = A.row_offsets[first + count];
    const LoadComponents<Scalar, components> load{x};
    alignas(16) Scalar own[components] = {};
    if (with_dot && works) load(row, own);

    alignas(16) Scalar sum[components] = {};
    for (Offset chunk = A.row_offsets[first] / pack_size * pack_size; chunk < end;
         chunk += capacity) {
      const Offset chunk_end = chunk + capacity < end ? chunk + capacity : end;
      stage_entries<width>(member, A.entries, chunk, chunk_end, columns, values);
      member.team_barrier();
      const Offset from = row_begin > chunk ? row_begin : chunk;
      const Offset to = row_end < chunk_end ? row_end : chunk_end;
      const int high = from < to ? static_cast<int>(to - chunk) : 0;
      int k = from < to ? static_cast<int>(from - chunk) : 0;
      for (; k + unroll <= high; k += unroll) {
        alignas(16) Scalar gathered[unroll][components];
        for (int i = 0; i < unroll; ++i) load(columns[k + i], gathered[i]);
        for (int i = 0; i < unroll; ++i) Operand::add(values + (k + i) * width, gathered[i], sum);
      }
      for (; k < high; ++k) {
        alignas(16) Scalar gathered[components];
        load(columns[k], gathered);
        Operand::add(values + k * width, gathered, sum);
      }
      if (chunk_end < end) member.team_barrier();
    }
    if (works) {
      A.add_couplings(row, load, sum);
      store_block(sum, y + static_cast<Offset>(row) * components);
    }
    if constexpr (with_dot) {
      double gathered = 0;
      for (int c = 0; c < components; ++c)
        gathered = multiply_add(static_cast<double>(sum[c]), static_cast<double>(own[c]), gathered);
      const double total = sum_over_lanes(gathered, 1, warp_lanes);
      if (member.team_rank() % warp_lanes == 0)
        sums[static_cast<Offset>(member.league_rank()) * (staged_threads / warp_lanes) +
             member.team_rank() / warp_lanes] = total;
    }
  }
};

template <bool with_dot, class ExecutionSpace, class Operand, class Scalar>
void launch_staged_form(const ExecutionSpace& exec, const Operand& A, const Scalar* x, Scalar* y,
                        double* sums) {
  using Value = typename Operand::value_type;
  const int league = form_teams(A.num_rows);
  const int capacity = staged_form_entries(A.num_rows, A.entries.nonzeros,
                                           sizeof(Ordinal) + Operand::width * sizeof(Value));
  const std::size_t bytes =
      static_cast<std::size_t>(capacity) * (sizeof(Ordinal) + Operand::width * sizeof(Value)) +
      2 * 16;
  const auto launch = [&](const auto& functor) {
    typename std::decay_t<decltype(functor)>::Policy policy(exec, league, staged_threads);
    policy.set_scratch_size(0, Kokkos::PerTeam(bytes));
    Kokkos::parallel_for("Tomokkos::spmv::two_component::staged", policy, functor);
  };
  if (teams_fit(device_traits(exec), staged_form_teams, staged_threads, bytes))
    launch(SpmvTwoComponentStaged<ExecutionSpace, Operand, Scalar, with_dot, staged_form_teams>{
        A, x, y, sums, capacity});
  else  // a GPU with less scratch memory
    launch(SpmvTwoComponentStaged<ExecutionSpace, Operand, Scalar, with_dot, 1>{A, x, y, sums,
                                                                                capacity});
}

/// \brief Computes `y = A x` with or without the dot product. On a GPU x and y are aligned to 16
/// bytes.
template <bool with_dot, class ExecutionSpace, class Operand, class Scalar>
void launch_operand(const ExecutionSpace& exec, const Operand& A, const Scalar* x, Scalar* y,
                    double* sums) {
  if constexpr (is_host_space<ExecutionSpace>)
    Kokkos::parallel_for(
        "Tomokkos::spmv::two_component::rows",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(
            exec, 0,
            (A.num_rows + two_component_rows_per_block - 1) / two_component_rows_per_block),
        SpmvTwoComponentRows<Operand, Scalar, with_dot>{A, x, y, sums});
  else
    launch_staged_form<with_dot>(exec, A, x, y, sums);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class Matrix>
void Impl::spmv_two_component(
    const ExecutionSpace& exec, const Matrix& A, Scalar alpha,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X, Scalar beta,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y) {
  const auto form = Impl::operand_of(A);
  using Operand = std::decay_t<decltype(form)>;
  const long long rows = static_cast<long long>(form.num_rows) * Operand::components;
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "columns of A", rows);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "rows of A", rows);
  require_equal("vectors of Y", static_cast<long long>(Y.extent(1)), "vectors of X",
                static_cast<long long>(X.extent(1)));
  if (Y.size() == 0) return;
  const bool whole = Impl::is_host_space<ExecutionSpace> ||
                     (Impl::is_pack_aligned(X.data()) && Impl::is_pack_aligned(Y.data()));
  if (X.extent(1) == 1 && alpha == Scalar(1) && beta == Scalar(0) && whole) {
    Impl::launch_operand<false>(exec, form, X.data(), Y.data(), nullptr);
    return;
  }
  const auto vectors = static_cast<Offset>(X.extent(1));
  Kokkos::parallel_for(
      "Tomokkos::spmv::two_component::any", Impl::element_range(exec, form.num_rows * vectors),
      Impl::SpmvTwoComponentAny<Operand, Scalar>{form, X.data(), Y.data(), vectors, alpha, beta});
}

template <class ExecutionSpace>
Offset spmv_two_component_dot_sums(Ordinal pattern_rows) {
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    return (pattern_rows + Impl::two_component_rows_per_block - 1) /
           Impl::two_component_rows_per_block;
  else
    return Offset{Impl::form_teams(pattern_rows)} * (Impl::staged_threads / Impl::warp_lanes);
}

template <class ExecutionSpace, class Scalar, class Matrix>
void Impl::spmv_two_component_dot(
    const ExecutionSpace& exec, const Matrix& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& y,
    const VectorView<double, typename ExecutionSpace::memory_space>& sums) {
  const auto form = Impl::operand_of(A);
  const long long rows =
      static_cast<long long>(form.num_rows) * std::decay_t<decltype(form)>::components;
  Impl::require_operands(Impl::Operand("x", x, "columns of A", rows),
                         Impl::Operand("y", y, "rows of A", rows));
  require_equal("number of sums", static_cast<long long>(sums.extent(0)),
                "spmv_two_component_dot_sums",
                static_cast<long long>(spmv_two_component_dot_sums<ExecutionSpace>(form.num_rows)));
  if (rows == 0) return;
  require(Impl::is_host_space<ExecutionSpace> ||
              (Impl::is_pack_aligned(x.data()) && Impl::is_pack_aligned(y.data())),
          "a product with a dot product needs vectors aligned to 16 bytes");
  Impl::launch_operand<true>(exec, form, x.data(), y.data(), sums.data());
}

#define TOMOKKOS_PRODUCTS(SPACE, SCALAR, ...)                                                 \
  template void Impl::spmv_two_component<SPACE, SCALAR, __VA_ARGS__>(                         \
      const SPACE&, const __VA_ARGS__&, SCALAR,                                               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                      \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);                                   \
  template void Impl::spmv_two_component_dot<SPACE, SCALAR, __VA_ARGS__>(                     \
      const SPACE&, const __VA_ARGS__&, const VectorView<const SCALAR, SPACE::memory_space>&, \
      const VectorView<SCALAR, SPACE::memory_space>&,                                         \
      const VectorView<double, SPACE::memory_space>&);                                        \
  template void Impl::two_component_diagonal<SPACE, SCALAR, __VA_ARGS__>(                     \
      const SPACE&, const __VA_ARGS__&, const VectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_SCALING(SPACE, VALUE, SCALAR, FROM, FORM)  \
  template FORM<VALUE, SPACE::memory_space>                 \
  Impl::two_component_scaled<VALUE, SPACE, SCALAR, FROM>(   \
      const SPACE&, const FORM<FROM, SPACE::memory_space>&, \
      const VectorView<const SCALAR, SPACE::memory_space>&);
// Values and vectors both in float or both in double; or values in float, made from either, with
// vectors in double.
#define TOMOKKOS_FORM(SPACE, FORM)                                   \
  TOMOKKOS_PRODUCTS(SPACE, double, FORM<float, SPACE::memory_space>) \
  TOMOKKOS_SCALING(SPACE, float, double, float, FORM)                \
  TOMOKKOS_SCALING(SPACE, float, double, double, FORM)
#define TOMOKKOS_BLOCK_FORM(SPACE, FORM)                              \
  TOMOKKOS_FORM(SPACE, FORM)                                          \
  TOMOKKOS_PRODUCTS(SPACE, float, FORM<float, SPACE::memory_space>)   \
  TOMOKKOS_PRODUCTS(SPACE, double, FORM<double, SPACE::memory_space>) \
  TOMOKKOS_SCALING(SPACE, float, float, float, FORM)                  \
  TOMOKKOS_SCALING(SPACE, double, double, double, FORM)
#define TOMOKKOS_INSTANTIATE(SPACE)                            \
  template Offset spmv_two_component_dot_sums<SPACE>(Ordinal); \
  TOMOKKOS_FORM(SPACE, CsrMatrix)                              \
  TOMOKKOS_BLOCK_FORM(SPACE, ComplexCsrMatrix)                 \
  TOMOKKOS_BLOCK_FORM(SPACE, SharedCsrMatrix)
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_BLOCK_FORM
#undef TOMOKKOS_FORM
#undef TOMOKKOS_SCALING
#undef TOMOKKOS_PRODUCTS

}  // namespace Tomokkos
