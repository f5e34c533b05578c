// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrFingerprint.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_Version.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cstdint>
#include <memory>
#include <utility>

namespace Tomokkos {

ConfigNode configuration_of(const std::filesystem::path& file, const CheckpointTexts& texts) {
  auto source = std::make_shared<ConfigSource>();
  source->name = file.string() + "(state.yaml)";
  try {
    return parse_yaml(text_of(texts, "configuration"), source);
  } catch (const ConfigError& error) {
    throw InputError(error.what());
  }
}

std::string text_of(const CheckpointTexts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw InputError(file.string() + ": " + message);
}

/// Text of the shape and the \p fingerprint of a matrix.
std::string describe_matrix(Ordinal rows, Ordinal columns, Offset nonzeros,
                            std::uint64_t fingerprint) {
  return std::to_string(rows) + " x " + std::to_string(columns) + ", " + std::to_string(nonzeros) +
         " nonzeros, " + hexadecimal(fingerprint);
}

/// Shares of ranks as text, `[1, 0.5]`.
std::string describe_weights(const std::vector<double>& weights) {
  std::string text;
  for (const double weight : weights)
    text += (text.empty() ? "" : ", ") + ConfigNode::number(weight).scalar();
  return "[" + text + "]";
}

/// Checks that the run has the same configuration and number of threads and processes as the
/// run that wrote the checkpoint \p file.
///
/// \param texts of the checkpoint and of the run: `configuration` (YAML), `threads` (0 if the bits
/// do not depend on their number), `ranks` \throws InputError with the first key that differs and
/// both values
///
/// The number of iterations, the output, and the paths of files whose contents are compared may
/// differ.
void require_same_configuration(const std::filesystem::path& file, const CheckpointTexts& saved,
                                const CheckpointTexts& run) {
  const auto then = [&](const char* name) { return text_of(saved, name); };
  const auto today = [&](const char* name) { return text_of(run, name); };
  if (const auto other = first_difference(
          configuration_of(file, saved), configuration_of(file, run), keys_outside(Identity::bits)))
    refuse(file, "the checkpoint has another configuration: " + other->key + " was " +
                     other->first + " and is now " + other->second);
  if (then("ranks") != today("ranks"))
    refuse(file, "the checkpoint is from a run with " + then("ranks") +
                     " processes, this run has " + today("ranks") +
                     " and would sum in another order");
  if (then("threads") != today("threads"))
    refuse(file, "the checkpoint is from a run with " + then("threads") +
                     " threads, this run has " + today("threads") +
                     " and would sum in another order; set run.threads (or run.deterministic from "
                     "the first iteration on)");
}

/// Checks the shares of the ranks and the distribution of the image: `rank_weights`,
/// `rank_image`.
///
/// \throws InputError if they differ
void require_same_ranks(const std::filesystem::path& file, const CheckpointTexts& saved,
                        const CheckpointTexts& run) {
  for (const std::string key : {"weights", "image"})
    if (const std::string then = text_of(saved, "rank_" + key), today = text_of(run, "rank_" + key);
        then != today)
      refuse(file, "run.ranks." + key + " was " + then + " and is now " + today +
                       ", which changes the order of sums");
}

/// Checks the `matrix`.
///
/// \throws InputError if it differs
void require_same_matrix(const std::filesystem::path& file, const CheckpointTexts& saved,
                         const CheckpointTexts& run) {
  const std::string then = text_of(saved, "matrix"), today = text_of(run, "matrix");
  if (then != today)
    refuse(file,
           "the checkpoint has another matrix: " + then + "; the matrix of this run is " + today);
}

/// Checks the fingerprints of the `data` and of the terms of the model, `multiplicative` and
/// `background`, which may be absent.
///
/// \throws InputError if they differ
void require_same_data(const std::filesystem::path& file, const CheckpointTexts& saved,
                       const CheckpointTexts& run) {
  for (const auto& [name, what] : {std::pair<std::string, std::string>{"data", "the data"},
                                   {"multiplicative", "solver.multiplicative"},
                                   {"background", "solver.background"}})
    if (text_of(saved, name) != text_of(run, name))
      refuse(file, "the checkpoint has other values: those of " + what + " differ");
}

}  // namespace

