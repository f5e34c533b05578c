// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with rows that are traced, for any geometry. `Rows` is a copyable description with
//
//  - `lanes`: number of lanes of a team that have sums of their own;
//  - `most_rows`: number of rows that a team traces together at most;
//  - `rows_together()`: number of successive rows that have one trace; they begin at multiples of
//    it;
//  - `policy(exec, teams, more_scratch)`: teams, with scratch memory for a tracer and more;
//  - `memory_bytes()`;
//  - `Team(member, rows)`, whose `trace(row, take)` calls take(count, visit) for the parts of a
//  row:
//    visit(lane, visitor) with 0 <= lane < count calls visitor(place, weight). The whole team calls
//    it;
//  - `column(place, row)`: the column of a place, negative if it is left out; `row` is one of those
//    with the same trace.
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_MultiplyAdd.hpp>
#include <Tomokkos_TracedProjection.hpp>
#include <algorithm>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <utility>
#include <vector>

namespace Tomokkos::Impl {

/// Rows of a range in parts that a team traces together.
struct RowParts {
  Ordinal begin, end;   // the range
  Ordinal together;     // rows with one trace
  Ordinal of_team;      // most rows of a team
  Ordinal first_group;  // group of the first row
  Ordinal teams_of_group;

  RowParts(RowRange rows, Ordinal rows_together, Ordinal most)
      : begin(rows.begin),
        end(rows.end),
        together(rows_together),
        of_team(most < rows_together ? most : rows_together),
        first_group(rows.begin / rows_together),
        teams_of_group((rows_together + of_team - 1) / of_team) {}

  Ordinal num_teams() const {
    if (begin == end) return 0;
    return ((end - 1) / together - first_group + 1) * teams_of_group;
  }
  KOKKOS_FUNCTION RowRange rows_of_team(Ordinal team) const {
    const Ordinal first =
        (first_group + team / teams_of_group) * together + team % teams_of_group * of_team;
    const Ordinal group_end = (first_group + team / teams_of_group + 1) * together;
    RowRange rows;
    rows.begin = first > begin ? first : begin;
    rows.end = first + of_team < group_end ? first + of_team : group_end;
    if (rows.end > end) rows.end = end;
    return rows;
  }
};

/// Term of a product with some vectors.
template <class Scalar>
struct ProductTerm {
  const Scalar* x;
  Ordinal stride;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double entry, Ordinal column, int v,
                                                double sum) const {
    return multiply_add(entry, static_cast<double>(x[static_cast<Offset>(column) * stride + v]),
                        sum);
  }
};

template <class Scalar>
struct StoreProduct {
  Scalar alpha, beta;
  Scalar* y;
  Ordinal stride;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal row, int v, double sum) const {
    Scalar& result = y[static_cast<Offset>(row) * stride + v];
    const double product = static_cast<double>(alpha) * sum;
    result =
        static_cast<Scalar>(beta == Scalar(0) ? product
                                              : multiply_add(static_cast<double>(beta),
                                                             static_cast<double>(result), product));
  }
};

struct SquareTerm {
  KOKKOS_FORCEINLINE_FUNCTION double operator()(double entry, Ordinal, int, double sum) const {
    return multiply_add(entry, entry, sum);
  }
};

struct StoreSum {
  double* sums;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Ordinal row, int, double sum) const {
    sums[row] = sum;
  }
};

/// Adds the entries of a part of a row to the sums of a lane.
template <class Rows, class Scalar, class Term>
struct AddToSums {
  const Rows& rows;
  const Term& term;
  RowRange range;
  int count;     // vectors
  double* sums;  // of this lane

  template <class Place>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Place place, double weight) {
    if (!is_stored(weight)) return;
    const double entry = static_cast<double>(static_cast<Scalar>(weight));
    double* sum = sums;
    for (Ordinal row = range.begin; row < range.end; ++row) {
      const Ordinal column = rows.column(place, row);
      for (int v = 0; v < count; ++v, ++sum)
        if (column >= 0) *sum = term(entry, column, v, *sum);
    }
  }
};

/// Sums of the entries of rows. The sums of the lanes are added in their order.
template <class Rows, class Scalar, class Term, class Store>
struct SumTracedRows {
  using Member = typename Rows::Member;

