package io.sluice.cli.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The service of the shop: it answers every request at once. Listens on a free port of the loopback interface. Thread-safe. */
final class DemoService implements AutoCloseable {

    private static final byte[] ANSWER = "{\"answer\":\"from the sample service\"}\n".getBytes(StandardCharsets.UTF_8);

    private final HttpServer server;

    private DemoService(HttpServer server) {
        this.server = server;
    }

    static DemoService start() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", DemoService::answer);
        server.start();
        return new DemoService(server);
    }

    /** Returns its address, {@code http://host:port}. */
    String origin() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("content-type", "application/json");
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, isHead ? -1 : ANSWER.length);
            if (!isHead) {
                exchange.getResponseBody().write(ANSWER);
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
