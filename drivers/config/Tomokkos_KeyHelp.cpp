// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_KeyHelp.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace Tomokkos {
namespace {

/// Documentation of a key. `is_refused`: the key has no effect with the defaults of the other keys.
struct Described {
  KeyDoc doc;
  bool is_refused = false;
};

std::string fallback_of(const Key& key) {
  if (key.hint != nullptr) return "required";
  if (!key.write) return "";
  const ConfigNode node = key.write();
  if (node.is_null()) return "none";
  if (node.is_map()) return "";
  std::string text = to_yaml(node);
  while (text.ends_with('\n')) text.pop_back();
  return text == "\"\"" ? "" : text;
}

/// Appends the documentation of the keys in a section.
///
/// \param prefix path of the section with a dot
/// \param is_refused true if the section has no effect
/// \param of_section identity of the section
void document(const std::function<void(Keys&)>& describe_keys, const std::string& prefix,
              std::vector<Described>& docs, bool is_refused = false,
              Identity of_section = Identity::result) {
  Keys keys([&](const Key& key) {
    if (!key.read && !key.describe) return;  // exists only to explain why it is refused
    const std::string path = prefix + std::string(key.name);
    const Identity identity = key.identity == Identity::result ? of_section : key.identity;
    const bool has_no_effect = is_refused || !key.refusal.empty();
    docs.push_back(
        {{path, key.form, fallback_of(key), std::string(key.help), key.condition, identity},
         has_no_effect});
    if (key.describe) document(key.describe, path + ".", docs, has_no_effect, identity);
  });
  describe_keys(keys);
}

template <class Section, class... What>
std::vector<Described> described(const std::string& name, Section section, const What&... what) {
  std::vector<Described> docs;
  document([&](Keys& keys) { describe(keys, section, what...); }, name + ".", docs);
  return docs;
}

/// One kind of a section before its keys are compared with those of the others.
struct Kind {
  SectionDoc doc;
  std::vector<Described> keys;
};

/// Describes one kind. Its example is the section as it is written, unless \p doc has one.
template <class Section, class... What>
Kind kind_of(SectionDoc doc, const Section& section, const What&... what) {
  if (doc.example.empty()) {
    ConfigNode root = ConfigNode::map();
    root.set(doc.section, written_section(section, what...));
    doc.example = to_yaml(root);
  }
  std::vector<Described> keys = described(doc.section, section, what...);
  return {std::move(doc), std::move(keys)};
}

/// Appends the kinds of one section. A key that has no effect in some kinds is listed only in the
/// others. A key that needs a value of another key is listed in every kind, with that condition.
void append(std::vector<Kind> kinds, std::vector<SectionDoc>& docs) {
  std::set<std::string> taken;
  std::map<std::string, std::set<std::string>> refused;  // conditions of refused keys
  for (const Kind& kind : kinds)
    for (const auto& [key, is_refused] : kind.keys)
      if (is_refused)
        refused[key.path].insert(key.condition);
      else
        taken.insert(key.path);
  for (auto& [doc, keys] : kinds) {
    for (auto& [key, is_refused] : keys) {
      const bool is_taken = taken.contains(key.path);
      if (is_taken && is_refused) continue;
      // The selector has the value of the kind, not a default.
      if (key.path == doc.selector) key.fallback.clear();
      // The name of the kind already expresses the condition.
      if (is_taken && refused[key.path].contains(key.condition)) key.condition.clear();
      doc.keys.push_back(std::move(key));
    }
    docs.push_back(std::move(doc));
  }
}

constexpr const char* system_example =
    "problem:\n  type: linear_system\n  stencil: {points: 27, size: 64}\n  rhs: random\n";
constexpr const char* chart_example =
    "problem:\n  type: parameterization\n  mesh: {generate: hills, vertices: 10000}\n";
constexpr const char* smoothing_example =
    "problem:\n  type: smoothing\n  mesh: bunny.ply\n  locked: border\n";

void add_problems(std::vector<SectionDoc>& docs) {
  std::vector<Kind> kinds;
  for (GeometryExample& of : geometry_examples()) {
    ProblemSection problem;
    problem.geometry = std::move(of.geometry);
    kinds.push_back(kind_of({.section = "problem",
                             .selector = of.selector,
                             .value = of.kind,
                             .problem = "tomography",
                             .example = std::string("problem:\n  type: tomography\n") + of.example},
                            problem, ConfigUse::run));
  }
  for (const auto& [kind, example] : {std::pair{ProblemKind::linear_system, system_example},
                                      {ProblemKind::parameterization, chart_example},
                                      {ProblemKind::smoothing, smoothing_example}}) {
    ProblemSection problem;
    problem.kind = kind;
    problem.linear_rhs = LinearRhs::ones;
    kinds.push_back(kind_of({.section = "problem",
                             .selector = "problem.type",
                             .value = std::string(to_string(kind)),
                             .example = example},
                            problem, ConfigUse::run));
  }
  append(std::move(kinds), docs);
}

void add_operators(std::vector<SectionDoc>& docs) {
  std::vector<Kind> kinds;
  const SolverSection solver = default_solver(SolverKind::mlem, ProblemKind::tomography);
  for (const std::string_view name : format_names()) {
    OperatorWish section;
    section.set_format(name);
    section.ordering = default_ordering(1);
    if (!section.block_circulant()) section.transpose = usual_transpose(section);
    // The default for an image; see default_columns in Tomokkos_RunConfig.cpp.
    if (section.is(MatrixFormat::ray_tiles)) section.ordering.columns = Ordering::squares;
    kinds.push_back(
        kind_of({.section = "operator", .selector = "operator.format", .value = std::string(name)},
                section, solver));
  }
  append(std::move(kinds), docs);
}

void add_solvers(std::vector<SectionDoc>& docs) {
  for (const ProblemKind problem :
       {ProblemKind::tomography, ProblemKind::linear_system, ProblemKind::parameterization}) {
    std::vector<Kind> kinds;
    const bool is_mesh = problem == ProblemKind::parameterization;
    const std::string name(is_mesh ? "parameterization, smoothing" : to_string(problem));
    for (const SolverKind kind : solvers_of(problem))
      kinds.push_back(kind_of({.section = "solver",
                               .selector = "solver.type",
                               .value = std::string(to_string(kind)),
                               .problem = name},
                              default_solver(kind, problem), problem));
    append(std::move(kinds), docs);
  }
}

void add_outputs(std::vector<SectionDoc>& docs) {
  std::vector<Kind> kinds;
  OutputSection in_out;
  in_out.directory = "out";
  for (const auto& [kind, name] : EnumNames<ProblemKind>::names) {
    const SectionDoc doc{
        .section = "output", .selector = "problem.type", .value = std::string(name)};
    kinds.push_back(kind_of(doc, in_out, kind));
    // The default is another folder.
    kinds.back().keys = described(doc.section, OutputSection(), kind);
  }
  append(std::move(kinds), docs);
}

std::vector<SectionDoc> make_section_docs() {
  std::vector<SectionDoc> docs;
  append({kind_of({.section = "run",
                   .example = "run: {scalar: double, threads: 4, deterministic: true}\n"},
                  RunSection())},
         docs);
  add_problems(docs);
  add_operators(docs);
  add_solvers(docs);
  add_outputs(docs);
  return docs;
}

/// Wraps \p text to lines of 80 characters, indented by \p indent blanks.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result, line;
  const std::string blanks(indent, ' ');
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && indent + line.size() + 1 + word.size() > 80) {
      result += blanks + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return line.empty() ? result : result + blanks + line + "\n";
}

