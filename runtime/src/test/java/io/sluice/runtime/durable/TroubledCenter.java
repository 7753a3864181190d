package io.sluice.runtime.durable;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.runtime.center.Center;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.center.CenterDurableLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Predicate;

/** A center over HTTP that hangs, fails or answers nonsense at chosen moments. Thread-safe. */
final class TroubledCenter implements AutoCloseable {

    /** What a center does with requests. */
    enum Trouble {
        NONE,
        /** It accepts the request and does not answer. */
        HANGS,
        FAILS,
        /** A proxy refuses every request. */
        BAD_REQUEST,
        /** A page of a proxy, with the status of success. */
        OTHER_PAGE,
        /** Nothing, with the status of success. */
        EMPTY,
        /** The connection ends within the answer. */
        CUT,
        /** The center takes what it gets, but its answer is lost. */
        ANSWER_LOST
    }

    private final MemoryLine sums = new MemoryLine();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final CenterDurableLine line;
    private Trouble trouble = Trouble.NONE;
    private int hanging;

    TroubledCenter(Path folder) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
        Path token = Files.writeString(folder.resolve("token"), "secret");
        line = new CenterDurableLine(Center.at(
                CenterAddress.of("http://127.0.0.1:" + server.getAddress().getPort(), token)));
    }

    DurableLine line() {
        return line;
    }

    /** Refuses everything with one of these sums from now on. */
    void refuse(Predicate<DurableSum> bad) {
        sums.refuse(bad);
    }

    List<DurableSum> sums() throws IOException {
        return sums.all();
    }

    synchronized void set(Trouble next) {
        trouble = next;
        notifyAll();
    }

    /** Returns whether somebody waits for an answer. */
    synchronized boolean hangs() {
        return hanging > 0;
    }

    /** Returns what to do now. A request that hangs is answered when that is over. */
    private synchronized Trouble trouble() throws IOException {
        hanging++;
        try {
            while (trouble == Trouble.HANGS) {
                wait();
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            hanging--;
        }
        return trouble;
    }

    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        switch (trouble()) {
            case FAILS -> send(exchange, 500, "{}", 0);
            case BAD_REQUEST -> send(exchange, 400, "<html>The plain HTTP request was sent to HTTPS port</html>", 0);
            case OTHER_PAGE -> send(exchange, 200, "<html>We are back soon.</html>", 0);
            case EMPTY -> send(exchange, 200, "", 0);
            case CUT -> send(exchange, 200, perform(exchange, ""), 5);
            case ANSWER_LOST -> send(exchange, 500, perform(exchange, body), 0);
            default -> answerWell(exchange, body);
        }
    }

    private void answerWell(HttpExchange exchange, String body) throws IOException {
        try {
            send(exchange, 200, perform(exchange, body), 0);
        } catch (RefusedSumsException e) {
            exchange.getResponseHeaders().set("Content-Type", "application/problem+json");
            send(exchange, 400, "{\"status\":400,\"detail\":\"line 1: not a sum\"}", 0);
        }
    }

    private String perform(HttpExchange exchange, String body) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith("/api/durable/restores/")) {
            return CenterDurableLine.page(sums.earlierThan(path.substring(path.lastIndexOf('/') + 1)));
        }
        List<DurableSum> some = body.lines().map(DurableSum::parse).toList();
        sums.send(some);
        return CenterDurableLine.receipt(some.size());
    }

    private static void send(HttpExchange exchange, int status, String text, int missing) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes, 0, Math.max(0, bytes.length - missing));
        }
    }

    @Override
    public void close() {
        set(Trouble.NONE);
        server.stop(0);
        threads.shutdownNow();
    }
}
