package io.sluice.benchmarks.doors;

import io.sluice.benchmarks.processes.ProcessUse;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One side of a comparison: a {@link Served} process with the JVM options of {@code ./sluice node}. */
final class Side implements AutoCloseable {

    final String name;
    final int http;
    final int grpc;

    private final Process process;

    private Side(String name, Process process, int http, int grpc) {
        this.name = name;
        this.process = process;
        this.http = http;
        this.grpc = grpc;
    }

    static Side start(String name, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "-Xms64m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Served.class.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            String[] ports = line.split(" ", -1);
            if (ports.length == 2 && line.chars().allMatch(c -> c == ' ' || Character.isDigit(c))) {
                return new Side(name, process, Integer.parseInt(ports[0]), Integer.parseInt(ports[1]));
            }
        }
        process.destroyForcibly();
        throw new IOException(name + ": the server did not start");
    }

    long pid() {
        return process.pid();
    }

    /** Returns the resident memory of the process. */
    long residentMegabytes() throws IOException {
        return ProcessUse.residentMegabytes(process.pid());
    }

    @Override
    public void close() {
        process.destroy();
    }
}