  Rows rows;
  RowParts parts;
  int count;  // vectors
  Term term;
  Store store;

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const RowRange range = parts.rows_of_team(member.league_rank());
    if (range.begin >= range.end) return;
    const int size = static_cast<int>(range.end - range.begin) * count;
    double* const sums = static_cast<double*>(
        member.team_shmem().get_shmem_aligned(sums_bytes(parts.of_team, count), 16));
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, Rows::lanes), [&](const int lane) {
      for (int k = 0; k < size; ++k) sums[lane * size + k] = 0;
    });
    member.team_barrier();
    const typename Rows::Team team(member, rows);
    team.trace(range.begin, [&](const int lanes, const auto& visit) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const int lane) {
        AddToSums<Rows, Scalar, Term> add{rows, term, range, count, sums + lane * size};
        visit(lane, add);
      });
    });
    member.team_barrier();
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, size), [&](const int k) {
      double sum = sums[k];
      for (int lane = 1; lane < Rows::lanes; ++lane) sum += sums[lane * size + k];
      store(range.begin - parts.begin + k / count, k % count, sum);
    });
  }

  KOKKOS_FUNCTION static std::size_t sums_bytes(Ordinal of_team, int count) {
    return static_cast<std::size_t>(of_team) * static_cast<std::size_t>(count * Rows::lanes) *
           sizeof(double);
  }
};

template <class Rows, class Scalar, class ExecutionSpace, class Term, class Store>
void sum_traced_rows(const ExecutionSpace& exec, const std::string& label, const Rows& rows,
                     RowRange range, int count, const Term& term, const Store& store) {
  using Sums = SumTracedRows<Rows, Scalar, Term, Store>;
  const RowParts parts(range, rows.rows_together(), std::max<Ordinal>(1, Rows::most_rows / count));
  if (parts.num_teams() == 0) return;
  Kokkos::parallel_for(
      label, rows.policy(exec, parts.num_teams(), Sums::sums_bytes(parts.of_team, count) + 16),
      Sums{rows, parts, count, term, store});
}

/// Adds the entries of rows, times the values of some vectors, to integer sums of the columns.
template <class Scalar>
struct AddFixed {
  const Scalar* x;  // of the first row; null: all values are 1
  Ordinal stride;
  const double* bounds;  // largest entry of each vector
  double column_bound;
  int bits;
  Ordinal num_cols;
  long long* sums;  // vector by vector
  unsigned char* faults;
};

template <class Rows, class Scalar>
struct AddTracedRows {
  using Member = typename Rows::Member;

  Rows rows;
  RowParts parts;
  int count;  // vectors
  AddFixed<Scalar> to;

  struct Visitor {
    const AddTracedRows& of;
    RowRange range;
    const double* scales;

    template <class Place>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Place place, double weight) {
      if (!is_stored(weight)) return;
      const double entry = static_cast<double>(static_cast<Scalar>(weight));
      for (Ordinal row = range.begin; row < range.end; ++row) {
        const Ordinal column = of.rows.column(place, row);
        if (column < 0) continue;
        for (int v = 0; v < of.count; ++v) {
          const double value =
              of.to.x == nullptr
                  ? 1.0
                  : static_cast<double>(
                        of.to.x[static_cast<Offset>(row - of.parts.begin) * of.to.stride + v]);
          const Offset index = static_cast<Offset>(v) * of.to.num_cols + column;
          if (value - value == 0)
            add_shared(of.to.sums + index, nearest(entry * (value * scales[v])));
          else
            of.to.faults[index] = 1;
        }
      }
    }
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const RowRange range = parts.rows_of_team(member.league_rank());
    if (range.begin >= range.end) return;
    double scales[max_traced_vectors];
    for (int v = 0; v < count; ++v) {
      const double bounded = to.bounds[v] * to.column_bound;
      scales[v] = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, to.bits)) : 0.0;
    }
    const typename Rows::Team team(member, rows);
    team.trace(range.begin, [&](const int lanes, const auto& visit) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const int lane) {
        Visitor add{*this, range, scales};
        visit(lane, add);
      });
    });
  }
};

/// Counts the entries of rows in each column.
template <class Rows>
struct CountTracedColumns {
  using Member = typename Rows::Member;

  Rows rows;
  RowParts parts;
  Ordinal* counts;

  struct Visitor {
    const CountTracedColumns& of;
    RowRange range;

