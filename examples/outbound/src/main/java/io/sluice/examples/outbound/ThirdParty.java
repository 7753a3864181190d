package io.sluice.examples.outbound;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A stand-in for an external service. It answers 429 to callers that exceed its limit in any second. */
final class ThirdParty implements AutoCloseable {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final int perSecond;
    private final Deque<Long> recent = new ArrayDeque<>();
    private final AtomicInteger served = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    private ThirdParty(int perSecond) throws IOException {
        this.perSecond = perSecond;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/forecast/", this::answer);
        server.start();
    }

    static ThirdParty start(int perSecond) throws IOException {
        return new ThirdParty(perSecond);
    }

    int port() {
        return server.getAddress().getPort();
    }

    int served() {
        return served.get();
    }

    int refused() {
        return refused.get();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        boolean allowed = isAllowed(System.nanoTime());
        (allowed ? served : refused).incrementAndGet();
        byte[] body = (allowed ? "sunny" : "too many").getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(allowed ? 200 : 429, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private synchronized boolean isAllowed(long now) {
        while (!recent.isEmpty() && now - recent.peekFirst() >= SECOND) {
            recent.removeFirst();
        }
        boolean allowed = recent.size() < perSecond;
        if (allowed) {
            recent.addLast(now);
        }
        return allowed;
    }
}
