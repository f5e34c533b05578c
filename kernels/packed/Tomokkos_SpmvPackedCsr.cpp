// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PackedCsrFormat.hpp>
#include <impl/Tomokkos_PackedCsrHosts.hpp>
#include <impl/Tomokkos_StoredProducts_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Four entries of four groups, which a lane loads at once.
template <class Scalar, StoredPrecision Values>
struct PackedPack {
  ShortPack offsets;
  Pack<Scalar> values;

  KOKKOS_FORCEINLINE_FUNCTION void load(const PackedStreams<Scalar, Values>& A, Offset from,
                                        int at) {
    offsets = load_streamed_shorts(A.offsets + from + at);
    values = load_streamed(A.values + from + at);
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned offset(int c) const { return offsets[c]; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(const PackedStreams<Scalar, Values>&, int c) const {
    return values.value[c];
  }
};

template <class Scalar, StoredPrecision Values>
requires(Values != StoredPrecision::plain) struct PackedPack<Scalar, Values> {
  Pack<std::uint32_t> words;

  KOKKOS_FORCEINLINE_FUNCTION void load(const PackedStreams<Scalar, Values>& A, Offset from,
                                        int at) {
    words = load_streamed(A.words + from + at);
  }
  KOKKOS_FORCEINLINE_FUNCTION unsigned offset(int c) const { return words.value[c] & 0xffffU; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(const PackedStreams<Scalar, Values>& A, int c) const {
    return A.coded(words.value[c] >> 16);
  }
};

/// \brief Returns the entry of x for number c of a pack.
///
/// \tparam any_far whether the matrix has far groups. All lanes that share a base take the same
///   branch. If false, \p base is the first column of the group.
template <bool any_far, class Scalar, StoredPrecision Values>
KOKKOS_FORCEINLINE_FUNCTION Scalar gather_packed(const PackedStreams<Scalar, Values>& A,
                                                 const PackedPack<Scalar, Values>& pack, int c,
                                                 std::uint32_t base, int lane, const Scalar* x) {
  if constexpr (any_far) {
    if (base >= packed_far) return load_gathered(x + A.far(base)[lane]);
    return load_gathered(x + (A.first_column(base) + pack.offset(c)));
  } else {
    (void)A, (void)lane;
    return load_gathered(x + (base + pack.offset(c)));
  }
}

/// Threads of a team, and least number of teams per multiprocessor, which limits the registers.
inline constexpr int packed_threads = 256;
template <StoredPrecision Values>
inline constexpr int packed_teams = Values == StoredPrecision::plain ? 4 : 5;

/// \brief Computes rows along rows on a GPU: \p lanes neighbouring threads share a row and read one
/// pack each of a chunk. One team processes the rows of a tile, so that they share the lines of x.
template <class ExecutionSpace, class Scalar, StoredPrecision Values, int lanes, bool any_far>
struct SpmvPackedAlong {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace,
                                    Kokkos::LaunchBounds<packed_threads, packed_teams<Values>>>;
  using Member = typename Policy::member_type;
  static constexpr int chunk = lanes * pack_size;
  /// Number of chunks loaded before the first is used, limited by the registers.
  static constexpr int batch_size = Values == StoredPrecision::plain && sizeof(Scalar) == 4 ? 3 : 2;

  PackedStreams<Scalar, Values> A;
  ProductTarget<Scalar> target;
  int rows_per_team;

  /// Position of a row in the arrays.
  struct Row {
    Offset begin;
    int length;
  };

  KOKKOS_FORCEINLINE_FUNCTION Row find(Offset slot) const {
    if (slot >= A.num_rows) return {0, 0};
    return {A.bundle_offsets[slot], A.row_lengths[slot]};
  }

  /// Adds the products of up to `batch_size` chunks from \p q on. \p whole: there are `batch_size`
  /// chunks, all full.
  template <bool whole>
  KOKKOS_FORCEINLINE_FUNCTION void process_batch(const std::uint32_t* bases, Offset first_entry,
                                                 const int q, const int full, const int rest,
                                                 const int lane, Scalar (&sum)[pack_size]) const {
    const int packs_of_rest = (rest + pack_size - 1) / pack_size;
    PackedPack<Scalar, Values> packs[batch_size];
    for (int i = 0; i < batch_size; ++i)
      if (whole || q + i < full || (q + i == full && lane < packs_of_rest))
        packs[i].load(A, first_entry, (q + i) * chunk);
    for (int i = 0; i < batch_size; ++i) {
      const bool is_full = whole || q + i < full;
      if (!is_full && (q + i != full || lane >= packs_of_rest)) break;
      const Pack<std::uint32_t> base = load_bases(bases + (q + i) * pack_size);
      for (int c = 0; c < pack_size; ++c)
        if (is_full || c * packs_of_rest + lane < rest)
          sum[c] += packs[i].value(A, c) *
                    gather_packed<any_far>(A, packs[i], c, base.value[c], lane, target.x);
    }
  }

  /// Loads the bases of a chunk; all lanes of a row read the same ones.
  KOKKOS_FORCEINLINE_FUNCTION Pack<std::uint32_t> load_bases(const std::uint32_t* from) const {
    Pack<std::uint32_t> base;
    load_gathered_block(from, base.value);
    if constexpr (!any_far)
      for (int c = 0; c < pack_size; ++c) base.value[c] = A.first_column(base.value[c]);
    return base;
  }

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Offset slot, const Row& row,
                                             const int lane) const {
    const int full = row.length / chunk, rest = row.length - full * chunk;
    const int chunks = full + (rest > 0 ? 1 : 0);
    const std::uint32_t* const bases = A.bases + (row.begin / chunk + slot) * pack_size;
    const Offset first_entry = row.begin + lane * pack_size;
    Scalar sum[pack_size] = {0, 0, 0, 0};
    int q = 0;
    for (; q + batch_size <= full; q += batch_size)
      process_batch<true>(bases, first_entry, q, full, rest, lane, sum);
    for (; q < chunks; q += batch_size)
      process_batch<false>(bases, first_entry, q, full, rest, lane, sum);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    constexpr int step = packed_threads / lanes;
    const Offset begin = static_cast<Offset>(member.league_rank()) * rows_per_team;
    const Offset end = begin + rows_per_team < A.num_rows ? begin + rows_per_team
                                                          : static_cast<Offset>(A.num_rows);
    const int lane = member.team_rank() % lanes;
    Offset slot = begin + member.team_rank() / lanes;
    Row row = find(slot);
    // All lanes of a row leave the loop together.
    for (; slot < end; slot += step) {
      const Row next = find(slot + step);
      const Scalar sum = sum_over_lanes(row_sum(slot, row, lane), 1, lanes);
      if (lane == 0) target.store(A.row(static_cast<Ordinal>(slot)), sum);
      row = next;
    }
  }
};

/// \brief Computes rows across rows on a GPU: one thread per row, one warp per bundle.
template <class Scalar, StoredPrecision Values, bool any_far>
struct SpmvPackedAcross {
  PackedStreams<Scalar, Values> A;
  ProductTarget<Scalar> target;

  KOKKOS_FORCEINLINE_FUNCTION Scalar row_sum(const Ordinal slot) const {
    constexpr int batch_size = 2, chunk = warp_lanes * pack_size;
    const Ordinal bundle = slot / warp_lanes;
    const int lane = slot - bundle * warp_lanes;
    const Ordinal length = A.row_lengths[slot];
    const Offset begin = A.bundle_offsets[bundle];
    const Offset first_entry = begin + lane * pack_size;
    const std::uint32_t* const bases = A.bases + begin / warp_lanes;
    Scalar sum[pack_size] = {0, 0, 0, 0};
    for (Ordinal k = 0; k < length; k += batch_size * pack_size) {
      PackedPack<Scalar, Values> packs[batch_size];
      Pack<std::uint32_t> base[batch_size];
      for (int i = 0; i < batch_size; ++i) {
        const int q = k / pack_size + i;
        if (k + i * pack_size >= length) continue;
        packs[i].load(A, first_entry + Offset{q} * chunk, 0);
        base[i] = load_streamed(bases + q * pack_size);
        if constexpr (!any_far)
          for (int c = 0; c < pack_size; ++c) base[i].value[c] = A.first_column(base[i].value[c]);
      }
      for (int i = 0; i < batch_size; ++i)
        for (int c = 0; c < pack_size; ++c)
          if (k + i * pack_size + c < length)
            sum[c] += packs[i].value(A, c) *
                      gather_packed<any_far>(A, packs[i], c, base[i].value[c], lane, target.x);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    if (slot < A.num_rows) target.store(A.row(slot), row_sum(slot));
  }
};

/// \brief Computes rows of any other shape: one thread per row, entry by entry.
template <class Scalar, StoredPrecision Values>
struct SpmvPackedAny {
  PackedStreams<Scalar, Values> A;
  ProductTarget<Scalar> target;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    Scalar sum = 0;
    for (Ordinal k = 0; k < A.row_lengths[slot]; ++k) {
      const PackedPlace at = A.place(slot, k);
      sum += A.value(at.entry) * load_gathered(target.x + A.column(at));
    }
    target.store(A.row(slot), sum);
  }
};

/// \brief Computes rows on a host, with packs of one entry. Each part of the range has an equal
/// share of the entries.
template <class Scalar, StoredPrecision Values, bool across>
struct SpmvPackedHost {
  PackedStreams<Scalar, Values> A;
  ProductTarget<Scalar> target;
  int parts;

  Ordinal first_bundle(int part) const {
    const Offset entries = A.bundle_offsets[A.num_bundles];
    const Offset wanted = part < parts ? entries / parts * part : entries + 1;
    Ordinal low = 0, high = A.num_bundles;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (A.bundle_offsets[middle] < wanted)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  // Called only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const int part) const {
    const Ordinal last = first_bundle(part + 1);
    for (Ordinal b = part == 0 ? 0 : first_bundle(part); b < last; ++b) {
      if constexpr (across) {
        constexpr int lanes = host_chunk_lanes<Scalar>;
        Scalar sums[lanes];
        host_packed_bundle_sum(A, b, target.x, sums);
        const Ordinal left = A.num_rows - b * lanes;
        for (int lane = 0; lane < (left < lanes ? left : lanes); ++lane)
          target.store(A.row(b * lanes + lane), sums[lane]);
      } else {
        target.store(A.row(b), host_packed_row_sum(A, b, target.x));
      }
    }
  }
};

template <int lanes, bool any_far, class ExecutionSpace, class Scalar, StoredPrecision Values>
void launch_packed_along(const ExecutionSpace& exec, const PackedStreams<Scalar, Values>& A,
                         const ProductTarget<Scalar>& target) {
  using Functor = SpmvPackedAlong<ExecutionSpace, Scalar, Values, lanes, any_far>;
  // Two tiles of 4 rays x 8 views, or as many rows as the threads can process.
  const int rows = lanes == 32 ? 64 : packed_threads / lanes;
  Kokkos::parallel_for("Tomokkos::spmv::packed_csr::along_rows",
                       typename Functor::Policy(exec, (A.num_rows - 1) / rows + 1, packed_threads),
                       Functor{A, target, rows});
}

/// Launches the GPU kernel for the shape; returns false if no kernel fits.
template <bool any_far, class ExecutionSpace, class Scalar, StoredPrecision Values>
bool launch_packed(const ExecutionSpace& exec, const PackedStreams<Scalar, Values>& A,
                   const ProductTarget<Scalar>& target) {
  if (A.side == 1 && A.group == 32)
    launch_packed_along<32, any_far>(exec, A, target);
  else if (A.side == 1 && A.group == 16)
    launch_packed_along<16, any_far>(exec, A, target);
  else if (A.side == 1 && A.group == 8)
    launch_packed_along<8, any_far>(exec, A, target);
  else if (A.side != 1 && A.group == warp_lanes)
    Kokkos::parallel_for("Tomokkos::spmv::packed_csr::across_rows",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                         SpmvPackedAcross<Scalar, Values, any_far>{A, target});
  else
    return false;
  return true;
}

template <class ExecutionSpace, class Scalar, class MemorySpace, StoredPrecision Values>
struct FormatKernels<ExecutionSpace, PackedCsrMatrix<Scalar, MemorySpace, Values>> {
  using Matrix = PackedCsrMatrix<Scalar, MemorySpace, Values>;

  static void multiply(const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>&,
                       const Matrix& A, const ProductTarget<Scalar>& target) {
    const PackedStreams<Scalar, Values> streams(A);
    const bool along = A.side == 1;
    if constexpr (is_host_space<ExecutionSpace>) {
      const int parts = concurrency(exec);
      const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, parts);
      if (A.pack == 1 && along) {
        Kokkos::parallel_for("Tomokkos::spmv::packed_csr::along_rows", all,
                             SpmvPackedHost<Scalar, Values, false>{streams, target, parts});
        return;
      }
      if (A.pack == 1 && A.group == host_chunk_lanes<Scalar>) {
        Kokkos::parallel_for("Tomokkos::spmv::packed_csr::across_rows", all,
                             SpmvPackedHost<Scalar, Values, true>{streams, target, parts});
        return;
      }
    } else if (A.pack == pack_size) {
      if (A.num_far_groups() > 0 ? launch_packed<true>(exec, streams, target)
                                 : launch_packed<false>(exec, streams, target))
        return;
    }
    Kokkos::parallel_for("Tomokkos::spmv::packed_csr::any_shape",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                         SpmvPackedAny<Scalar, Values>{streams, target});
  }
};

}  // namespace Impl

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, SCALAR, PackedCsrMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#define TOMOKKOS_ROUNDED(SPACE, VALUES) \
  PackedCsrMatrix<float, SPACE::memory_space, StoredPrecision::VALUES>
#define TOMOKKOS_INSTANTIATE(SPACE)                                          \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, float, TOMOKKOS_ROUNDED(SPACE, half)) \
  TOMOKKOS_INSTANTIATE_PRODUCTS(SPACE, float, TOMOKKOS_ROUNDED(SPACE, scaled))
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_ROUNDED

}  // namespace Tomokkos
