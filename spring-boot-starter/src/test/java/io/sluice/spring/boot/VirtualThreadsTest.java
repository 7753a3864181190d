package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.spring.boot.starts.ThreadsApp;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same application on virtual threads. They need Java 21, which the build does not: the newest Java beside the running one is
 * taken. If there is none, the application runs on platform threads, and the name of the test says so.
 */
@Timeout(600)
final class VirtualThreadsTest {

    private static final int CALLERS = 200;
    private static final int OLDEST = 21;
    private static final Pattern VERSION = Pattern.compile("(?m)^JAVA_VERSION=\"(\\d+)");
    private static final Pattern WITHOUT =
            Pattern.compile("spring-(security|cloud)|spring-boot-(starter-)?(security|actuator|data-redis)|aspectj");

    @TempDir
    private Path folder;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** A Java that is installed. */
    record Java(Path home, int version) {

        boolean hasVirtualThreads() {
            return version >= OLDEST;
        }

        @Override
        public String toString() {
            return hasVirtualThreads()
                    ? "virtual threads of Java " + version
                    : "platform threads of Java " + version + ", because no Java " + OLDEST + " is installed beside it";
        }
    }

    static Stream<Java> newest() {
        Path own = Path.of(System.getProperty("java.home"));
        Stream<Path> named = System.getenv().entrySet().stream()
                .filter(variable -> variable.getKey().startsWith("JAVA_HOME"))
                .map(variable -> Path.of(variable.getValue()));
        return Stream.of(Stream.of(own), named, within(own.getParent()), within(Path.of("/usr/lib/jvm")))
                .flatMap(homes -> homes)
                .filter(home -> Files.isExecutable(home.resolve("bin/java")))
                .map(home -> new Java(home, version(home)))
                .max(Comparator.comparingInt(Java::version))
                .stream();
    }

    private static Stream<Path> within(Path folder) {
        if (!Files.isDirectory(folder)) {
            return Stream.empty();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int version(Path home) {
        Path release = home.resolve("release");
        try {
            Matcher version = VERSION.matcher(Files.exists(release) ? Files.readString(release) : "");
            return version.find() ? Integer.parseInt(version.group(1)) : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("newest")
    void limitsAreExact(Java java) throws Exception {
        Path portFile = folder.resolve("port");
        Process process = start(java, portFile);
        try {
            await().atMost(Duration.ofMinutes(5)).until(() -> Files.exists(portFile) || !process.isAlive());
            assertThat(portFile).as(() -> output()).exists();
            int port = Integer.parseInt(Files.readString(portFile));
            assertThat(get(port, "/thread")).isEqualTo(java.hasVirtualThreads() ? "virtual" : "platform");
            countsFieldsOfBodies(port);
            reservesMemoryBeforeItReads(port);
            holdsPermitsWhileRequestsBlock(port);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private void countsFieldsOfBodies(int port) {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            all.add(client.sendAsync(
                    request(port, "/named")
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"a\",\"number\":" + i + "}"))
                            .build(),
                    HttpResponse.BodyHandlers.ofString()));
        }
        Map<Integer, Long> answers = all.stream()
                .map(CompletableFuture::join)
                .collect(Collectors.groupingBy(HttpResponse::statusCode, Collectors.counting()));
        assertThat(answers).isEqualTo(Map.of(200, 37L, 429, CALLERS - 37L));
    }

    /** Callers that send one byte of their bodies and stop: as many as there is memory for are waited for. */
    private void reservesMemoryBeforeItReads(int port) throws Exception {
        assertThat(get(port, "/memory")).isEqualTo("0");
        String begun = String.join(
                "\r\n",
                "POST /named HTTP/1.1",
                "Host: x",
                "Content-Type: application/json",
                "Connection: close",
                "Transfer-Encoding: chunked",
                "",
                "1",
                "{",
                "");
        List<Socket> callers = new ArrayList<>();
        try {
            for (int i = 0; i < ThreadsApp.MOST_BODIES; i++) {
                callers.add(send(port, begun));
            }
            String all = Long.toString(ThreadsApp.MOST_BODIES * 8_192L);
            await().atMost(Duration.ofMinutes(2))
                    .until(() -> get(port, "/memory").equals(all));
            for (int i = 0; i < 10; i++) {
                try (Socket late = send(port, begun)) {
                    assertThat(new String(late.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                            .isEqualTo("HTTP/1.1 503");
                }
            }
            assertThat(get(port, "/memory")).isEqualTo(all);
        } finally {
            for (Socket caller : callers) {
                caller.close();
            }
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> get(port, "/memory").equals("0"));
    }

    private static Socket send(int port, String text) throws IOException {
        Socket caller = new Socket(InetAddress.getLoopbackAddress(), port);
        caller.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
        return caller;
    }

    private void holdsPermitsWhileRequestsBlock(int port) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < CALLERS - 1; i++) {
            all.add(client.sendAsync(request(port, "/held").build(), HttpResponse.BodyHandlers.ofString()));
        }
        await().atMost(Duration.ofMinutes(2))
                .until(() -> all.stream().filter(CompletableFuture::isDone).count() == CALLERS - 1 - 20);
        assertThat(get(port, "/release")).isEqualTo("released");
        Map<Integer, Long> answers = all.stream()
                .map(CompletableFuture::join)
                .collect(Collectors.groupingBy(HttpResponse::statusCode, Collectors.counting()));
        assertThat(answers).isEqualTo(Map.of(200, 20L, 429, CALLERS - 1 - 20L));
        assertThat(get(port, "/held")).isEqualTo("held");
    }

    private Process start(Java java, Path portFile) throws IOException {
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !WITHOUT.matcher(Path.of(entry).getFileName().toString())
                        .lookingAt())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(
                java.home().resolve("bin/java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                classPath,
                ThreadsApp.class.getName(),
                portFile.toString(),
                "--spring.main.web-application-type=servlet",
                "--spring.threads.virtual.enabled=true",
                "--server.port=0",
                "--server.address=127.0.0.1",
                "--server.tomcat.connection-timeout=10m",
                "--sluice.rules[0].id=names",
                "--sluice.rules[0].resource=/named",
                "--sluice.rules[0].limits[0].by=json.name",
                "--sluice.rules[0].limits[0].limit=37",
                "--sluice.rules[0].limits[0].window=1h"));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    private HttpRequest.Builder request(int port, String target) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
                .timeout(Duration.ofMinutes(5));
    }

    private String get(int port, String target) throws Exception {
        return client.send(request(port, target).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
