package io.sluice.system;

import io.sluice.testkit.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of {@code ./sluice}, started as a user would start it, with its output and its ports. */
final class SluiceProcess implements AutoCloseable {

    private static final Pattern ADDRESS = Pattern.compile("POST http://127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern GATEWAY = Pattern.compile("gateway +http://127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern GRPC = Pattern.compile("grpc 127\\.0\\.0\\.1:(\\d+)");
    private static final Pattern CENTER = Pattern.compile("center +GET +https?://[^/]+:(\\d+)");
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final Queue<String> printed = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final CompletableFuture<Integer> grpcPort = new CompletableFuture<>();
    private final CompletableFuture<Integer> gatewayPort = new CompletableFuture<>();
    private final CompletableFuture<Integer> centerPort = new CompletableFuture<>();
    private final Thread reader;

    private SluiceProcess(Process process) {
        this.process = process;
        reader = new Thread(() -> read(process.getInputStream()), "reads " + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    static SluiceProcess run(String... arguments) throws IOException {
        return in(Path.of(""), arguments);
    }

    /** Runs it in a folder, which is where relative paths begin. */
    static SluiceProcess in(Path folder, String... arguments) throws IOException {
        return in(folder, Map.of(), arguments);
    }

    static SluiceProcess in(Path folder, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("sluice.root"), "sluice").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toAbsolutePath().toFile())
                .redirectErrorStream(true);
        // By default, each process gets free ports, so that processes do not conflict.
        builder.environment().put("SLUICE_GRPC_PORT", "0");
        builder.environment().put("SLUICE_GATEWAY_PORT", "0");
        builder.environment().put("SLUICE_CENTER_PORT", "0");
        // The processes live too short for the optimising compiler, which takes half of the time of a start.
        builder.environment().put("SLUICE_JAVA_OPTS", "-XX:TieredStopAtLevel=1");
        builder.environment().put("SLUICE_STOP_DELAY", "0");
        builder.environment().putAll(environment);
        return new SluiceProcess(builder.start());
    }

    /** Waits until the address of the gateway is printed, and returns its port. */
    int gatewayPort() throws Exception {
        return gatewayPort.get(300, TimeUnit.SECONDS);
    }

    /** Sends a request through the gateway. */
    HttpResponse<String> through(String method, String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gatewayPort() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Waits until the address for Envoy is printed, which follows that of the API, and returns its port. */
    int grpcPort() throws Exception {
        return grpcPort.get(300, TimeUnit.SECONDS);
    }

    /** Waits until the address of the center is printed, and returns its port. */
    int centerPort() throws Exception {
        return centerPort.get(300, TimeUnit.SECONDS);
    }

    /** Waits until the address of the API is printed, and returns its port. */
    int port() throws Exception {
        return port.get(300, TimeUnit.SECONDS);
    }

    /** Waits until a line with this text is printed, and returns its first group. */
    String awaitText(String pattern) {
        Pattern wanted = Pattern.compile(pattern);
        Await.until(
                pattern,
                Duration.ofMinutes(5),
                () -> !process.isAlive() || find(wanted).isPresent());
        return find(wanted).orElseThrow(() -> new AssertionError("ended without " + pattern + ":\n" + printed()));
    }

    private Optional<String> find(Pattern wanted) {
        return printed.stream()
                .map(wanted::matcher)
                .filter(Matcher::find)
                .map(found -> found.group(1))
                .findFirst();
    }

    HttpRequest check(String json) throws Exception {
        return post("/v1/check", json);
    }

    private HttpRequest post(String path, String json) throws Exception {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
    }

    HttpResponse<String> post(String json) throws Exception {
        return HTTP.send(check(json), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> send(String path, String json) throws Exception {
        return HTTP.send(post(path, json), HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> postAsync(String json) throws Exception {
        return HTTP.sendAsync(check(json), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> get(String path) throws Exception {
        return HTTP.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** Stops the process with SIGTERM, as an operator would, and returns its exit code. */
    int stop() throws Exception {
        process.destroy();
        return exitCode();
    }

    int exitCode() throws Exception {
        if (!process.waitFor(300, TimeUnit.SECONDS)) {
            throw new AssertionError("still running; its output:\n" + printed());
        }
        reader.join(TimeUnit.SECONDS.toMillis(60));
        return process.exitValue();
    }

    String printed() {
        return String.join("\n", printed);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private void read(InputStream output) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                printed.add(line);
                find(ADDRESS, line, port);
                find(GRPC, line, grpcPort);
                find(GATEWAY, line, gatewayPort);
                find(CENTER, line, centerPort);
            }
        } catch (IOException e) {
            printed.add(e.toString());
        }
        AssertionError ended = new AssertionError("ended without printing an address; its output:\n" + printed());
        port.completeExceptionally(ended);
        grpcPort.completeExceptionally(ended);
        gatewayPort.completeExceptionally(ended);
        centerPort.completeExceptionally(ended);
    }

    private static void find(Pattern address, String line, CompletableFuture<Integer> port) {
        Matcher found = address.matcher(line);
        if (found.find()) {
            port.complete(Integer.parseInt(found.group(1)));
        }
    }
}