    template <class Place>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Place place, double weight) {
      if (!is_stored(weight)) return;
      for (Ordinal row = range.begin; row < range.end; ++row) {
        const Ordinal column = of.rows.column(place, row);
        if (column >= 0) Kokkos::atomic_add(of.counts + column, Ordinal(1));
      }
    }
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const RowRange range = parts.rows_of_team(member.league_rank());
    if (range.begin >= range.end) return;
    const typename Rows::Team team(member, rows);
    team.trace(range.begin, [&](const int lanes, const auto& visit) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const int lane) {
        Visitor count{*this, range};
        visit(lane, count);
      });
    });
  }
};

/// Keeps the larger of two counts, and resets the second.
struct KeepLargerCount {
  Ordinal* largest;
  Ordinal* counts;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    if (counts[i] > largest[i]) largest[i] = counts[i];
    counts[i] = 0;
  }
};

/// Visits rows one after the other with one team. The lanes share the entries of a row, whose
/// columns are different.
template <class Rows, class Scalar>
struct SweepTracedRows {
  using Member = typename Rows::Member;

  Rows rows;
  const Ordinal* order;  // null: natural order
  Ordinal visits;
  const double* squared_norms;
  KaczmarzCoefficients<Scalar> by;
  const Scalar* b;
  Scalar* x;

  struct Move {
    const SweepTracedRows& of;
    Ordinal row;
    double step;

    template <class Place>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(Place place, double weight) {
      if (!is_stored(weight)) return;
      const Ordinal column = of.rows.column(place, row);
      if (column < 0) return;
      Scalar& value = of.x[column];
      const double after = multiply_add(step, static_cast<double>(static_cast<Scalar>(weight)),
                                        static_cast<double>(value));
      // A NaN fails both comparisons and stays visible.
      value = after < static_cast<double>(of.by.minimum)   ? of.by.minimum
              : after > static_cast<double>(of.by.maximum) ? of.by.maximum
                                                           : static_cast<Scalar>(after);
    }
  };

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const ProductTerm<Scalar> term{x, 1};
    double* const sums = static_cast<double*>(
        member.team_shmem().get_shmem_aligned(Rows::lanes * sizeof(double), 16));
    const typename Rows::Team team(member, rows);
    for (Ordinal visited = 0; visited < visits; ++visited) {
      const Ordinal row = order == nullptr ? visited : order[visited];
      const double squared_norm = squared_norms[row];
      if (squared_norm == 0) continue;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, Rows::lanes),
                           [&](const int lane) { sums[lane] = 0; });
      member.team_barrier();
      const RowRange range{row, row + 1};
      team.trace(row, [&](const int lanes, const auto& visit) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const int lane) {
          AddToSums<Rows, Scalar, ProductTerm<Scalar>> add{rows, term, range, 1, sums + lane};
          visit(lane, add);
        });
      });
      member.team_barrier();
      double dot = 0;
      for (int lane = 0; lane < Rows::lanes; ++lane) dot += sums[lane];
      const double step =
          static_cast<double>(by.relaxation) * (static_cast<double>(b[row]) - dot) / squared_norm;
      member.team_barrier();
      team.trace(row, [&](const int lanes, const auto& visit) {
        Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), [&](const int lane) {
          Move move{*this, row, step};
          visit(lane, move);
        });
      });
      member.team_barrier();
    }
  }
};

/// Products of `TracedProjection` with the rows of one geometry.
template <class ExecutionSpace, class Scalar, class Rows>
class TracedRowsProjection final : public TracedProjection<ExecutionSpace, Scalar> {
 public:
  using Base = TracedProjection<ExecutionSpace, Scalar>;
  using memory_space = typename Base::memory_space;
  using Workspace = typename Base::Workspace;
  using In = InputMultiVector<ExecutionSpace, Scalar>;
  using Out = OutputMultiVector<ExecutionSpace, Scalar>;
  using Base::num_cols;
  using Base::num_rows;

  /// \param largest_weight bound of the entries
  TracedRowsProjection(Ordinal height, Ordinal width, Rows rows, double largest_weight)
      : Base(height, width), rows_(std::move(rows)), largest_weight_(largest_weight) {}

  std::size_t memory_bytes() const override { return rows_.memory_bytes(); }

