package io.sluice.benchmarks.processes;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A node that was started as a user starts it: by {@code ./sluice}, if this program was. */
public final class NodeProcess implements AutoCloseable {

    private static final Pattern API = Pattern.compile("decisions +POST http://127\\.0\\.0\\.1:([0-9]+)/");
    private static final Pattern GRPC = Pattern.compile("envoy +grpc 127\\.0\\.0\\.1:([0-9]+)");
    private static final String LAST_LINE = "Ctrl-C";
    private static final int STOP_SECONDS = 20;

    private final Process process;
    private final Path log;
    private final int apiPort;
    private final int grpcPort;
    private final double startSeconds;

    private NodeProcess(Process process, Path log, String printed, long beganNanos) throws IOException {
        this.process = process;
        this.log = log;
        this.apiPort = port(API, printed);
        this.grpcPort = port(GRPC, printed);
        awaitHealth();
        this.startSeconds = (System.nanoTime() - beganNanos) / 1e9;
    }

    /**
     * Starts a node with ports that are free, and waits until it serves.
     *
     * @param args the command, {@code node} or {@code start}, and its options
     */
    public static NodeProcess start(List<String> args) throws IOException {
        List<String> command = command();
        command.addAll(args);
        command.addAll(List.of("--api-port", "0", "--grpc-port", "0", "--gateway-port", "0"));
        if (args.get(0).equals("start")) {
            Path data = Files.createTempDirectory("sluice-data");
            command.addAll(List.of("--center-port", "0", "--data", data.toString()));
        }
        Path log = Files.createTempFile("sluice-node", ".log");
        log.toFile().deleteOnExit();
        long began = System.nanoTime();
        Process process =
                new ProcessBuilder(command).redirectError(log.toFile()).start();
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder printed = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            printed.append(line).append('\n');
            if (line.startsWith(LAST_LINE)) {
                return new NodeProcess(process, log, printed.toString(), began);
            }
        }
        process.destroyForcibly();
        throw new IOException(String.join(" ", command) + ": did not start: " + printed + Files.readString(log));
    }

    /** Returns the script, if its build is there, and otherwise a JVM with the options that the script uses on two cores. */
    static List<String> command() {
        return Checkout.root()
                .filter(root -> Files.exists(root.resolve("cli/target/quick/dist/built")))
                .map(root -> new ArrayList<>(List.of(root.resolve("sluice").toString())))
                .orElseGet(() -> new ArrayList<>(List.of(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xms64m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        "io.sluice.cli.Main")));
    }

    /** Waits until the class archives that earlier starts make in the background are complete. */
    public static void awaitArchives() throws IOException, InterruptedException {
        Path root = Checkout.root().orElse(null);
        if (root == null) {
            return;
        }
        for (String dist : List.of("cli/target/quick/dist", "cli/target/dist")) {
            while (Files.exists(root.resolve(dist)) && isMakingArchives(root.resolve(dist))) {
                TimeUnit.MILLISECONDS.sleep(200);
            }
        }
    }

    private static boolean isMakingArchives(Path dist) throws IOException, InterruptedException {
        try (Stream<Path> files = Files.list(dist)) {
            // The script keeps a lock on this file meanwhile.
            for (Path lock :
                    files.filter(file -> file.toString().endsWith(".lock")).toList()) {
                if (new ProcessBuilder("flock", "-n", lock.toString(), "true")
                                .start()
                                .waitFor()
                        != 0) {
                    return true;
                }
            }
            return false;
        }
    }

    private static int port(Pattern pattern, String printed) throws IOException {
        Matcher found = pattern.matcher(printed);
        if (!found.find()) {
            throw new IOException("no " + pattern + " in: " + printed);
        }
        return Integer.parseInt(found.group(1));
    }

    private void awaitHealth() throws IOException {
        HttpRequest health = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + apiPort + "/health"))
                .build();
        HttpClient client = HttpClient.newHttpClient();
        try {
            while (client.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() != 200) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    public int grpcPort() {
        return grpcPort;
    }

    public long pid() {
        return process.pid();
    }

    /** Returns the time from the command until the node answered that it serves. */
    public double startSeconds() {
        return startSeconds;
    }

    /** Returns how many lines of the log contain a text. */
    public long logged(String text) throws IOException {
        return Files.readAllLines(log).stream()
                .filter(line -> line.contains(text))
                .count();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
