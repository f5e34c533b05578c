// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SolverKeys.hpp>

namespace Tomokkos {
namespace {

std::vector<std::string_view> keys_of(SolverKind kind) {
  SolverSection section;
  section.params = default_params(kind);
  Impl::NameKeys keys;
  describe(keys, section);
  // The sweeps of a solver may be called its iterations.
  if (counts_sweeps(kind)) keys.names.push_back("iterations");
  return keys.names;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string_view> solver_keys(const std::vector<SolverKind>& kinds) {
  std::vector<std::string_view> all{"type"};
  for (const SolverKind kind : kinds)
    for (const std::string_view key : keys_of(kind))
      if (!contains(all, key)) all.push_back(key);
  all.insert(all.end(), {"start", "stop"});
  return all;
}

void refuse_other_solvers(const ConfigReader& reader, SolverKind kind,
                          const std::vector<SolverKind>& kinds) {
  const std::vector<std::string_view> own = keys_of(kind);
  for (const std::string_view key : solver_keys(kinds)) {
    if (key == "type" || key == "start" || key == "stop" || contains(own, key)) continue;
    std::vector<std::string_view> others;
    for (const SolverKind other : kinds)
      if (contains(keys_of(other), key)) others.push_back(to_string(other));
    reader.refuse_key(key, "has no effect on the solver " + std::string(to_string(kind)) +
                               "; it belongs to " + join_names(others));
  }
}

int SolverSection::iterations() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.sweeps; })
          return own.sweeps;
        else
          return own.iterations;
      },
      params);
}

void SolverSection::set_iterations(int count) {
  std::visit(
      [&](auto& own) {
        if constexpr (requires { own.sweeps; })
          own.sweeps = count;
        else
          own.iterations = count;
      },
      params);
}

int SolverSection::check_every() const {
  return std::visit([](const auto& own) { return own.check_every; }, params);
}

int SolverSection::subsets() const {
  if (kind() == SolverKind::sart) return views;
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.subsets.value_or(1); })
          return own.subsets.value_or(1);
        else if constexpr (requires { own.subsets; })
          return own.subsets;
        else
          return 1;
      },
      params);
}

PreconditionerOptions SolverSection::preconditioner() const {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.preconditioner; })
          return own.preconditioner;
        else
          return PreconditionerOptions{PreconditionerKind::none};
      },
      params);
}

}  // namespace Tomokkos
