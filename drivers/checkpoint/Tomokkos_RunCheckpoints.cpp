// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_RunCheckpoints.hpp>
#include <Tomokkos_Slices.hpp>
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

/// Text that a checkpoint and the run that resumes it have in common, and the words of a refusal:
/// the text of the checkpoint follows `then`, that of the run `now`. Null: neither is told.
struct CommonText {
  const char *name, *then, *now = nullptr, *end = "";
};

constexpr CommonText common_texts[]{
    {"ranks", "the checkpoint is from a run with ", " processes, this run has ",
     " and would sum in another order"},
    // 0 if the bits do not depend on their number.
    {"threads", "the checkpoint is from a run with ", " threads, this run has ",
     " and would sum in another order; set run.threads (or run.deterministic from the first "
     "iteration on)"},
    {"rank_weights", "run.ranks.weights was ", " and is now ", ", which changes the order of sums"},
    {"rank_image", "run.ranks.image was ", " and is now ", ", which changes the order of sums"},
    {"matrix", "the checkpoint has another matrix: ", "; the matrix of this run is "},
    {"data", "the checkpoint has other values: those of the data differ"},
    {"multiplicative", "the checkpoint has other values: those of solver.multiplicative differ"},
    {"background", "the checkpoint has other values: those of solver.background differ"}};

/// Compares \p texts of the run with those that its checkpoint \p file has \p saved.
///
/// \throws InputError with the first that differs
void require_same(const std::filesystem::path& file, const CheckpointTexts& saved,
                  const CheckpointTexts& texts) {
  for (const CommonText& common : common_texts) {
    const std::string then = text_of(saved, common.name), now = text_of(texts, common.name);
    if (!texts.contains(common.name) || then == now) continue;
    throw InputError(file.string() + ": " + common.then +
                     (common.now != nullptr ? then + common.now + now + common.end : ""));
  }
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
  // The number of iterations, the output, and the paths of files whose contents are compared may
  // differ.
  resumed_ = read_checkpoint<Scalar>(file_, [&](const CheckpointTexts& saved) {
    if (const auto other =
            first_difference(configuration_of(file_, saved), configuration_of(file_, texts_),
                             keys_outside(Identity::bits)))
      throw InputError(file_.string() + ": the checkpoint has another configuration: " +
                       other->key + " was " + other->first + " and is now " + other->second);
    require_same(file_, saved, texts_);
  });
  if (const bool had_slabs = volume_of(resumed_->progress).has_value(); had_slabs != has_slabs_)
    throw InputError(file_.string() + ": comes from a run that solved its slices " +
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
void RunCheckpoints<ExecutionSpace, Scalar>::set(const CheckpointTexts& texts) {
  if (!is_used()) return;
  for (const auto& [name, text] : texts)
    if (!text.empty()) texts_[name] = text;
  if (resumed_) require_same(file_, resumed_->texts, texts);
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_ranks(const std::vector<double>& weights,
                                                       ImageDistribution image) {
  std::string text;
  for (const double weight : weights)
    text += (text.empty() ? "" : ", ") + ConfigNode::number(weight).scalar();
  set({{"rank_weights", "[" + text + "]"}, {"rank_image", std::string(to_string(image))}});
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_matrix(Ordinal rows, Ordinal columns,
                                                        Offset nonzeros,
                                                        std::uint64_t fingerprint) {
  set({{"matrix", std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                      std::to_string(nonzeros) + " nonzeros, " + hexadecimal(fingerprint)}});
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_operator(
    const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A) {
  if (!is_used()) return;
  // Different factors, so that exchanged columns are detected.
  std::vector<double> factors;
  for (Ordinal i = 0; i < A.num_cols(); ++i)
    factors.push_back(static_cast<double>(Scalar(1) + static_cast<Scalar>(i) /
                                                          static_cast<Scalar>(A.num_cols())));
  const Vector<Scalar, memory_space> x =
      Slices<ExecutionSpace, Scalar>::to_device(exec, "Tomokkos::RunCheckpoints::x", factors, 1);
  const Vector<Scalar, memory_space> y("Tomokkos::RunCheckpoints::y", A.num_rows());
  A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, memory_space>(x)), Scalar(0),
          as_multivector(VectorView<Scalar, memory_space>(y)));
  const std::vector<Scalar> values = Slices<ExecutionSpace, Scalar>::to_host(exec, y, 1);
  set({{"matrix", std::to_string(A.num_rows()) + " x " + std::to_string(A.num_cols()) +
                      ", product " + fingerprint_of(std::span<const Scalar>(values))}});
}

template <class ExecutionSpace, class Scalar>
void RunCheckpoints<ExecutionSpace, Scalar>::set_data(std::span<const Scalar> data,
                                                      std::span<const double> multiplicative,
                                                      std::span<const double> background) {
  if (!is_used()) return;
  const auto of_term = [](std::span<const double> values) {
    return values.empty() ? "" : fingerprint_of(values);
  };
  set({{"data", fingerprint_of(data)},
       {"multiplicative", of_term(multiplicative)},
       {"background", of_term(background)}});
}

template <class ExecutionSpace, class Scalar>
Description RunCheckpoints<ExecutionSpace, Scalar>::report() const {
  if (!resume_) return {};
  return describe_map({{"iteration", first_iteration_}, {"version", version_}}, true);
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
