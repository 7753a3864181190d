package io.sluice.cli.apply;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the API of a center. Follows no redirects, so the token goes nowhere else. */
final class CenterClient {

    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(5);
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(60);
    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http = HttpClient.newBuilder()
            .connectTimeout(CONNECTING_MAY_TAKE)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private final URI address;
    private final String token;

    CenterClient(URI address, String token) {
        this.address = address;
        this.token = token;
    }

    JsonNode get(String path) throws CenterCallException {
        return call(request(path).GET());
    }

    JsonNode post(String path, Map<String, ?> body) throws CenterCallException {
        return call(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body))));
    }

    @Override
    public String toString() {
        return address.toString();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path))
                .timeout(ANSWER_MAY_TAKE)
                .header("Accept", "application/json, application/problem+json")
                .header("Authorization", "Bearer " + token);
    }

    private JsonNode call(HttpRequest.Builder request) throws CenterCallException {
        HttpResponse<String> answer;
        try {
            answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw failed("cannot be reached" + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                    + " (expected: a running center; ./sluice start or ./sluice center runs one, --center names"
                    + " another)");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted");
        }
        JsonNode body = json(answer.body());
        int status = answer.statusCode();
        if (status == 401 || status == 403) {
            throw failed("refuses the token (expected: the center's token; name its file with --token-file)");
        }
        if (status >= 200 && status < 300 && body.isObject()) {
            return body;
        }
        if (status < 400 || !body.path("detail").isString()) {
            throw failed("answered " + status + " without the form of a center (expected: the address of a center)");
        }
        throw new CenterCallException(body.path("detail").asString(), status, details(body));
    }

    private CenterCallException failed(String why) {
        return new CenterCallException("center " + address + ": " + why, 0, List.of());
    }

    private static JsonNode json(String body) {
        try {
            return JSON.readTree(body);
        } catch (JacksonException e) {
            return JSON.missingNode();
        }
    }

    /** Returns located errors, and what two changes of one rule do to it. */
    private static List<String> details(JsonNode problem) {
        List<String> lines = new ArrayList<>();
        for (JsonNode error : problem.path("errors")) {
            lines.add(
                    error.isString() ? error.asString() : error.path("message").asString(error.toString()));
        }
        for (JsonNode collision : problem.path("collisions")) {
            collision.path("theirs").forEach(sentence -> lines.add("released since: " + sentence.asString()));
            collision.path("ours").forEach(sentence -> lines.add("this document:  " + sentence.asString()));
        }
        return lines;
    }
}
