// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SplitOperator.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <algorithm>
#include <numeric>
#include <utility>

namespace Tomokkos {
namespace Impl {

/// Rows `at` to `at + count` of a row-major array.
template <class View>
View rows_at(const View& array, Ordinal at, Ordinal count) {
  return View(array.data() + static_cast<std::size_t>(at) * array.extent(1),
              static_cast<std::size_t>(count), array.extent(1));
}

/// Calls `visit(operator)` with the operator of a part.
template <class Part, class Visit>
auto visit_part(const Part& part, const Visit& visit) {
  return part.here ? visit(*part.here) : visit(*part.on_host);
}

/// Makes room for `length` values.
template <class View>
void reserve_values(View& view, std::size_t length, const char* label) {
  if (view.extent(0) >= length) return;
  view = {};  // frees the old array first
  view = allocate_without_instance<View>(label, length);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
SplitOperator<ExecutionSpace, Scalar>::SplitOperator(const ExecutionSpace& exec, Ordinal num_cols,
                                                     std::vector<Part> parts)
    : num_cols_(num_cols), workspace_(std::make_shared<Workspace>()) {
  std::vector<RowRange> all;
  for (const Part& part : parts) {
    require(part.here.has_value() != part.on_host.has_value(),
            "a part of an operator needs one operator, on the device or on the host");
    Ordinal count = 0;
    for (const RowRange& rows : part.rows) {
      count += rows.end - rows.begin;
      if (rows.begin < rows.end) all.push_back(rows);
    }
    const auto [rows, columns] =
        Impl::visit_part(part, [](const auto& A) { return std::pair(A.num_rows(), A.num_cols()); });
    require_equal("rows of a part", rows, "the rows of its ranges", count);
    require_equal("columns of a part", columns, "the columns of the operator", num_cols);
    if (part.on_host) host_rows_ += count;
  }
  std::sort(all.begin(), all.end(),
            [](const RowRange& a, const RowRange& b) { return a.begin < b.begin; });
  for (const RowRange& rows : all) {
    require_equal("first row of a range of a part", rows.begin, "the end of the range before it",
                  num_rows_);
    num_rows_ = rows.end;
  }
  parts_ = std::make_shared<const std::vector<Part>>(std::move(parts));
  if (copies && host_rows_ > 0)
    workspace_->beside = std::make_unique<ConcurrentInstances<ExecutionSpace>>(exec, 1);
}

template <class ExecutionSpace, class Scalar>
bool SplitOperator<ExecutionSpace, Scalar>::has_transpose() const {
  return std::all_of(parts_->begin(), parts_->end(), [](const Part& part) {
    return Impl::visit_part(part, [](const auto& A) { return A.has_transpose(); });
  });
}

template <class ExecutionSpace, class Scalar>
bool SplitOperator<ExecutionSpace, Scalar>::supports_ranges() const {
  return std::all_of(parts_->begin(), parts_->end(), [](const Part& part) {
    return Impl::visit_part(part, [](const auto& A) { return A.supports_ranges(); });
  });
}

template <class ExecutionSpace, class Scalar>
bool SplitOperator<ExecutionSpace, Scalar>::transposes_by_atomics() const {
  return std::any_of(parts_->begin(), parts_->end(), [](const Part& part) {
    return Impl::visit_part(part,
                            [](const auto& A) { return A.capabilities().transposes_by_atomics; });
  });
}

template <class ExecutionSpace, class Scalar>
std::size_t SplitOperator<ExecutionSpace, Scalar>::memory_bytes() const {
  std::size_t bytes =
      (workspace_->added.extent(0) + workspace_->returned.extent(0)) * sizeof(Scalar);
  for (const Part& part : *parts_) {
    if (part.here) bytes += part.here->memory_bytes() - (copies ? part.streamed_bytes : 0);
    if (!copies && part.on_host) bytes += part.on_host->memory_bytes();
  }
  return bytes;
}

template <class ExecutionSpace, class Scalar>
std::size_t SplitOperator<ExecutionSpace, Scalar>::host_bytes() const {
  if (!copies) return 0;
  std::size_t bytes = (workspace_->image.extent(0) + workspace_->rows.extent(0)) * sizeof(Scalar);
  for (const Part& part : *parts_)
    bytes += part.on_host ? part.on_host->memory_bytes() : part.streamed_bytes;
  return bytes;
}

template <class ExecutionSpace, class Scalar>
std::size_t SplitOperator<ExecutionSpace, Scalar>::apply_bytes(int vectors) const {
  std::size_t bytes = 0;
  for (const Part& part : *parts_)
    bytes += Impl::visit_part(part, [&](const auto& A) { return A.apply_bytes(vectors); });
  return bytes;
}

template <class ExecutionSpace, class Scalar>
std::size_t SplitOperator<ExecutionSpace, Scalar>::apply_transpose_bytes(int vectors) const {
  std::size_t bytes = 0;
  for (const Part& part : *parts_)
    bytes +=
        Impl::visit_part(part, [&](const auto& A) { return A.apply_transpose_bytes(vectors); });
  return bytes;
}

template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::reserve(const ExecutionSpace& exec, int vectors) const {
  for (const Part& part : *parts_) {
    if (part.here) part.here->reserve(exec, vectors);
    if (part.on_host) part.on_host->reserve(Host(), vectors);
  }
  if (!copies || host_rows_ == 0) return;
  const std::size_t image = static_cast<std::size_t>(num_cols_) * static_cast<std::size_t>(vectors);
  const std::size_t rows = static_cast<std::size_t>(host_rows_) * static_cast<std::size_t>(vectors);
  if (workspace_->image.extent(0) >= image && workspace_->rows.extent(0) >= rows &&
      workspace_->added.extent(0) >= image && workspace_->returned.extent(0) >= rows)
    return;
  exec.fence();  // earlier products may still use the arrays
  Impl::reserve_values(workspace_->image, image, "Tomokkos::SplitOperator::image");
  Impl::reserve_values(workspace_->rows, rows, "Tomokkos::SplitOperator::rows");
  Impl::reserve_values(workspace_->added, image, "Tomokkos::SplitOperator::added");
  Impl::reserve_values(workspace_->returned, rows, "Tomokkos::SplitOperator::returned");
}

template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::reserve_transpose(const ExecutionSpace& exec) const {
  for (const Part& part : *parts_) {
    if (part.here) part.here->reserve_transpose(exec);
    if (part.on_host) part.on_host->reserve_transpose(Host());
  }
}

/// Rows of all parts in a range, part after part.
template <class ExecutionSpace, class Scalar>
auto SplitOperator<ExecutionSpace, Scalar>::segments_of(RowRange rows) const
    -> std::vector<Segment> {
  const RowRange range = rows.resolved(num_rows_);
  require(range.begin >= 0 && range.begin <= range.end && range.end <= num_rows_,
          "the range of rows is not within the operator");
  std::vector<Segment> segments;
  for (const Part& part : *parts_) {
    const Ordinal all =
        Impl::visit_part(part, [](const auto& A) { return static_cast<Ordinal>(A.num_rows()); });
    Ordinal before = 0;
    for (const RowRange& own : part.rows) {
      const Ordinal begin = std::max(own.begin, range.begin), end = std::min(own.end, range.end);
      if (begin < end) {
        const Ordinal first = before + begin - own.begin, count = end - begin;
        // An operator without ranges still accepts all its rows.
        segments.push_back({&part, count == all ? all_rows : RowRange{first, first + count},
                            begin - range.begin, count});
      }
      before += own.end - own.begin;
    }
  }
  return segments;
}

template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::apply(const ExecutionSpace& exec, Scalar alpha,
                                                  const Input& X, Scalar beta, const Output& Y,
                                                  RowRange rows) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the columns of A", num_cols_);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the rows of the range",
                rows.size(num_rows_));
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  const std::vector<Segment> segments = segments_of(rows);
  const bool uses_host = std::any_of(segments.begin(), segments.end(), [](const Segment& segment) {
    return segment.part->on_host.has_value();
  });
  if constexpr (copies)
    if (uses_host) {
      reserve(exec, static_cast<int>(X.extent(1)));
      workspace_->beside->follow(exec);
      Kokkos::deep_copy((*workspace_->beside)[0],
                        VectorView<Scalar, StagingSpace>(workspace_->image.data(), X.size()),
                        as_vector(X));
    }
  for (const Segment& segment : segments)
    if (segment.part->here)
      segment.part->here->apply(exec, alpha, X, beta, Impl::rows_at(Y, segment.at, segment.count),
                                segment.local);
  if (uses_host) multiply_on_host(exec, alpha, X, beta, Y, segments);
}

template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::multiply_on_host(
    const ExecutionSpace& exec, Scalar alpha, const Input& X, Scalar beta, const Output& Y,
    const std::vector<Segment>& segments) const {
  if constexpr (!copies) {
    exec.fence();
    for (const Segment& segment : segments)
      if (segment.part->on_host)
        segment.part->on_host->apply(Host(), alpha, X, beta,
                                     Impl::rows_at(Y, segment.at, segment.count), segment.local);
    Host().fence();
  } else {
    const std::size_t s = X.extent(1);
    Impl::fence((*workspace_->beside)[0], "SplitOperator: the host reads x");
    const HostInput x(workspace_->image.data(), X.extent(0), s);
    Scalar* at = workspace_->rows.data();
    Scalar* back = workspace_->returned.data();
    for (const Segment& segment : segments) {
      if (!segment.part->on_host) continue;
      const std::size_t length = static_cast<std::size_t>(segment.count) * s;
      segment.part->on_host->apply(Host(), alpha, x, Scalar(0),
                                   HostOutput(at, static_cast<std::size_t>(segment.count), s),
                                   segment.local);
      Host().fence();
      const VectorView<Scalar, StagingSpace> own(at, length);
      const auto y = as_vector(Impl::rows_at(Y, segment.at, segment.count));
      if (beta == Scalar(0)) {
        Kokkos::deep_copy(exec, y, own);
      } else {
        const VectorView<Scalar, memory_space> returned(back, length);
        Kokkos::deep_copy(exec, returned, own);
        axpby<ExecutionSpace, Scalar>(exec, Scalar(1), returned, beta, y);
      }
      at += length;
      back += length;
    }
  }
}

template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::apply_transpose(const ExecutionSpace& exec,
                                                            Scalar alpha, const Input& X,
                                                            Scalar beta, const Output& Y,
                                                            RowRange rows) const {
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "the rows of the range",
                rows.size(num_rows_));
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "the columns of A", num_cols_);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  const std::vector<Segment> segments = segments_of(rows);
  const std::size_t s = X.extent(1);
  bool uses_host = false;
  for (const Segment& segment : segments) uses_host = uses_host || segment.part->on_host;
  if constexpr (copies)
    if (uses_host) {
      reserve(exec, static_cast<int>(s));
      workspace_->beside->follow(exec);
      Scalar* at = workspace_->rows.data();
      for (const Segment& segment : segments) {
        if (!segment.part->on_host) continue;
        const std::size_t length = static_cast<std::size_t>(segment.count) * s;
        Kokkos::deep_copy((*workspace_->beside)[0], VectorView<Scalar, StagingSpace>(at, length),
                          as_vector(Impl::rows_at(X, segment.at, segment.count)));
        at += length;
      }
    }
  Scalar kept = beta;
  for (const Segment& segment : segments) {
    if (!segment.part->here) continue;
    segment.part->here->apply_transpose(exec, alpha, Impl::rows_at(X, segment.at, segment.count),
                                        kept, Y, segment.local);
    kept = Scalar(1);
  }
  if (kept != Scalar(1)) {
    const auto y = as_vector(Y);
    Kokkos::parallel_for("Tomokkos::SplitOperator::scale", Impl::element_range(exec, y.extent(0)),
                         Impl::ScaleOrClear<Scalar, memory_space>{y, kept});
  }
  if (uses_host) multiply_transpose_on_host(exec, alpha, X, Y, segments);
}

