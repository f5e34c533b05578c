# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Downloads a source package through apt without changing the configuration of the system. The apt sources of the
# machine are copied as `deb-src` to a private folder, which also holds apt's lists, cache and state. apt still uses the
# keys that the machine trusts and checks signatures as usual.
# shellcheck disable=SC2034  # names shared with the other parts

# Converts one-line sources (.list) to deb-src.
one_line_sources() {
  awk '/^[[:space:]]*deb(-src)?[[:space:]]/ && !/cdrom:/ {
         sub(/^[[:space:]]*deb(-src)?/, "deb-src")
         if (!seen[$0]++) print
       }' "$@"
}

# Converts deb822 sources (.sources) stanza by stanza, without disabled ones.
deb822_sources() {
  awk '{
         count = split($0, line, "\n"); wanted = 0; enabled = 1; text = ""
         for (i = 1; i <= count; ++i) {
           field = tolower(line[i])
           if (field ~ /^types:/) { if (field ~ /deb/) wanted = 1; line[i] = "Types: deb-src" }
           if (field ~ /^enabled:[[:space:]]*(no|false|off|without|disable|0)/) enabled = 0
           if (field ~ /^uris:[[:space:]]*cdrom:/) enabled = 0
           if (field !~ /^#/) text = text line[i] "\n"
         }
         if (wanted && enabled) print text
       }' RS= "$@"
}

# write_private_sources FOLDER: writes the apt sources of the machine as deb-src to FOLDER.
write_private_sources() {
  local folder=$1 main_list='' parts='' file
  eval "$(apt-config shell main_list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
  mkdir -p "$folder"
  : >"$folder/machine.list"
  : >"$folder/machine.sources"
  for file in "$main_list" "$parts"*.list; do
    if [[ -r $file && -f $file ]]; then one_line_sources "$file" >>"$folder/machine.list"; fi
  done
  for file in "$parts"*.sources; do
    if [[ -r $file && -f $file ]]; then deb822_sources "$file" >>"$folder/machine.sources"; fi
  done
}

# write_private_configuration FOLDER: configuration that is read after the machine's own, so that proxies and keys are
# kept. Hooks of other packages on `update` concern the system and are removed.
write_private_configuration() {
  cat >"$1/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$1/sources";
Dir::State "$1/state";
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
END
}

# fetch_source_package NAME CACHE: sets source_archive to the upstream archive in CACHE. Downloads it unless an earlier
# run completed the download.
fetch_source_package() {
  local name=$1 cache=$2 apt=$2/apt
  mkdir -p "$cache"
  if ! (cd "$cache" && sha256sum --check --status "$name.sha256") 2>/dev/null; then
    say "downloading the source package $name (about 170 MB, kept in $cache)"
    rm -rf "$apt"
    mkdir -p "$apt"/{lists,cache/archives,state}/partial
    write_private_sources "$apt/sources"
    write_private_configuration "$apt"
    # An unreachable source may not be the one with the package, so errors are ignored.
    apt-get --config-file="$apt/apt.conf" update >"$apt/log" 2>&1 </dev/null || true
    (
      cd "$cache"
      apt-get --config-file="$apt/apt.conf" --download-only source "$name" >>"$apt/log" 2>&1 </dev/null &&
        sha256sum "$name"_*.orig.tar.* >"$name.sha256"
    ) || {
      tail -n 20 "$apt/log" >&2
      how_to_get_kokkos "apt could not download the source package $name (see its messages above)"
    }
    rm -rf "$apt"
  fi
  source_archive=$cache/$(awk 'NR == 1 { print $2 }' "$cache/$name.sha256")
}