struct Page {
  const char* section;
  const char* title;
  const char* see;
};

constexpr std::array<Page, 5> pages{
    {{"run", "backend, precision, threads and processes",
      "See also [several GPUs, several nodes](../scans/several_gpus.md)."},
     {"problem", "the system matrix and the data",
      "See also [axes, angles and units](conventions.md), [files](files.md), "
      "[PET scanners and cone beams](../scans/scanners.md), "
      "[masks, stacks and measured data](../scans/reconstruction.md) and "
      "[meshes](../library/meshes.md)."},
     {"operator", "how the matrix is stored and multiplied",
      "See also [formats](../library/formats.md), [orders](../library/orderings.md), "
      "[transposed products](../library/transposed_products.md), "
      "[symmetric scans](../scans/symmetry.md), [computed entries](../scans/computed.md) and "
      "[block-circulant products](../systems/block_circulant.md)."},
     {"solver", "the solver and its stopping rules",
      "See also [solvers and their stopping rules](../library/solvers.md) and "
      "[row-action methods](../scans/row_action.md)."},
     {"output", "the files to write",
      "See also [checkpoints and pictures](../scans/reconstruction.md) and "
      "[checkpoints of systems](../library/solvers.md)."}}};

// `tomokkos help`

/// A key and the kinds of its section that document it identically.
struct Entry {
  KeyDoc key;
  std::vector<const SectionDoc*> of;
};

