package io.sluice.spring.internal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An external server. It records when calls arrive, and answers as the test tells it. */
public final class Party implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Long> arrivals = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private volatile Answer answer = exchange -> {
        byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
    };

    /** How it answers a call. */
    @FunctionalInterface
    public interface Answer {
        void to(HttpExchange exchange) throws IOException;
    }

    public Party() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    public void answers(Answer other) {
        answer = other;
    }

    public String uri() {
        return "http://" + authority();
    }

    public String authority() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns when calls arrived, in nanoseconds. */
    public List<Long> arrivals() {
        return arrivals.stream().sorted().toList();
    }

    /** Returns the paths of the calls. */
    public List<String> paths() {
        return List.copyOf(paths);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        arrivals.add(Clock.system().nanoTime());
        paths.add(exchange.getRequestURI().toString());
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            answer.to(exchange);
        }
    }
}
