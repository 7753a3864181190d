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

# Writes the times of the last recorded run into each module for Surefire, which starts the longest classes first.
order_classes() {
  local module line
  rm -f ./*/.surefire-times ./*/*/.surefire-times
  [[ -f benchmarks/results/test-times.md ]] || return 0
  while read -r module line; do
    [[ ! -d $module ]] || echo "$line" >>"$module/.surefire-times"
  done < <(awk -F ' *[|] *' '$4 ~ /^[0-9.]+$/ { printf "%s 0,%d,%s,\n", $3, $4 * 1000, $2 }' benchmarks/results/test-times.md)
}

# Prints seconds, module and class, the longest first. Nested classes count for their class.
class_seconds() {
  test_classes | awk '
    {
      split($6, path, "/target/")
      sub(/\$.*/, "", $2)
      seconds[substr(path[1], 3) " " $2] += $1
    }
    END { for (class in seconds) printf "%.1f %s\n", seconds[class], class }
  ' | sort -rn
}

# Prints the modules and their classes with the seconds of each, then the number of tests and the time.
summarise() {
  printf '\nSeconds of each test class:\n'
  class_seconds | awk '
    {
      module = $2
      class = $3
      sub(/.*\./, "", class)
      if (!(module in sum)) modules[++count] = module
      sum[module] += $1
      if ($1 >= 1) list[module] = list[module] (list[module] ? ", " : ": ") class " " int($1 + 0.5)
      else { others[module]++; rest[module] += $1 }
    }
    END {
      for (i = 1; i <= count; i++) {
        module = modules[i]
        printf "%s %.0f%s", module, sum[module], list[module]
        if (others[module]) printf "%s %d shorter ones %.0f", list[module] ? "," : ":", others[module], rest[module]
        print ""
      }
    }
  ' | fold -s -w 140
  test_classes | awk -v total="$seconds" -v stolen="$stolen" '
    { tests += $3; failed += $4; skipped += $5 }
    END {
      printf "\n%d passed, %d failed, %d skipped", tests - failed - skipped, failed, skipped
      printf " in %d min %d s (the host gave %s of the CPU time to others)\n", total / 60, total % 60, stolen
    }
  '
}

# Prints what was tested and on what: commit, JVM, architecture, cores and time.
run_header() {
  local java
  java=$("$JAVA_HOME/bin/java" -XshowSettings:properties -version 2>&1)
  setting() { sed -n "s/^ *$1 = //p" <<<"$java"; }
  printf 'Commit %s, %s %s, %s, %d cores; %d min %d s, %s of the CPU time stolen; %s\n' \
    "$(commit)" "$(setting java.vm.name)" "$(setting java.version)" \
    "$(setting os.arch)" "$(nproc)" $((seconds / 60)) $((seconds % 60)) "$stolen" "$(date -u +%F)"
}

commit() { git rev-parse --short HEAD 2>/dev/null || echo unknown; }

# long_table SCALE: prints the table of a run of the long forms.
long_table() {
  printf '# The last run of ./test --long\n\n%s\n\n' "$(run_header)"
  printf '| class | module | size | tests | result | seconds |\n|---|---|---|---|---|---|\n'
  test_classes | sort -k2 | awk -v scale="$1" '{
    split($6, path, "/target/")
    printf "| %s | %s | %s × | %d | %s | %.1f |\n", $2, substr(path[1], 3), scale, $3, $4 ? $4 " failed" : "passed", $1
  }'
}

# Prints the table of all classes, the longest first.
class_times() {
  printf '# Seconds of each test class in the last run of ./test --record\n\n%s\n\n' "$(run_header)"
  printf '| class | module | seconds |\n|---|---|---|\n'
  class_seconds | awk '{ printf "| %s | %s | %s |\n", $3, $2, $1 }'
}

# Prints the CPU time that the host of this virtual machine gave to others, and all CPU time that processes here wanted.
stolen_time() { awk '/^cpu / { print $9, $2 + $3 + $4 + $7 + $8 + $9 }' /proc/stat 2>/dev/null || echo 0 0; }

# stolen_share BEFORE AFTER: prints the share of the wanted CPU time that the host gave to others, such as 12 %.
stolen_share() { awk '{ wanted = $4 - $2; printf "%d %%", wanted ? 100 * ($3 - $1) / wanted : 0 }' <<<"$1 $2"; }

# record_run FORM: prints a row about the run: what failed, and how.
record_run() {
  local failures
  failures=$(failed_tests | paste -sd ';' | sed 's/;/; /g')
  if ((status)) && [[ ! $failures ]]; then
    failures=$(sed -n 's/^\[ERROR\] //p' target/test.log | head -n 1 | sed 's/|/\//g')
  fi
  test_classes | awk -v date="$(date -u +%F)" -v commit="$(commit)" -v form="$1" -v cores="$(nproc)" -v total="$seconds" \
    -v stolen="$stolen" -v failures="$failures" '
    { tests += $3; failed += $4 }
    END { printf "| %s | %s | %s | %d | %.1f | %s | %d | %d | %s |\n", date, commit, form, cores, total / 60, stolen, tests, failed, failures }
  '
}

# Prints a line for each failed test: class.method: message.
failed_tests() {
  shopt -s nullglob
  awk '
    function attribute(name) {
      return match($0, " " name "=\"[^\"]*\"") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 4) : ""
    }
    /<testcase / { class = attribute("classname"); sub(/.*\./, "", class); test = class "." attribute("name") }
    /<(failure|error)[ >]/ {
      message = attribute("message")
      gsub(/&#10;|&#13;/, " ", message)
      gsub(/&quot;/, "\"", message)
      gsub(/&lt;/, "<", message)
      gsub(/&gt;/, ">", message)
      gsub(/&amp;/, "\\&", message)
      gsub(/[|;]/, ",", message)
      gsub(/  +/, " ", message)
      print test ": " substr(message, 1, 160)
    }
  ' ./*/target/surefire-reports/TEST-*.xml ./*/*/target/surefire-reports/TEST-*.xml </dev/null
}