  void reserve(const ExecutionSpace& exec, int vectors, Workspace& work) const override {
    vectors = std::min(vectors, max_traced_vectors);
    if (vectors <= work.vectors) return;
    const auto count = static_cast<std::size_t>(vectors) * static_cast<std::size_t>(num_cols());
    work.sums = {};
    work.sums = allocate<Vector<long long, memory_space>>(exec, "Tomokkos::traced::sums", count);
    work.faults =
        allocate<Vector<unsigned char, memory_space>>(exec, "Tomokkos::traced::faults", count);
    Kokkos::deep_copy(exec, work.sums, 0LL);
    Kokkos::deep_copy(exec, work.faults, static_cast<unsigned char>(0));
    const bool is_first = work.vectors == 0;
    work.vectors = vectors;
    if (!is_first) return;
    work.bounds = allocate<Vector<double, memory_space>>(exec, "Tomokkos::traced::bounds",
                                                         max_traced_vectors);
    // Bounds the sums of the columns by integer sums, whose unit is so large that none overflows.
    // Each term has an error of half a unit.
    const double loose = largest_weight_ * std::max<Ordinal>(num_rows(), 1);
    Kokkos::deep_copy(exec, work.bounds, 1.0);
    add_rows(exec, "Tomokkos::traced::column_bounds", {0, num_rows()}, 1,
             {nullptr, 1, work.bounds.data(), loose, bits(), num_cols(), work.sums.data(),
              work.faults.data()});
    largest_finite(exec, "Tomokkos::traced::largest", work.sums.data(), num_cols(), 1, work.bounds);
    const double sum = read_entry(exec, work.bounds, 0, "TracedProjection: the bound has arrived");
    work.column_bound = (std::max(sum, 0.0) + num_rows()) * 1.0001 *
                        power_of_two(-fixed_point_exponent(loose, bits()));
    if (work.column_bound > 0)
      require_summable_columns<Scalar>(work.column_bound, "the matrix that is computed");
    Kokkos::deep_copy(exec, work.sums, 0LL);
  }

