# shellcheck shell=bash
# Reads the logs and reports of a test run, for ./test.

# Leaves of Maven's log the modules, their times, the result, and everything that is no information: warnings, errors, failed tests.
condense() {
  awk '
    # Some builds of Maven begin with codes for a terminal.
    { gsub(/\033\[0?m/, "") }
    # The JVM says so in every process with an agent, such as those of Lincheck and Mockito.
    / VM warning: Sharing is only supported for boot loader classes / { next }
    /^\[INFO\]/ && !/^\[INFO\] (Building Sluice |Reactor Summary |Sluice .*\. [A-Z]+ |BUILD |Total time: )/ { next }
    NF { print; fflush() }
  '
}

# Prints a line for each test class: seconds, class, tests, failed tests, skipped tests, file.
test_classes() {
  shopt -s nullglob
  awk '
    function attribute(name) {
      return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : 0
    }
    /<testsuite / && !seen[FILENAME]++ {
      seconds = attribute("time")
      gsub(",", "", seconds)
      print seconds, attribute("name"), attribute("tests"), attribute("failures") + attribute("errors"), attribute("skipped"), FILENAME
    }
  ' ./*/target/surefire-reports/TEST-*.xml ./*/*/target/surefire-reports/TEST-*.xml </dev/null
}

# Shows the end of what each failed class printed, and its seeds if they were printed earlier.
show_failed_output() {
  local class failed file output
  test_classes | while read -r _ class _ failed _ file; do
    output=$(dirname "$file")/$class-output.txt
    if ((failed)) && [[ -s $output ]]; then
      printf '\nThe end of what %s printed (all of it is in %s):\n' "$class" "$output"
      head -n -200 "$output" | grep -a 'seed' || true
      tail -n 200 "$output"
    fi
  done
}

# Prints the number of tests, the time and the slowest ten classes.
summarise() {
  test_classes | awk -v total="$SECONDS" '
    { tests += $3; failed += $4; skipped += $5 }
    END {
      printf "\n%d passed, %d failed, %d skipped", tests - failed - skipped, failed, skipped
      printf " in %d min %d s\n", total / 60, total % 60
    }
  '
  echo 'The slowest classes, in seconds:'
  test_classes | sort -rn | awk 'NR <= 10 { printf "%8.1f  %s\n", $1, $2 }'
}

# long_table SCALE RESTARTS: prints the table of a run of the long forms.
long_table() {
  local java
  java=$("$JAVA_HOME/bin/java" -XshowSettings:properties -version 2>&1)
  setting() { sed -n "s/^ *$1 = //p" <<<"$java"; }
  printf '# The last run of ./test --long\n\nCommit %s, %s %s, %s, %d cores; %d min %d s\n\n' \
    "$(git rev-parse --short HEAD 2>/dev/null || echo unknown)" "$(setting java.vm.name)" "$(setting java.version)" \
    "$(setting os.arch)" "$(nproc)" $((SECONDS / 60)) $((SECONDS % 60))
  printf '| class | module | size | tests | result | seconds |\n|---|---|---|---|---|---|\n'
  test_classes | sort -k2 | awk -v scale="$1" -v restarts="$2" '{
    split($6, path, "/target/")
    size = $2 ~ /RedisRuleSourceTest$/ ? restarts " restarts" : scale " ×"
    printf "| %s | %s | %s | %d | %s | %.1f |\n", $2, substr(path[1], 3), size, $3, $4 ? $4 " failed" : "passed", $1
  }'
}
