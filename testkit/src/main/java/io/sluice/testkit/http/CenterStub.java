package io.sluice.testkit.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A server that implements the protocol between nodes and a center, as far as a test configures it. Thread-safe. */
public final class CenterStub implements AutoCloseable {

    /** The maximum wait, which only ends tests that hang. */
    private static final long PATIENCE_SECONDS = 60;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final BlockingQueue<Listener> listeners = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> reports = new LinkedBlockingQueue<>();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private volatile String token = "";
    private volatile Answer reportAnswer = new Answer(404, "text/plain", "");
    private volatile Optional<Answer> rulesAnswer = Optional.empty();
    private volatile String greeting = "";

    private record Answer(int status, String type, String body) {}

    private CenterStub(HttpServer server) {
        this.server = server;
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, new Answer(404, "text/plain", "")));
        server.createContext("/api/nodes/", this::report);
        server.createContext("/api/nodes/rules", this::rules);
        server.start();
    }

    /** Starts at a free port. */
    public static CenterStub start() {
        return start(0);
    }

    /** Starts at a port, such as the port of a closed stub. */
    public static CenterStub start(int port) {
        try {
            return new CenterStub(HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    /** Refuses requests with other tokens from now on. */
    public CenterStub expect(String bearer) {
        token = bearer;
        return this;
    }

    /** Answers reports in this way from now on. */
    public CenterStub answerReports(int status, String body) {
        reportAnswer = new Answer(status, "application/json", body);
        return this;
    }

    /** Answers requests for rules in this way from now on, instead of with events. */
    public CenterStub answerRules(int status, String type, String body) {
        rulesAnswer = Optional.of(new Answer(status, type, body));
        return this;
    }

    /** Answers requests for rules with events again. Each connection begins with this text. */
    public CenterStub greet(String events) {
        greeting = events;
        rulesAnswer = Optional.empty();
        return this;
    }

    /** Returns the event with the rules of a version. */
    public static String rules(long version, String digest, String text) {
        StringBuilder event = new StringBuilder("event: rules\nid: " + version + ":" + digest + "\n");
        for (String line : text.split("\n", -1)) {
            event.append("data: ").append(line).append('\n');
        }
        return event.append('\n').toString();
    }

    /** Waits for the next report and returns it. */
    public String report() throws InterruptedException {
        return taken(reports);
    }

    /** Returns the reports that arrived so far and were not taken yet, without waiting. */
    public List<String> reports() {
        List<String> all = new ArrayList<>();
        reports.drainTo(all);
        return all;
    }

    /** Waits for the next connection that waits for events, and returns it. */
    public Listener listener() throws InterruptedException {
        return taken(listeners);
    }

    /** Returns the requests so far, each as method, path and authorization. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    private static <T> T taken(BlockingQueue<T> queue) throws InterruptedException {
        T next = queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (next == null) {
            throw new IllegalStateException("no request within " + PATIENCE_SECONDS + " s");
        }
        return next;
    }

    /** A connection that waits for events. */
    public static final class Listener {

        private final HttpExchange exchange;

        private Listener(HttpExchange exchange) {
            this.exchange = exchange;
        }

        public String query() {
            return exchange.getRequestURI().getQuery();
        }

        /** Returns a header of the request; empty if it has none. */
        public Optional<String> header(String name) {
            return Optional.ofNullable(exchange.getRequestHeaders().getFirst(name));
        }

        /** Sends a piece of the stream. Returns whether the connection still accepts it. */
        public boolean send(String text) {
            try {
                OutputStream out = exchange.getResponseBody();
                out.write(text.getBytes(StandardCharsets.UTF_8));
                out.flush();
                return true;
            } catch (IOException e) {
                return false;
            }
        }

        /** Ends the stream. */
        public void end() {
            exchange.close();
        }
    }

    private void report(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (isLetIn(exchange)) {
            reports.add(body);
            answer(exchange, reportAnswer);
        }
    }

    private void rules(HttpExchange exchange) throws IOException {
        if (!isLetIn(exchange)) {
            return;
        }
        Optional<Answer> other = rulesAnswer;
        if (other.isPresent()) {
            answer(exchange, other.get());
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        Listener listener = new Listener(exchange);
        // Without a body, the headers are sent with the first piece of the stream.
        listener.send(greeting.isEmpty() ? ": ok\n\n" : greeting);
        listeners.add(listener);
    }

    private boolean isLetIn(HttpExchange exchange) throws IOException {
        String shown = String.valueOf(exchange.getRequestHeaders().getFirst("Authorization"));
        requests.add(
                exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " " + shown);
        if (token.isEmpty() || shown.equals("Bearer " + token)) {
            return true;
        }
        answer(exchange, new Answer(401, "application/problem+json", "{\"status\":401}"));
        return false;
    }

    private static void answer(HttpExchange exchange, Answer answer) throws IOException {
        byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
        if (answer.status >= 300 && answer.status < 400) {
            exchange.getResponseHeaders().set("Location", answer.body);
        }
        exchange.getResponseHeaders().set("Content-Type", answer.type);
        exchange.sendResponseHeaders(answer.status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Ends all connections and stops listening. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
