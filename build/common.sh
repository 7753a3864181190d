# shellcheck shell=bash
# Finds and installs the tools that ./sluice, ./test and examples/run need.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$@"
  exit 1
}

# Prints the feature release of a Java home, such as 17; 0 if it has no Java.
java_release() {
  local version
  [[ -x $1/bin/java ]] || { echo 0; return; }
  version=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release" 2>/dev/null || true)
  [[ $version ]] || version=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
  echo "${version:-0}"
}

# Lists the Java homes on this machine, the user's choice first.
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

# Prints a Java home that can run Sluice.
find_java() {
  local home
  while read -r home; do
    (($(java_release "$home") < 17)) || { echo "$home"; return; }
  done < <(java_homes)
  return 1
}

# Prints a Java home that can build Sluice: JDK 17 if there is one, because its compiler is the reference; otherwise a later JDK.
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

# require COMMAND PACKAGE …: installs the packages of missing commands, or tells the user what to install.
# The command "jdk" stands for a Java compiler of release 17 or later, and a path of files for any of them.
require() {
  local missing=()
  while (($#)); do
    if [[ $1 == jdk ]]; then
      find_jdk >/dev/null || missing+=("$2")
    elif [[ $1 == /* ]]; then
      compgen -G "$1" >/dev/null || missing+=("$2")
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
    die "missing packages: $* (names as in Debian; any JDK 17 or later works); install them with: sudo apt-get install $*"
  fi
  say "installing $*…"
  log=$(mktemp)
  if ! apt_get_install "$@" >"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    die "could not install $*; see the full log in $log"
  fi
  rm -f "$log"
}

# Runs in a subshell. Does not start the services that come with packages such as redis-server.
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
  # Later releases of Debian have no JDK 17; their default JDK works too.
  "${install[@]}" "$@" || "${install[@]}" "${@/openjdk-17/default}"
)

# show_progress [FILES]: condenses Maven's log. On a terminal, one line shows the module, what Maven does with it, the downloads and the
# time, and moves at least once a second. Elsewhere, each module and every hundredth download is a line. FILES is how many files a build
# with an empty local repository downloads.
show_progress() {
  local line part='' module='' phase='starting Maven' files=0 of=${1:+ of about $1} status text width
  width=$(terminal_width)
  SECONDS=0
  while :; do
    status=0
    IFS= read -r -t 1 line || status=$?
    # After a second without a whole line, read returns more than 128 and the part that it has.
    part+=$line
    if ((status == 0)); then
      note_progress "$part"
      part=
    elif ((status <= 128)); then
      break
    fi
    if [[ -t 2 ]]; then
      printf -v text '%s: %d:%02d ' "${0##*/}" $((SECONDS / 60)) $((SECONDS % 60))
      ((files == 0)) || text+="$files$of files, "
      text+="${module:+$module, }$phase"
      # A line as long as the terminal is wide would wrap and not be replaced.
      printf '\r\033[K%.*s' "$((width - 1))" "$text" >&2
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# Reads one line of Maven's log into the variables of show_progress.
note_progress() {
  if [[ $1 =~ Building\ (Sluice[^0-9]*).*\[([0-9]+)/([0-9]+)\]$ ]]; then
    module="module ${BASH_REMATCH[2]} of ${BASH_REMATCH[3]}, ${BASH_REMATCH[1]% }"
    phase=preparing
    [[ -t 2 ]] || say "  ${BASH_REMATCH[1]}(${BASH_REMATCH[2]} of ${BASH_REMATCH[3]})"
  elif [[ $1 == *' Downloading from '* ]]; then
    phase=downloading
  elif [[ $1 == *' Downloaded from '* ]]; then
    ((++files % 100)) || [[ -t 2 ]] || say "  downloaded $files$of files"
  elif [[ $1 =~ ---\ [^\ ]+:([A-Za-z-]+)\ .*\ @\  ]]; then
    case ${BASH_REMATCH[1]} in
      compile | testCompile) phase=compiling ;;
      jar | copy-dependencies) phase=packing ;;
      *) phase=preparing ;;
    esac
  fi
}

# Prints the width of the terminal.
terminal_width() {
  local size
  size=$(stty size <&2 2>/dev/null) || size=
  size=${size##* }
  ((${size:-0} > 20)) && echo "$size" || echo 80
}
