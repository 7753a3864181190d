# shellcheck shell=bash
# Shared by ./sluice, ./test and examples/run: finding and installing the tools they need.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# The feature release of a Java home, such as 17; 0 if there is no Java.
java_release() {
  local version
  [[ -x $1/bin/java ]] || { echo 0; return; }
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
  [[ $version ]] || version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  echo "${version:-0}"
}

# Java homes on this machine, the user's choice first.
java_homes() {
  local java home
  [[ -z ${JAVA_HOME:-} ]] || echo "$JAVA_HOME"
  java=$(command -v java || true)
  if [[ $java ]]; then
    java=$(readlink -f "$java")
    echo "${java%/bin/java}"
  fi
  for home in /usr/lib/jvm/*; do
    [[ -L $home ]] || echo "$home"
  done
}

# A home that can run Sluice.
find_java() {
  local home
  while read -r home; do
    (($(java_release "$home") < 17)) || { echo "$home"; return; }
  done < <(java_homes)
  return 1
}

# A home that can build it: 17 if there is one, since its compiler is the one that judges; else any later JDK.
find_jdk() {
  local home release later=
  while read -r home; do
    [[ -x $home/bin/javac ]] || continue
    release=$(java_release "$home")
    if ((release == 17)); then
      echo "$home"
      return
    elif ((release > 17)); then
      later=${later:-$home}
    fi
  done < <(java_homes)
  [[ $later ]] && echo "$later"
}

# require COMMAND PACKAGE …: installs the packages whose command is missing, or says what to install.
# The command "jdk" stands for a Java compiler of release 17 or later.
require() {
  local missing=()
  while (($#)); do
    if [[ $1 == jdk ]]; then
      find_jdk >/dev/null || missing+=("$2")
    else
      type -P "$1" >/dev/null || missing+=("$2")
    fi
    shift 2
  done
  ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
}

install_packages() {
  local log
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    die "please install $* (Debian's names; any JDK from 17 on will do): sudo apt-get install $*"
  fi
  say "installing $*"
  log=$(mktemp)
  if ! apt_get_install "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    die "could not install $*; the whole log is in $log"
  fi
  rm -f "$log"
}

# In a subshell, and without starting the services that packages such as redis-server bring.
apt_get_install() (
  policy=/usr/sbin/policy-rc.d
  if [[ ! -e $policy ]]; then
    trap 'rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod +x "$policy"
  fi
  export DEBIAN_FRONTEND=noninteractive
  install=(apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600)
  apt-get update
  # A later Debian has no JDK 17; its default one will do.
  "${install[@]}" "$@" || "${install[@]}" "${@/openjdk-17/default}"
)

# Turns Maven's log into a few calm lines.
show_progress() {
  local line files=0
  while IFS= read -r line; do
    if [[ $line =~ Building\ (Sluice[^0-9]*).*\[([0-9]+)/([0-9]+)\]$ ]]; then
      say "  ${BASH_REMATCH[1]}(${BASH_REMATCH[2]} of ${BASH_REMATCH[3]})"
    elif [[ $line == *' Downloaded from '* ]]; then
      ((++files % 100)) || say "  fetched $files files"
    fi
  done
}
