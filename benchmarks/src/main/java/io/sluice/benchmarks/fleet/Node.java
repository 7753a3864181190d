package io.sluice.benchmarks.fleet;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Worker} in a separate process. */
final class Node implements AutoCloseable {

    private final Process process;
    private final BufferedReader out;

    private Node(Process process) {
        this.process = process;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    static Node start(String uri, String name, @Nullable Path history, Load load) throws IOException {
        return start(System.getProperty("java.class.path"), uri, name, history, load);
    }

    /** Starts a node with another class path than that of this process. */
    static Node start(String classPath, String uri, String name, @Nullable Path history, Load load) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                Worker.class.getName(),
                uri,
                name,
                history == null ? "" : history.toString()));
        command.addAll(load.words());
        Process process = new ProcessBuilder(command).start();
        copyErrors(process);
        return new Node(process);
    }

    /** Prints what a node logs where this process prints its errors: a test runner may have taken those over. */
    private static void copyErrors(Process process) {
        Thread copies = new Thread(
                () -> {
                    try {
                        process.getErrorStream().transferTo(System.err);
                    } catch (IOException e) {
                        // The node was killed.
                    }
                },
                "errors of a node");
        copies.setDaemon(true);
        copies.start();
    }

    void awaitReady() throws IOException {
        String line = out.readLine();
        if (!"ready".equals(line)) {
            throw new IOException("node: " + line + " (expected: ready)");
        }
    }

    void go() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    void signal(String signal) {
        try {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor(60, TimeUnit.SECONDS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the results of the node's requests; {@link Tally.Totals#NONE} if it was killed. */
    Tally.Totals totals() throws IOException {
        String line = out.readLine();
        return line == null ? Tally.Totals.NONE : Tally.Totals.of(List.of(line.split(" ")));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
