// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <algorithm>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <impl/Tomokkos_ZipArchive.hpp>

namespace Tomokkos {

bool has_npz_members(const std::filesystem::path& file,
                     std::initializer_list<std::string_view> members) {
  try {
    const Impl::ZipReader archive(file);
    return std::all_of(members.begin(), members.end(),
                       [&](std::string_view name) { return archive.contains(std::string(name)); });
  } catch (const Error&) {
    return false;
  }
}

const OutputKind npz_output{"an .npz archive", [](const std::filesystem::path& file) {
                              return Impl::first_bytes(file, 4) == "PK\3\4";
                            }};

void write_npz(const std::filesystem::path& path, const std::vector<NpzArray>& arrays,
               const std::vector<NpzText>& texts, const OutputKind& kind) {
  std::vector<std::string> headers;
  for (const NpzArray& array : arrays)
    headers.push_back(std::visit(
        [&]<class T>(std::span<const T>) {
          return Impl::npy_header_text(Impl::npy_descr<T>(), array.shape);
        },
        array.values));
  const auto bytes_of = [](const std::string& text) {
    return std::as_bytes(std::span<const char>(text.data(), text.size()));
  };
  std::vector<Impl::ZipMember> members;
  for (std::size_t i = 0; i < arrays.size(); ++i)
    members.push_back(
        {arrays[i].name + ".npy",
         {bytes_of(headers[i]),
          std::visit([](const auto& values) { return std::as_bytes(values); }, arrays[i].values)}});
  for (const NpzText& text : texts) members.push_back({text.name, {bytes_of(text.text)}});
  Impl::write_zip(path, kind, members, false);
}

std::string read_npz_text(const std::filesystem::path& path, const std::string& name) {
  const Impl::ZipReader archive(path);
  const auto source = archive.open(name);
  Impl::require_memory(source->size(), "reading " + source->name() + " needs");
  std::string text(static_cast<std::size_t>(source->size()), '\0');
  source->read_exactly(text.data(), text.size(), "the text");
  source->expect_end();
  return text;
}

}  // namespace Tomokkos
