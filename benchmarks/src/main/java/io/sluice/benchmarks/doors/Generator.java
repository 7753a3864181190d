package io.sluice.benchmarks.doors;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A load generator of the system, run as a process: ours would take as much of the machine as what it measures. */
public final class Generator {

    private Generator() {}

    /** What it prints. */
    public static String run(List<String> command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException(
                    command.get(0) + ": cannot be run (expected: wrk and h2load; on Debian: apt-get install wrk"
                            + " nghttp2-client)",
                    e);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    /** The number in a line of its output, by the first group of a pattern. */
    public static double number(String output, String pattern) throws IOException {
        return Double.parseDouble(text(output, pattern, 1));
    }

    /** What a group of a pattern found in its output. */
    public static String text(String output, String pattern, int group) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        if (!matcher.find()) {
            throw new IOException("no " + pattern + " in: " + output);
        }
        return matcher.group(group);
    }
}
