package io.sluice.center;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the API of a center as a program would. */
final class ApiClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI address;
    private final String token;

    private ApiClient(URI address, String token) {
        this.address = address;
        this.token = token;
    }

    static ApiClient of(Center center) {
        try {
            return new ApiClient(
                    center.address(), Files.readString(center.adminTokenFile()).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ApiClient withToken(String other) {
        return new ApiClient(address, other);
    }

    /** An answer. */
    record Answer(int status, String type, String text) {

        JsonNode json() {
            return JSON.readTree(text);
        }

        JsonNode get(String field) {
            return json().get(field);
        }

        long number(String field) {
            return get(field).asLong();
        }

        String string(String field) {
            return get(field).asString();
        }

        Answer expect(int expected) {
            if (status != expected) {
                throw new AssertionError("status " + status + " (expected: " + expected + "): " + text);
            }
            return this;
        }
    }

    Answer get(String path) {
        return send("GET", path, "application/json", "");
    }

    Answer post(String path, String json) {
        return send("POST", path, "application/json", json);
    }

    Answer put(String path, String json) {
        return send("PUT", path, "application/json", json);
    }

    Answer send(String method, String path, String type, String body) {
        HttpRequest request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofMinutes(2))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", type)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Opens a change that puts one rule with one limit by address. */
    Answer open(long base, String rule, int limit) {
        return post("/api/changes", change(base, put(rule, limit)));
    }

    /** Opens and releases such a change on the version in force. Returns the version. */
    long release(String rule, int limit) {
        return release(open(get("/api/rules").expect(200).number("version"), rule, limit)
                .expect(201));
    }

    /** Releases an open change. Returns the version. */
    long release(Answer change) {
        return post(
                        "/api/changes/" + change.number("id") + "/release",
                        "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(202)
                .number("version");
    }

    /** Releases an open change to somebody. The answer is not checked. */
    Answer release(Answer change, String to, String more) {
        return post(
                "/api/changes/" + change.number("id") + "/release",
                "{\"digest\":\"" + change.string("digest") + "\",\"to\":" + to + more + "}");
    }

    static String change(long base, String edits) {
        return "{\"title\":\"test\",\"reason\":\"to test\",\"base\":" + base + ",\"edits\":[" + edits + "]}";
    }

    static String put(String rule, int limit) {
        return "{\"put\":" + rule(rule, limit) + "}";
    }

    static String rule(String rule, int limit) {
        return "{\"id\":\"" + rule + "\",\"resource\":\"/" + rule + "\",\"limits\":[{\"by\":\"ip\",\"limit\":" + limit
                + ",\"window\":\"1m\"}]}";
    }
}
