package io.sluice.benchmarks.doors;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Runs an installed load generator as a process. One written in Java would use as much CPU time as the server it measures. */
public final class Generator {

    private Generator() {}

    /** Runs a command and returns what it prints. */
    public static String run(List<String> command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new IOException(
                    command.get(0) + ": cannot be run (expected: wrk and h2load; on Debian: sudo apt-get install wrk"
                            + " nghttp2-client)",
                    e);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }

    /** Returns the number that the first group of a pattern matches in the output. */
    public static double number(String output, String pattern) throws IOException {
        return Double.parseDouble(text(output, pattern, 1));
    }

    /** Returns the text that a group of a pattern matches in the output. */
    public static String text(String output, String pattern, int group) throws IOException {
        Matcher matcher = Pattern.compile(pattern).matcher(output);
        if (!matcher.find()) {
            throw new IOException("no " + pattern + " in: " + output);
        }
        return matcher.group(group);
    }
}
