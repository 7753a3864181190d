package io.sluice.examples.llm;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A stand-in for a language model behind the usual API. It writes as many words as the prompt asks for ("… in 300 words"), at most
 * {@code max_tokens}, and a word is a token. With {@code "stream": true} it sends them as server-sent events, and says in the last event
 * what they cost. It writes down what it really did.
 */
final class ModelServer implements AutoCloseable {

    private static final Pattern WORDS = Pattern.compile("in (\\d{1,6}) words");
    private static final Pattern MOST = Pattern.compile("\"max_tokens\": ?(\\d{1,6})");
    private static final Pattern USER = Pattern.compile("\"user\": ?\"([^\"]*)\"");
    private static final Pattern PROMPT = Pattern.compile("\"content\": ?\"([^\"]*)\"");
    private static final int TOKENS_IN_EVENT = 10;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Ledger ledger = new Ledger();

    private ModelServer() throws IOException {
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/v1/chat/completions", this::answer);
        server.start();
    }

    static ModelServer start() throws IOException {
        return new ModelServer();
    }

    int port() {
        return server.getAddress().getPort();
    }

    /** Returns what the model did for each tenant. */
    Ledger ledger() {
        return ledger;
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String request = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
        String tenant = found(USER, request, "nobody");
        int prompt = found(PROMPT, request, "").split(" ").length;
        int most = Integer.parseInt(found(MOST, request, "100000"));
        int words = Math.min(most, Integer.parseInt(found(WORDS, request, "100")));
        if (request.contains("\"stream\":true")) {
            stream(exchange, tenant, prompt, words);
        } else {
            send(exchange, tenant, prompt, words);
        }
    }

    private void send(HttpExchange exchange, String tenant, int prompt, int words) throws IOException {
        byte[] body =
                ("{\"object\":\"chat.completion\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\""
                                + "word ".repeat(words).strip() + "\"},\"finish_reason\":\"stop\"}],"
                                + usage(prompt, words) + "}")
                        .getBytes(UTF_8);
        ledger.completed(tenant, prompt + words);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private void stream(HttpExchange exchange, String tenant, int prompt, int words) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
        exchange.sendResponseHeaders(200, 0);
        int written = 0;
        try (OutputStream body = exchange.getResponseBody()) {
            while (written < words) {
                int more = Math.min(TOKENS_IN_EVENT, words - written);
                event(
                        body,
                        "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\""
                                + "word ".repeat(more) + "\"}}],\"usage\":null}");
                written += more;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            ledger.completed(tenant, prompt + words);
            event(body, "{\"object\":\"chat.completion.chunk\",\"choices\":[]," + usage(prompt, words) + "}");
            event(body, "[DONE]");
        } catch (IOException e) {
            // The caller has left. What was written so far is lost.
            ledger.aborted(tenant, prompt + written);
        } finally {
            exchange.close();
        }
    }

    private static void event(OutputStream body, String data) throws IOException {
        body.write(("data: " + data + "\n\n").getBytes(UTF_8));
        body.flush();
    }

    private static String usage(int prompt, int words) {
        return "\"usage\":{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":" + words + ",\"total_tokens\":"
                + (prompt + words) + "}";
    }

    private static String found(Pattern pattern, String text, String otherwise) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : otherwise;
    }
}
