package io.sluice.benchmarks.faults;

import io.sluice.node.gateway.spi.GatewayHandler;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A node that logs very much while no process reads its log. */
final class Sinks {

    private static final Pattern API = Pattern.compile("POST (http://127\\.0\\.0\\.1:\\d+)/v1/check");
    private static final Pattern GATEWAY = Pattern.compile("curl -i -X POST (http://127\\.0\\.0\\.1:\\d+/\\S+)");
    private static final int PIPE = 64 * 1024;

    private Sinks() {}

    /** Runs the same node twice. Only the log of the first is read. */
    static void blocked(Trial trial) throws Exception {
        int requests = trial.times(20_000, 500);
        double read = p99(trial, requests, true);
        double unread = p99(trial, requests, false);
        trial.note("p99 with the log read " + String.format("%.2f", read) + " ms");
        trial.figure("with the log unread", unread, Math.max(2 * read, read + 1), "ms");
    }

    private static double p99(Trial trial, int requests, boolean read) throws Exception {
        Path extension = Files.createTempDirectory("sluice-talkative");
        try {
            Process node = launch(extension);
            try {
                Addresses addresses = addresses(node);
                if (read) {
                    Thread reader = new Thread(() -> drain(node));
                    reader.setDaemon(true);
                    reader.start();
                }
                HttpClient client = HttpClient.newHttpClient();
                HttpRequest logged = HttpRequest.newBuilder(URI.create(addresses.gateway))
                        .timeout(Duration.ofSeconds(60))
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build();
                double[] millis = new double[requests];
                for (int i = -requests / 4; i < requests; i++) {
                    long start = System.nanoTime();
                    client.send(logged, HttpResponse.BodyHandlers.discarding());
                    if (i >= 0) {
                        millis[i] = (System.nanoTime() - start) / 1e6;
                    }
                }
                String metrics = client.send(
                                HttpRequest.newBuilder(URI.create(addresses.api + "/metrics"))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString())
                        .body();
                boolean dropped = metrics.lines()
                        .anyMatch(line -> line.startsWith("sluice_log_dropped_total ") && !line.endsWith(" 0.0"));
                trial.must(read || dropped, "log lines are dropped and counted");
                Arrays.sort(millis);
                return millis[requests * 99 / 100];
            } finally {
                node.destroyForcibly();
            }
        } finally {
            delete(extension);
        }
    }

    /** Starts a node whose gateway logs long lines for every request. */
    private static Process launch(Path extension) throws IOException {
        Path services = Files.createDirectories(extension.resolve("META-INF/services"));
        Files.writeString(services.resolve(GatewayHandler.class.getName()), TalkativeHandler.class.getName());
        return new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-cp",
                        extension + File.pathSeparator + System.getProperty("java.class.path"),
                        "io.sluice.cli.Main",
                        "start",
                        "--api-port",
                        "0",
                        "--grpc-port",
                        "0",
                        "--gateway-port",
                        "0",
                        "--center-port",
                        "0",
                        "--data",
                        extension.resolve("data").toString(),
                        "--log-format",
                        "json")
                .start();
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private record Addresses(String api, String gateway) {}

    private static Addresses addresses(Process node) throws IOException {
        BufferedReader out = new BufferedReader(new InputStreamReader(node.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder screen = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            screen.append(line).append('\n');
            Matcher api = API.matcher(screen);
            Matcher gateway = GATEWAY.matcher(screen);
            if (api.find() && gateway.find()) {
                return new Addresses(api.group(1), gateway.group(1));
            }
        }
        throw new IOException("the node did not start");
    }

    private static void drain(Process node) {
        byte[] some = new byte[PIPE];
        try {
            while (node.getErrorStream().read(some) >= 0) {
                // Discards the output, so that the node does not block.
            }
        } catch (IOException e) {
            // The node has ended.
        }
    }
}