std::vector<Entry> entries_of(const std::string& path) {
  std::vector<Entry> entries;
  for (const SectionDoc& doc : section_docs())
    for (const KeyDoc& key : doc.keys) {
      if (key.path != path) continue;
      auto same = std::find_if(entries.begin(), entries.end(),
                               [&](const Entry& entry) { return entry.key == key; });
      if (same == entries.end()) same = entries.insert(entries.end(), {key, {}});
      same->of.push_back(&doc);
    }
  return entries;
}

bool has_every_kind(const Entry& entry) {
  const auto& docs = section_docs();
  return std::ranges::count(docs, entry.of.front()->section, &SectionDoc::section) ==
         std::ssize(entry.of);
}

/// Lists the kinds: `solver.type (problem.type: tomography): mlem, sirt; ...`.
std::string kinds_text(const Entry& entry) {
  std::string text, last;
  for (const SectionDoc* doc : entry.of) {
    const bool says_problem = doc->section == "solver";
    const std::string selector =
        doc->selector + (says_problem ? " (problem.type: " + doc->problem + ")" : "");
    if (doc->value.empty() || selector != last) {
      text += (text.empty() ? "" : "; ") + selector + (doc->value.empty() ? "" : ": ") + doc->value;
    } else {
      text += ", " + doc->value;
    }
    last = doc->value.empty() ? "" : selector;
  }
  return text;
}

/// Lists the values of a key, its default and its condition.
std::vector<std::string> facts_of(const KeyDoc& key) {
  std::vector<std::string> facts{"values: " + key.form};
  if (!key.fallback.empty()) facts.push_back("default: " + key.fallback);
  if (!key.condition.empty()) facts.push_back("only with: " + key.condition);
  return facts;
}

std::string key_text(const std::string& path) {
  std::string text = path + "\n", help;
  for (const Entry& entry : entries_of(path)) {
    if (entry.key.help != help) text += wrapped(entry.key.help, 2);
    help = entry.key.help;
    for (const std::string& fact : facts_of(entry.key)) text += wrapped(fact, 4);
    if (!has_every_kind(entry)) text += wrapped("applies to: " + kinds_text(entry), 4);
  }
  return text;
}

std::string keys_text(const SectionDoc& doc) {
  std::string text = doc.name() + "\n";
  for (const KeyDoc& key : doc.keys)
    text +=
        "  " + key.path + "\n" + wrapped(key.help, 6) + wrapped(join_names(facts_of(key), "; "), 6);
  return text + "example:\n" + doc.example;
}

/// All topics of help, sorted, each once.
std::vector<std::string> topics() {
  std::set<std::string> names;
  for (const SectionDoc& doc : section_docs()) {
    names.insert(doc.section);
    if (!doc.value.empty()) names.insert(doc.selector + "=" + doc.value);
    for (const KeyDoc& key : doc.keys) {
      names.insert(key.path);
      names.insert(key.path.substr(key.path.rfind('.') + 1));
    }
  }
  return {names.begin(), names.end()};
}

