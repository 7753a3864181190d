package io.sluice.node.gateway;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A real server that can die and come back on the same port. */
public final class TestUpstream implements AutoCloseable {

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final String name;
    public final Queue<String> asked = new ConcurrentLinkedQueue<>();
    public volatile int status = 200;
    private volatile CountDownLatch held = new CountDownLatch(0);
    private HttpServer server;
    private int port;

    public TestUpstream(String name) throws IOException {
        this.name = name;
        server = listen();
    }

    public URI origin() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** Holds back all answers from now on. */
    void hold() {
        held = new CountDownLatch(1);
    }

    void letGo() {
        held.countDown();
    }

    public void die() {
        server.stop(0);
    }

    public void comeBack() throws IOException {
        server = listen();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private HttpServer listen() throws IOException {
        HttpServer fresh = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 128);
        fresh.setExecutor(threads);
        fresh.createContext("/", this::answer);
        fresh.start();
        port = fresh.getAddress().getPort();
        return fresh;
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        try {
            held.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        byte[] body = name.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }
}
