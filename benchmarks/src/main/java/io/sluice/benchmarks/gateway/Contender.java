package io.sluice.benchmarks.gateway;

import io.sluice.benchmarks.processes.ProcessUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A gateway in a separate process.
 *
 * @param port the port for HTTP/1.1
 * @param http2Port the port for HTTP/2 without TLS, possibly the same
 * @param end stops the gateway
 */
record Contender(String name, ProcessHandle process, int port, int http2Port, Runnable end) implements AutoCloseable {

    /**
     * Starts a Java program with the options that {@code ./sluice} gives on two cores.
     *
     * @param classPath the value of {@code -cp}
     * @param port matches the line of output with the port, which is its first group
     */
    static Contender ofJava(String name, String classPath, String main, List<String> args, Pattern port)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java", "-Xms64m", "-XX:+UseSerialGC", "-cp", classPath, main));
        command.addAll(args);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        StringBuilder printed = new StringBuilder();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            printed.append(line).append('\n');
            Matcher found = port.matcher(line);
            if (found.find()) {
                drain(out, name);
                int at = Integer.parseInt(found.group(1));
                return new Contender(name, process.toHandle(), at, at, process::destroyForcibly);
            }
        }
        process.destroyForcibly();
        throw new IOException(name + " did not start; its output: " + printed);
    }

    /** Returns the CPU time that the process and its descendants have used so far. */
    double cpuSeconds() {
        return Stream.concat(Stream.of(process), process.descendants())
                .mapToDouble(each -> ProcessUse.cpuSeconds(each.pid()))
                .sum();
    }

    @Override
    public void close() {
        end.run();
    }

    private static void drain(BufferedReader out, String name) {
        Thread reader = new Thread(
                () -> {
                    try {
                        while (out.readLine() != null) {
                            // Reads the output, so that the process does not block on printing.
                        }
                    } catch (IOException e) {
                        // The process has ended.
                    }
                },
                "reads " + name);
        reader.setDaemon(true);
        reader.start();
    }
}
