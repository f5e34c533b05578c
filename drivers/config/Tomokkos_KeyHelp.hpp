// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the descriptions of all sections say to people: `tomokkos help`, the comments of
// `--print-config --with-help`, and the pages of reference.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <map>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief A key as help tells it.
struct KeyDoc {
  std::string path;       ///< `solver.stop.residual`
  std::string form;       ///< the values that it takes
  std::string fallback;   ///< the value where it is absent; `required`
  std::string help;       ///< one sentence
  std::string condition;  ///< the key beside which it has an effect; empty: always

  bool operator==(const KeyDoc&) const = default;
};

/// \brief A section in one of its kinds, as one value of one key decides, and its keys.
struct SectionDoc {
  std::string section;   ///< `solver`
  std::string selector;  ///< `solver.type`; empty where there is one kind
  std::string value;     ///< `pcg`; empty where the key alone decides
  std::string problem;   ///< the `problem.type` that it is of; empty: any
  std::string example;   ///< a section that is accepted, as YAML
  std::vector<KeyDoc> keys;

  /// \brief `solver.type: pcg`
  std::string name() const;
};

/// \brief All kinds of all sections of a configuration but `bench`, in the order of a file.
const std::vector<SectionDoc>& section_docs();

/// \brief What `tomokkos help TOPIC` prints: of a key by its path or its last name, of a section,
/// of one kind of it (`solver.type=pcg`); nothing for an overview.
///
/// \throws ConfigError for a topic that there is not, with the nearest
std::string help_text(const std::string& topic);

/// \brief The sentences of the keys that \p config has, by their paths.
std::map<std::string, std::string> help_of(const RunConfig& config);

/// \brief The pages of reference by the names of their files.
std::map<std::string, std::string> reference_pages();

}  // namespace Tomokkos
