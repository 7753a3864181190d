package io.sluice.cli.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.rules.json.JsonLine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.TreeMap;

/** The service of the shop: it answers every request at once with what it received. Listens on a free port of the loopback interface. Thread-safe. */
final class DemoService implements AutoCloseable {

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
            byte[] answer = echo(exchange).getBytes(StandardCharsets.UTF_8);
            boolean isHead = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(200, isHead ? -1 : answer.length);
            if (!isHead) {
                exchange.getResponseBody().write(answer);
            }
        }
    }

    /** Returns the request as it arrived, like the sample service without sample traffic. */
    private static String echo(HttpExchange exchange) {
        JsonLine line = new JsonLine().begin();
        line.field("answer", "from the sample service");
        line.field("method", exchange.getRequestMethod());
        line.field("target", exchange.getRequestURI().toString());
        line.begin("headers");
        new TreeMap<>(exchange.getRequestHeaders())
                .forEach((name, values) -> line.field(name.toLowerCase(Locale.ROOT), String.join(", ", values)));
        return line.end().end() + "\n";
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