template <class ExecutionSpace, class Scalar>
RunCheckpoints<ExecutionSpace, Scalar>::RunCheckpoints(const RunSection& settings,
                                                       const SolverSection& solver,
                                                       const OutputSection& output,
                                                       const ConfigNode& configuration, bool resume,
                                                       int num_ranks)
    : settings_(settings),
      solver_(solver),
      resume_(resume),
      every_(output.checkpoint),
      num_ranks_(num_ranks),
      file_(output.directory / "checkpoint.npz") {
  texts_["version"] = std::string(version()) + " " + git_commit();
  texts_["configuration"] = to_yaml(configuration);
  texts_["ranks"] = std::to_string(num_ranks);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::open() {
  if (!is_used()) return;
  // These solvers hold vectors with an entry per row or column, which are distributed over the
  // ranks.
  const SolverTask task = task_of(solver_.kind());
  if (num_ranks_ > 1 && (task == SolverTask::least_squares || task == SolverTask::square_systems))
    throw ConfigError(asked_by() + ": " + std::string(to_string(solver_.kind())) +
                      " supports checkpoints only with a single process, because several hold "
                      "parts of its vectors; " +
                      std::to_string(num_ranks_) + " processes were started");
  const std::vector<double>& shares = settings_.shares;  // the last is that of the host
  const bool host_multiplies =
      Impl::is_host_space<ExecutionSpace> || (!shares.empty() && shares.back() > 0);
  texts_["threads"] =
      std::to_string(host_multiplies && !settings_.deterministic ? host_threads() : 0);
  if (!resume_) return;
  resumed_ = read_checkpoint<Scalar>(file_, [&](const CheckpointTexts& saved) {
    require_same_configuration(file_, saved, texts_);
  });
  if (const bool had_slabs = volume_of(resumed_->progress).has_value(); had_slabs != has_slabs_)
    throw InputError(file_.string() + ": is of a run that solved its slices " +
                     (had_slabs ? "slab by slab, this run solves them as one stack; give a smaller "
                                  "problem.slab to continue it"
                                : "as one stack, this run solves them slab by slab; give a "
                                  "problem.slab of all slices to continue it"));
  first_iteration_ = resumed_->progress.iteration;
  version_ = text_of(resumed_->texts, "version");
  if (first_iteration_ > solver_.iterations())
    throw InputError(file_.string() + ": is from iteration " + std::to_string(first_iteration_) +
                     ", but solver.iterations is " + std::to_string(solver_.iterations()));
  // The earlier run monitored its last iterate; a longer run would not have monitored it.
  if (first_iteration_ < solver_.iterations() && first_iteration_ % solver_.check_every() != 0)
    for (auto& of_slice : resumed_->rmse) of_slice.erase(first_iteration_);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_matrix(const ExecutionSpace& exec,
                                                        const CsrMatrix<Scalar, memory_space>& A) {
  if (!is_used()) return;
  set_matrix(A.num_rows, A.num_cols, A.num_nonzeros(),
             csr_fingerprint<ExecutionSpace, Scalar>(exec, A));
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_matrix(Ordinal rows, Ordinal columns,
                                                        Offset nonzeros,
                                                        std::uint64_t fingerprint) {
  if (!is_used()) return;
  texts_["matrix"] = describe_matrix(rows, columns, nonzeros, fingerprint);
  if (resumed_) require_same_matrix(file_, resumed_->texts, texts_);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_operator(
    const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A) {
  if (!is_used()) return;
  // Different factors, so that exchanged columns are detected.
  std::vector<Scalar> values(static_cast<std::size_t>(A.num_cols()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = Scalar(1) + static_cast<Scalar>(i) / static_cast<Scalar>(values.size());
  const Vector<Scalar, memory_space> x("Tomokkos::RunCheckpoints::x", values.size());
  const Vector<Scalar, memory_space> y("Tomokkos::RunCheckpoints::y", A.num_rows());
  using HostView = VectorView<Scalar, Kokkos::HostSpace>;
  Kokkos::deep_copy(exec, x, HostView(values.data(), values.size()));
  A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, memory_space>(x)), Scalar(0),
          as_multivector(VectorView<Scalar, memory_space>(y)));
  values.resize(y.extent(0));
  Kokkos::deep_copy(exec, HostView(values.data(), values.size()), y);
  exec.fence();
  texts_["matrix"] = std::to_string(A.num_rows()) + " x " + std::to_string(A.num_cols()) +
                     ", product " + fingerprint_of(std::span<const Scalar>(values));
  if (resumed_) require_same_matrix(file_, resumed_->texts, texts_);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_data(std::span<const Scalar> data,
                                                      std::span<const double> multiplicative,
                                                      std::span<const double> background) {
  if (!is_used()) return;
  texts_["data"] = fingerprint_of(data);
  if (!multiplicative.empty()) texts_["multiplicative"] = fingerprint_of(multiplicative);
  if (!background.empty()) texts_["background"] = fingerprint_of(background);
  if (resumed_) require_same_data(file_, resumed_->texts, texts_);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_ranks(const std::vector<double>& weights,
                                                       ImageDistribution image) {
  if (!is_used()) return;
  texts_["rank_weights"] = describe_weights(weights);
  texts_["rank_image"] = std::string(to_string(image));
  if (resumed_) require_same_ranks(file_, resumed_->texts, texts_);
}

template <class ExecutionSpace, class Scalar>
Description RunCheckpoints<ExecutionSpace, Scalar>::report() const {
  if (!resume_) return {};
  Description result = Description::map(true);
  result.set("iteration", first_iteration_);
  result.set("version", version_);
  return result;
}

template <class ExecutionSpace, class Scalar>
bool RunCheckpoints<ExecutionSpace, Scalar>::is_due(int iteration, bool last) const {
  // The start is not written: a run without a checkpoint begins with it.
  return every_ > 0 && iteration > 0 && (last || iteration % every_ == 0);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::write(SolveProgress progress,
                                                   const std::vector<std::map<int, double>>& rmse,
                                                   std::vector<Scalar> image,
                                                   const std::vector<std::size_t>& shape) const {
  write_checkpoint<Scalar>(file_, {texts_, std::move(progress), rmse, std::move(image)}, shape);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class RunCheckpoints<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