std::string section_text(const std::string& section) {
  std::string text = section + "\n";
  std::set<std::string> told;
  std::vector<std::string> kinds;
  for (const SectionDoc& doc : section_docs()) {
    if (doc.section != section) continue;
    for (const KeyDoc& key : doc.keys)
      if (told.insert(key.path).second) text += "  " + key.path + "\n" + wrapped(key.help, 6);
    const std::string kind = doc.selector + "=" + doc.value;
    if (!doc.value.empty() && !holds(kinds, kind)) kinds.push_back(kind);
  }
  if (!kinds.empty())
    text += wrapped("tomokkos help KIND lists the keys of one kind: " + join_names(kinds), 0);
  return text;
}

std::string overview() {
  std::string text = "A configuration has these sections:\n";
  for (const Page& page : pages)
    text += ("  " + std::string(page.section) + "          ").substr(0, 12) + page.title + "\n";
  return text +
         "tomokkos help TOPIC describes a section, a key (solver.stop.residual or residual),\n"
         "a solver (solver.type=pcg), a format (operator.format=sell), a geometry\n"
         "(problem.geometry.type=fan_beam) or a problem (problem.type=linear_system).\n"
         "The pages in docs/reference contain the same texts.\n";
}

// Pages

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

/// Formats a key with its value as code and leaves other words unchanged.
std::string condition_text(const std::string& condition) {
  const bool is_code = condition.find(": ") != std::string::npos &&
                       condition.find(',') == std::string::npos && !condition.starts_with("not ");
  return is_code ? "`" + cell(condition) + "`" : cell(condition);
}

std::string table(const std::vector<KeyDoc>& keys) {
  if (keys.empty()) return "";
  std::string text = "| key | values | default | |\n|---|---|---|---|\n";
  for (const KeyDoc& key : keys) {
    const std::string fallback =
        key.fallback.empty() || key.fallback == "required" || key.fallback == "none"
            ? key.fallback
            : "`" + key.fallback + "`";
    text += "| `" + key.path + "` | " + cell(key.form) + " | " + cell(fallback) + " | " +
            cell(key.help) +
            (key.condition.empty() ? "" : " Only with " + condition_text(key.condition) + ".") +
            " |\n";
  }
  return text + "\n";
}

/// Keys that are identical in all of \p docs.
std::vector<KeyDoc> common_keys(const std::vector<const SectionDoc*>& docs) {
  std::vector<KeyDoc> common;
  if (docs.size() < 2) return common;
  for (const KeyDoc& key : docs.front()->keys)
    if (std::all_of(docs.begin(), docs.end(),
                    [&](const SectionDoc* doc) { return holds(doc->keys, key); }))
      common.push_back(key);
  return common;
}

/// Removes the keys of \p others from \p keys.
std::vector<KeyDoc> without(std::vector<KeyDoc> keys, const std::vector<KeyDoc>& others) {
  std::erase_if(keys, [&](const KeyDoc& key) { return holds(others, key); });
  return keys;
}

/// Keys that all kinds but one have in common. That kind has no keys of these names.
struct SharedKeys {
  const SectionDoc* exception = nullptr;
  std::vector<KeyDoc> keys;
};

SharedKeys keys_of_all_but_one(const std::vector<const SectionDoc*>& docs,
                               const std::vector<KeyDoc>& common) {
  constexpr std::size_t enough = 4;  // fewer are easier to read where they belong
  SharedKeys best;
  if (docs.size() < 4) return best;
  for (const SectionDoc* exception : docs) {
    std::vector<const SectionDoc*> others = docs;
    std::erase(others, exception);
    std::vector<KeyDoc> keys = without(common_keys(others), common);
    std::erase_if(keys, [&](const KeyDoc& key) {
      return std::any_of(exception->keys.begin(), exception->keys.end(),
                         [&](const KeyDoc& own) { return own.path == key.path; });
    });
    if (keys.size() >= enough && keys.size() > best.keys.size())
      best = {exception, std::move(keys)};
  }
  return best;
}

