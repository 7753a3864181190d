package io.sluice.examples.flashsale;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;

/** The shop in its own process, on a free port. */
final class Instance implements AutoCloseable {

    private static final String LISTENING = "listening on ";
    private static final int LAST_LINES = 20;
    private static final Duration ANSWER = Duration.ofSeconds(5);

    private final Process process;
    private final CompletableFuture<Integer> port = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>();

    private Instance(Process process) {
        this.process = process;
        Thread reader = new Thread(this::readOutput, "output of an instance");
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts an instance with these Spring Boot properties. */
    static Instance start(List<String> properties) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Three instances start on a small machine and live for half a minute. Full optimization would come too late.
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        String code = System.getProperty("java.class.path");
        command.addAll(
                code.endsWith(".jar") && !code.contains(File.pathSeparator)
                        ? List.of("-jar", code)
                        : List.of("-cp", code, FlashSale.class.getName()));
        command.addAll(List.of(FlashSale.INSTANCE, "--server.port=0"));
        command.addAll(properties);
        return new Instance(
                new ProcessBuilder(command).redirectErrorStream(true).start());
    }

    /** Runs the shop in the new process until the parent closes its standard input. */
    static void run(String[] args) throws IOException {
        String port = SpringApplication.run(Shop.class, args).getEnvironment().getProperty("local.server.port");
        System.out.println(LISTENING + port);
        while (System.in.read() >= 0) {
            continue;
        }
        System.exit(0);
    }

    int port() {
        return port.join();
    }

    /** Returns the decisions of the instance so far. */
    String decisions(HttpClient client) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + port() + "/decisions");
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(ANSWER).build();
        return client.send(request, HttpResponse.BodyHandlers.ofString()).body();
    }

    @Override
    public void close() {
        process.destroy();
        if (!exits()) {
            process.destroyForcibly();
        }
    }

    private boolean exits() {
        try {
            return process.waitFor(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void readOutput() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(LISTENING)) {
                    port.complete(Integer.valueOf(line.substring(LISTENING.length())));
                }
                lastLines.addLast(line);
                if (lastLines.size() > LAST_LINES) {
                    lastLines.removeFirst();
                }
            }
        } catch (IOException e) {
            lastLines.addLast(e.toString());
        }
        port.completeExceptionally(
                new IllegalStateException("an instance did not start:\n" + String.join("\n", lastLines)));
    }
}
