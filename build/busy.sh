# shellcheck shell=bash
# Keeps the machine busy while tests run, for ./test --busy.

# keep_busy DIRECTORY: starts twice as many busy loops as there are cores, and a writer that forces 64 MB to the disk of the directory
# again and again. All of them end with this script, however it ends.
keep_busy() {
  local i cores loads=()
  cores=$(nproc)
  for ((i = 0; i < 2 * cores; i++)); do
    busy_loop &
    loads+=($!)
  done
  busy_writer "$1/busy" &
  loads+=($!)
  # shellcheck disable=SC2064
  trap "kill ${loads[*]} 2>/dev/null; rm -f '$1/busy'" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

# Looks now and then whether the script is still there, which may have been killed.
busy_loop() {
  trap - EXIT INT TERM
  local i
  while kill -0 $$ 2>/dev/null; do
    for ((i = 0; i < 100000; i++)); do :; done
  done
}

busy_writer() {
  trap - EXIT INT TERM
  while kill -0 $$ 2>/dev/null; do
    dd if=/dev/zero of="$1" bs=1M count=64 conv=fsync 2>/dev/null || sleep 1
  done
}