std::string kinds_page(const std::vector<const SectionDoc*>& docs, const std::string& heading) {
  const std::vector<KeyDoc> common = common_keys(docs);
  const SharedKeys shared = keys_of_all_but_one(docs, common);
  std::string text;
  if (!common.empty()) text += heading + " Common keys\n\n" + table(common);
  if (!shared.keys.empty())
    text += heading + " Common keys of all but `" + shared.exception->name() + "`\n\n" +
            table(shared.keys);
  for (const SectionDoc* doc : docs) {
    if (!doc->selector.empty()) text += heading + " `" + doc->name() + "`\n\n";
    text += table(without(without(doc->keys, common), shared.keys)) + "```yaml\n" + doc->example +
            "```\n\n";
  }
  return text;
}

}  // namespace

std::string SectionDoc::name() const {
  if (selector.empty()) return section;
  return selector + (value.empty() ? "" : ": " + value);
}

const std::vector<SectionDoc>& section_docs() {
  static const std::vector<SectionDoc> docs = make_section_docs();
  return docs;
}

std::string help_text(const std::string& topic) {
  if (topic.empty()) return overview();
  std::string text;
  for (const Page& page : pages)
    if (topic == page.section) return section_text(topic);
  for (const SectionDoc& doc : section_docs())
    if (!doc.value.empty() &&
        (topic == doc.selector + "=" + doc.value || topic == doc.selector + ": " + doc.value))
      text += (text.empty() ? "" : "\n") + keys_text(doc);
  if (!text.empty()) return text;
  std::set<std::string> paths;
  for (const SectionDoc& doc : section_docs())
    for (const KeyDoc& key : doc.keys)
      if (key.path == topic || key.path.ends_with("." + topic)) paths.insert(key.path);
  for (const std::string& path : paths) text += (text.empty() ? "" : "\n") + key_text(path);
  if (!text.empty()) return text;
  const std::vector<std::string> known = topics();
  const std::vector<std::string_view> names(known.begin(), known.end());
  const auto nearest = nearest_name(topic, names);
  throw ConfigError("no key or section is called " + topic +
                    (nearest ? "; did you mean " + std::string(*nearest) + "?" : ";") +
                    " tomokkos help lists the sections");
}

std::map<std::string, std::string> help_of(const RunConfig& config) {
  std::map<std::string, std::string> result;
  for_each_section(config, [&](const char* name, const auto&... section) {
    for (const Described& key : described(name, section...)) result[key.doc.path] = key.doc.help;
  });
  return result;
}

ConfigKeys keys_with(Identity identity) {
  ConfigKeys keys;
  for (const SectionDoc& doc : section_docs())
    for (const KeyDoc& key : doc.keys)
      if (key.identity == identity) keys.insert(key.path);
  return keys;
}

ConfigKeys keys_outside(Identity comparison) {
  ConfigKeys keys = keys_with(Identity::none);
  keys.merge(keys_with(comparison == Identity::run ? Identity::bits : Identity::run));
  return keys;
}

std::map<std::string, std::string> reference_pages() {
  std::map<std::string, std::string> result;
  std::string index =
      "# Reference of the configuration\n\n`tomokkos help --pages docs/reference` generates these "
      "pages. [configuration](configuration.md) describes what all sections have in common.\n\n";
  for (const Page& page : pages) {
    const std::string section = page.section;
    std::vector<std::vector<const SectionDoc*>> groups;
    for (const SectionDoc& doc : section_docs()) {
      if (doc.section != section) continue;
      if (groups.empty() || groups.back().front()->problem != doc.problem) groups.emplace_back();
      groups.back().push_back(&doc);
    }
    std::string text = "# `" + section + "`: " + page.title + "\n\n" + page.see + "\n\n";
    for (const auto& group : groups) {
      const std::string& problem = group.front()->problem;
      if (groups.size() > 1)
        text += problem.empty() ? "## Other problems\n\n"
                                : "## For `problem.type: " + problem + "`\n\n";
      text += kinds_page(group, groups.size() > 1 ? "###" : "##");
    }
    while (text.ends_with("\n\n")) text.pop_back();
    result[section + ".md"] = text;
    index += "- [`" + section + "`](" + section + ".md): " + page.title + "\n";
  }
  result["README.md"] = index;
  return result;
}

}  // namespace Tomokkos
