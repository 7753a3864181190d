package io.sluice.benchmarks.center;

import io.sluice.rules.yaml.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.CompletableFuture;

/** Calls the API of a center. Thread-safe. */
final class CenterCaller {

    private static final int LONGEST_ANSWER = 100_000_000;

    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final URI address;
    private final String token;

    CenterCaller(URI address, String token) {
        this.address = address;
        this.token = token;
    }

    URI address() {
        return address;
    }

    String token() {
        return token;
    }

    JsonObject get(String path) throws IOException, InterruptedException {
        return answer(http.send(request(path).build(), BodyHandlers.ofString()));
    }

    JsonObject post(String path, String type, String body) throws IOException, InterruptedException {
        return answer(http.send(
                request(path)
                        .header("Content-Type", type)
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString()));
    }

    /** Sends a report and does not wait for the answer. */
    CompletableFuture<HttpResponse<Void>> report(String node, String report) {
        return http.sendAsync(
                request("/api/nodes/" + node + "/heartbeat")
                        .POST(BodyPublishers.ofString(report))
                        .build(),
                BodyHandlers.discarding());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address.resolve(path)).header("Authorization", "Bearer " + token);
    }

    private static JsonObject answer(HttpResponse<String> response) throws IOException {
        if (response.statusCode() >= 300) {
            throw new IOException(response.request().uri() + ": " + response.statusCode() + " " + response.body());
        }
        return JsonObject.parse(response.body(), LONGEST_ANSWER);
    }
}