  void product(const ExecutionSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y,
               RowRange rows) const override {
    rows = checked_range(rows, num_rows(), "rows");
    require_equal("rows of X", static_cast<long long>(X.extent(0)), "columns of A", num_cols());
    require_equal("rows of Y", static_cast<long long>(Y.extent(0)), rows_in(rows, num_rows()),
                  rows.end - rows.begin);
    require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                  static_cast<long long>(X.extent(1)));
    const auto vectors = static_cast<Ordinal>(X.extent(1));
    for (Ordinal first = 0; first < vectors; first += max_traced_vectors)
      sum_traced_rows<Rows, Scalar>(exec, "Tomokkos::traced::product", rows_, rows,
                                    std::min<int>(max_traced_vectors, vectors - first),
                                    ProductTerm<Scalar>{X.data() + first, vectors},
                                    StoreProduct<Scalar>{alpha, beta, Y.data() + first, vectors});
  }

  void transposed_product(const ExecutionSpace& exec, Scalar alpha, const In& X, Scalar beta,
                          const Out& Y, RowRange rows, Workspace& work) const override {
    rows = checked_range(rows, num_rows(), "rows");
    require_equal("rows of X", static_cast<long long>(X.extent(0)), rows_in(rows, num_rows()),
                  rows.end - rows.begin);
    require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "columns of A", num_cols());
    require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                  static_cast<long long>(X.extent(1)));
    const auto vectors = static_cast<Ordinal>(X.extent(1));
    reserve(exec, vectors, work);
    for (Ordinal first = 0; first < vectors; first += work.vectors) {
      const int count = std::min<int>(work.vectors, vectors - first);
      for (int v = 0; v < count; ++v)
        largest_finite(exec, "Tomokkos::traced::largest", X.data() + first + v,
                       rows.end - rows.begin, vectors,
                       Kokkos::subview(work.bounds, Kokkos::make_pair(v, v + 1)));
      add_rows(exec, "Tomokkos::traced::transposed_product", rows, count,
               {X.data() + first, vectors, work.bounds.data(), work.column_bound, bits(),
                num_cols(), work.sums.data(), work.faults.data()});
      for (int v = 0; v < count; ++v) {
        const auto begin = static_cast<std::size_t>(v) * static_cast<std::size_t>(num_cols());
        store_fixed_sums(
            exec, "Tomokkos::traced::finish", num_cols(),
            FixedSums<Scalar, long long>{work.bounds.data() + v, work.column_bound, bits(), alpha,
                                         beta, work.sums.data() + begin, work.faults.data() + begin,
                                         Y.data() + first + v, vectors});
      }
    }
  }

  Vector<double, memory_space> squared_norms(const ExecutionSpace& exec) const override {
    const auto norms =
        allocate<Vector<double, memory_space>>(exec, "Tomokkos::traced::squared_norms", num_rows());
    sum_traced_rows<Rows, Scalar>(exec, "Tomokkos::traced::squared_norms", rows_, {0, num_rows()},
                                  1, SquareTerm(), StoreSum{norms.data()});
    return norms;
  }

  Vector<Ordinal, memory_space> block_counts(const ExecutionSpace& exec, const RowSubsets& blocks,
                                             const Ranks* ranks) const override {
    const auto counts =
        allocate<Vector<Ordinal, memory_space>>(exec, "Tomokkos::traced::block_counts", num_cols());
    const auto result = allocate<Vector<Ordinal, memory_space>>(
        exec, "Tomokkos::traced::largest_counts", num_cols());
    Kokkos::deep_copy(exec, counts, Ordinal(0));
    Kokkos::deep_copy(exec, result, Ordinal(0));
    const auto size = static_cast<std::size_t>(num_cols());
    std::vector<Ordinal> count(ranks == nullptr ? 0 : size, 0);
    std::vector<double> sums(count.size());
    const VectorView<Ordinal, Kokkos::HostSpace> on_host(count.data(), count.size());
    for (int block = 0; block < blocks.count(); ++block) {
      const RowParts parts(blocks[block].resolved(num_rows()), rows_.rows_together(),
                           Rows::most_rows);
      if (parts.num_teams() > 0)
        Kokkos::parallel_for("Tomokkos::traced::block_counts",
                             rows_.policy(exec, parts.num_teams(), 0),
                             CountTracedColumns<Rows>{rows_, parts, counts.data()});
      if (ranks != nullptr) {
        Kokkos::deep_copy(exec, on_host, counts);
        fence(exec, "TracedProjection: the counts have arrived");
        std::copy(count.begin(), count.end(), sums.begin());
        ranks->sum(sums);
        for (std::size_t j = 0; j < size; ++j) count[j] = static_cast<Ordinal>(sums[j]);
        Kokkos::deep_copy(exec, counts, on_host);
        fence(exec, "TracedProjection: the sums over the ranks have arrived");
      }
      Kokkos::parallel_for("Tomokkos::traced::largest_counts", element_range(exec, size),
                           KeepLargerCount{result.data(), counts.data()});
    }
    return result;
  }

  void kaczmarz_sweep(const ExecutionSpace& exec, const InputVector<ExecutionSpace, Ordinal>& order,
                      const InputVector<ExecutionSpace, double>& norms,
                      const KaczmarzCoefficients<Scalar>& coefficients,
                      const InputVector<ExecutionSpace, Scalar>& b,
                      const OutputVector<ExecutionSpace, Scalar>& x) const override {
    require_equal("length of b", static_cast<long long>(b.extent(0)), "rows of A", num_rows());
    require_equal("length of x", static_cast<long long>(x.extent(0)), "columns of A", num_cols());
    require_equal("squared norms", static_cast<long long>(norms.extent(0)), "rows of A",
                  num_rows());
    const bool is_natural = order.extent(0) == 0;
    Kokkos::parallel_for("Tomokkos::traced::sweep",
                         rows_.policy(exec, 1, Rows::lanes * sizeof(double) + 16),
                         SweepTracedRows<Rows, Scalar>{
                             rows_, is_natural ? nullptr : order.data(),
                             is_natural ? num_rows() : static_cast<Ordinal>(order.extent(0)),
                             norms.data(), coefficients, b.data(), x.data()});
  }

 private:
  /// Bits of the sums: one less for more terms than the reserve for their rounding allows.
  int bits() const { return column_sum_bits<long long>(num_rows()); }

  void add_rows(const ExecutionSpace& exec, const std::string& label, RowRange range, int count,
                const AddFixed<Scalar>& to) const {
    const RowParts parts(range, rows_.rows_together(), Rows::most_rows);
    if (parts.num_teams() == 0) return;
    Kokkos::parallel_for(label, rows_.policy(exec, parts.num_teams(), 0),
                         AddTracedRows<Rows, Scalar>{rows_, parts, count, to});
  }

  Rows rows_;
  double largest_weight_;
};

}  // namespace Tomokkos::Impl
