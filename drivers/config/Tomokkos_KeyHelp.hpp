// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of all keys, made from the descriptions of all sections: the texts of `tomokkos help`,
// of `--print-config --with-help` and of the reference pages, and the keys in which runs may
// differ.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <map>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Documentation of one key.
struct KeyDoc {
  std::string path;      ///< `solver.stop.residual`
  std::string form;      ///< accepted values
  std::string fallback;  ///< default value, or `required`
  std::string help;      ///< one sentence
  std::string
      condition;  ///< setting that the key needs to have an effect; empty: always has an effect
  Identity identity = Identity::result;  ///< comparisons of runs in which the key counts

  bool operator==(const KeyDoc&) const = default;
};

/// \brief One kind of a section, selected by the value of one key, and its keys.
struct SectionDoc {
  std::string section = {};   ///< `solver`
  std::string selector = {};  ///< `solver.type`; empty if the section has a single kind
  std::string value = {};     ///< `pcg`; empty if the presence of the selector decides
  std::string problem = {};   ///< `problem.type` that it belongs to; empty: any
  std::string example = {};   ///< valid section in YAML
  std::vector<KeyDoc> keys = {};

  /// \brief Selector and value: `solver.type: pcg`.
  std::string name() const;
};

/// \brief All kinds of all sections except `bench`, in the order of a configuration file.
const std::vector<SectionDoc>& section_docs();

/// \brief Text that `tomokkos help TOPIC` prints.
///
/// \param topic path or last name of a key, a section, or one kind of a section
/// (`solver.type=pcg`). Empty: an overview.
/// \throws ConfigError for an unknown topic; the message suggests the closest one
std::string help_text(const std::string& topic);

/// \brief Help sentences of the keys in \p config, by key path.
std::map<std::string, std::string> help_of(const RunConfig& config);

/// \brief Keys of all configurations in which runs may differ that are compared as ranks and
/// records are (\p comparison `run`), or as checkpoints are (`bits`).
ConfigKeys keys_outside(Identity comparison);

/// \brief Keys of all configurations with this identity.
ConfigKeys keys_with(Identity identity);

/// \brief Reference pages by file name.
std::map<std::string, std::string> reference_pages();

}  // namespace Tomokkos
