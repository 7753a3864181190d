package io.sluice.system;

import io.sluice.testkit.Await;
import io.sluice.testkit.process.SharedFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
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

    private static final Path ROOT = Path.of(System.getProperty("sluice.root"));
    /** The processes live too short for the optimising compiler and for the verification of classes that javac has just written. */
    private static final String FAST =
            "-XX:TieredStopAtLevel=1 -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote";

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

    /**
     * Returns an archive of the program's classes for all processes and verbs. Those that {@code ./sluice} makes in the background would be
     * ready after most of the tests.
     */
    private static Path archive() throws IOException {
        try {
            return SharedFile.of(
                    ROOT.resolve("system-tests/target/program.jsa"),
                    List.of(ROOT.resolve("cli/target/quick/dist/built"), ROOT.resolve("cli/target/dist/built")),
                    SluiceProcess::makeArchive);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Runs a node and a center once. Nobody listens at the address of the Redis; trying it loads the classes of its client. */
    private static void makeArchive(Path file) throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("sluice-archive");
        String[] start = {"start", "--redis", "redis://127.0.0.1:9", "--data", data.toString(), "--api-port", "0"};
        ProcessBuilder builder = builder(data, FAST + " -XX:ArchiveClassesAtExit=" + file, start);
        Process process = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
            String line = out.readLine();
            while (line != null && !line.startsWith("Ctrl-C")) {
                line = out.readLine();
            }
            process.destroy();
            process.waitFor();
        } finally {
            process.destroyForcibly();
        }
    }

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
        ProcessBuilder builder = builder(folder, FAST + " -XX:SharedArchiveFile=" + archive(), arguments)
                .redirectErrorStream(true);
        builder.environment().putAll(environment);
        return new SluiceProcess(builder.start());
    }

    private static ProcessBuilder builder(Path folder, String javaOptions, String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(ROOT.resolve("sluice").toString());
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toAbsolutePath().toFile());
        // By default, each process gets free ports, so that processes do not conflict.
        builder.environment().put("SLUICE_GRPC_PORT", "0");
        builder.environment().put("SLUICE_GATEWAY_PORT", "0");
        builder.environment().put("SLUICE_CENTER_PORT", "0");
        builder.environment().put("SLUICE_JAVA_OPTS", javaOptions);
        builder.environment().put("SLUICE_STOP_DELAY", "0");
        return builder;
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

    long pid() {
        return process.pid();
    }

    /** Sends it a signal, such as {@code STOP}, {@code CONT} or {@code KILL}. */
    void signal(String name) throws Exception {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .start()
                .waitFor();
        if (status != 0) {
            throw new IllegalStateException("kill -" + name + ": " + status);
        }
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
