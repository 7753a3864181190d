package io.sluice.examples.llm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Sends the requests of all tenants through the gateway, some at the same time, and counts what the callers saw. */
final class Traffic {

    private static final int AT_A_TIME = 4;
    private static final int EVENTS_BEFORE_LEAVING = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String END = "data: [DONE]";

    /**
     * What the callers of a tenant saw.
     *
     * @param reserved what was reserved for all requests that passed
     * @param standing the part of it that belongs to streams that callers left
     */
    record Seen(int answered, int refused, int left, long reserved, long standing) {
        static final Seen NONE = new Seen(0, 0, 0, 0, 0);

        Seen plus(Seen other) {
            return new Seen(
                    answered + other.answered,
                    refused + other.refused,
                    left + other.left,
                    reserved + other.reserved,
                    standing + other.standing);
        }
    }

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI completions;

    Traffic(URI gateway) {
        this.completions = gateway.resolve("/v1/chat/completions");
    }

    /** Returns what the callers of each tenant saw, when all requests are over. */
    Map<String, Seen> run(List<Tenant> tenants) throws InterruptedException, ExecutionException {
        ExecutorService callers = Executors.newFixedThreadPool(AT_A_TIME * tenants.size());
        try {
            Map<String, List<Future<Seen>>> running = new TreeMap<>();
            for (Tenant tenant : tenants) {
                List<Future<Seen>> requests = new ArrayList<>();
                for (Prompt prompt : tenant.prompts()) {
                    requests.add(callers.submit(() -> send(tenant, prompt)));
                }
                running.put(tenant.name(), requests);
            }
            Map<String, Seen> seen = new TreeMap<>();
            for (Map.Entry<String, List<Future<Seen>>> each : running.entrySet()) {
                Seen sum = Seen.NONE;
                for (Future<Seen> request : each.getValue()) {
                    sum = sum.plus(request.get());
                }
                seen.put(each.getKey(), sum);
            }
            return seen;
        } finally {
            callers.shutdownNow();
        }
    }

    private Seen send(Tenant tenant, Prompt prompt) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(completions)
                .timeout(PATIENCE)
                .header("X-API-Key", tenant.key())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(prompt.body(tenant.name())))
                .build();
        HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
        try (InputStream body = response.body()) {
            return switch (response.statusCode()) {
                case 200 -> seen(prompt, body);
                case 429 -> new Seen(0, 1, 0, 0, 0);
                default -> throw new IOException("status: " + response.statusCode() + " (expected: 200 or 429)");
            };
        }
    }

    /** Reads an answer to its end, or leaves it. Closing the body closes the connection if there is more to come. */
    private static Seen seen(Prompt prompt, InputStream body) throws IOException {
        if (prompt.leavesEarly()) {
            var lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8));
            for (int events = 0; events < EVENTS_BEFORE_LEAVING; ) {
                String line = lines.readLine();
                if (line == null) {
                    throw new IOException("the stream ended before its caller left");
                }
                events += line.startsWith("data: ") ? 1 : 0;
            }
            return new Seen(0, 0, 1, prompt.reserved(), prompt.reserved());
        }
        String answer = new String(body.readAllBytes(), StandardCharsets.UTF_8);
        if (prompt.streams() && !answer.contains(END)) {
            throw new IOException("a stream ended without " + END);
        }
        return new Seen(1, 0, 0, prompt.reserved(), 0);
    }
}