/// Adds the images of the parts of the host to Y.
template <class ExecutionSpace, class Scalar>
void SplitOperator<ExecutionSpace, Scalar>::multiply_transpose_on_host(
    const ExecutionSpace& exec, Scalar alpha, const Input& X, const Output& Y,
    const std::vector<Segment>& segments) const {
  if constexpr (!copies) {
    exec.fence();
    for (const Segment& segment : segments)
      if (segment.part->on_host)
        segment.part->on_host->apply_transpose(Host(), alpha,
                                               Impl::rows_at(X, segment.at, segment.count),
                                               Scalar(1), Y, segment.local);
    Host().fence();
  } else {
    const std::size_t s = X.extent(1);
    Impl::fence((*workspace_->beside)[0], "SplitOperator: the host reads its rows");
    const HostOutput image(workspace_->image.data(), Y.extent(0), s);
    const Scalar* at = workspace_->rows.data();
    Scalar kept = 0;
    for (const Segment& segment : segments) {
      if (!segment.part->on_host) continue;
      segment.part->on_host->apply_transpose(
          Host(), alpha, HostInput(at, static_cast<std::size_t>(segment.count), s), kept, image,
          segment.local);
      kept = Scalar(1);
      at += static_cast<std::size_t>(segment.count) * s;
    }
    Host().fence();
    const VectorView<Scalar, memory_space> added(workspace_->added.data(), Y.size());
    Kokkos::deep_copy(exec, added,
                      VectorView<const Scalar, StagingSpace>(workspace_->image.data(), Y.size()));
    axpby<ExecutionSpace, Scalar>(exec, Scalar(1), added, Scalar(1), as_vector(Y));
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class SplitOperator<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
