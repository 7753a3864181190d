# shellcheck shell=bash
# Ends a test run that hangs, with the reason, for ./test.

# end_if_hanging MINUTES DIRECTORY: returns immediately. If this script still runs after so many minutes, writes the threads of each of its
# Java processes to DIRECTORY/hang-PROCESS.txt and a report about them to DIRECTORY/hang.txt, and kills them and all that they started.
end_if_hanging() {
  rm -f "$2"/hang.txt "$2"/hang-*.txt
  (
    trap - EXIT INT TERM
    set +e
    SECONDS=0
    # Looks now and then whether the script is still there, which may have been killed.
    while ((SECONDS < $1 * 60)); do
      sleep 2
      kill -0 $$ || exit
    done
    mapfile -t processes < <(descendants $$ java)
    mapfile -t started < <(for process in "${processes[@]}"; do descendants "$process"; done)
    for process in "${processes[@]}"; do
      timeout 60 "$JAVA_HOME/bin/jstack" -l "$process" >"$2/hang-$process.txt" &
    done
    wait
    report_hang "$1" "$2" "${processes[@]}" >"$2/hang.txt"
    kill -KILL "${processes[@]}" "${started[@]}"
  ) </dev/null >/dev/null 2>&1 &
}

# report_hang MINUTES DIRECTORY PROCESS…: prints the test classes that were running, and what the main thread of each process was doing.
report_hang() {
  local minutes=$1 directory=$2 process
  shift 2
  printf '\nThis run had not ended after %s minutes and was killed.\nTest classes that were running:\n' "$minutes"
  awk '
    / Running / { running[$NF] }
    / Tests run:.* in / { delete running[$NF] }
    END { for (class in running) print "  " class }
  ' "$directory/test.log"
  for process; do
    # The arguments without Java and its options: a test process has the name of a jar file, Maven its goals.
    printf '\nProcess %d, %.120s (all of its threads are in %s/hang-%d.txt):\n' \
      "$process" "$(ps -o args= -p "$process" | sed -E 's/^[^ ]+ (-(cp|classpath) [^ ]+ |-[^ ]+ )*//')" "$directory" "$process"
    # The first frames of the main thread say what it waits for, and those of this project who waits.
    awk '
      /^"main"/ { main = 1 }
      main && NF == 0 { exit }
      main && (++line <= 15 || /io\.sluice/)
    ' "$directory/hang-$process.txt"
  done
}

# descendants PROCESS [NAME]: prints the processes that a process started, and what these started; only those with this name.
descendants() {
  ps -eo pid=,ppid=,comm= | awk -v root="$1" -v name="${2:-}" '
    { children[$2] = children[$2] " " $1; names[$1] = $3 }
    function print_below(process, i, count, list) {
      count = split(children[process], list, " ")
      for (i = 1; i <= count; i++) {
        if (name == "" || names[list[i]] == name) print list[i]
        print_below(list[i])
      }
    }
    END { print_below(root) }
  '
}
