package io.sluice.center;

import io.sluice.center.access.Grant;
import io.sluice.center.people.Account;
import io.sluice.center.people.Accounts;
import io.sluice.center.signin.SessionCsrf;
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
import java.util.Arrays;
import java.util.List;
import org.springframework.security.core.authority.FactorGrantedAuthority;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the API of a center as a program would, or as the page of a person. */
public final class ApiClient {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI address;
    private final String[] headers;

    private ApiClient(URI address, String... headers) {
        this.address = address;
        this.headers = headers;
    }

    public static ApiClient of(Center center) {
        try {
            return new ApiClient(center.address())
                    .withToken(Files.readString(center.adminTokenFile()).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a client of somebody who has just signed in with a password, under a new account. */
    public static ApiClient person(Center center, String name, Grant... grants) {
        return person(center, account(center, name, grants));
    }

    /** Returns a client of somebody who has just signed in with a password. */
    public static ApiClient person(Center center, Account account) {
        Account now = center.people()
                .database()
                .read(client ->
                        center.people().accounts().find(client, account.id()).orElseThrow());
        return session(center, center.people().sessions().begin(now, FactorGrantedAuthority.PASSWORD_AUTHORITY));
    }

    /** Returns a client with the cookie of a session. */
    public static ApiClient session(Center center, String id) {
        return new ApiClient(
                center.address(), "Cookie", "sluice_session=" + id, SessionCsrf.HEADER, SessionCsrf.of(id));
    }

    /** Creates an account. */
    public static Account account(Center center, String name, Grant... grants) {
        return center.people().database().write(client -> center.people()
                .accounts()
                .add(client, Accounts.Draft.local(name, name + "@example.com", List.of(grants))));
    }

    /** Returns a client that proves nothing. */
    public ApiClient nobody() {
        return new ApiClient(address);
    }

    public ApiClient withToken(String other) {
        return new ApiClient(address, "Authorization", "Bearer " + other);
    }

    /** An answer. */
    public record Answer(int status, String type, String link, String text) {

        public JsonNode json() {
            return JSON.readTree(text);
        }

        public JsonNode get(String field) {
            return json().get(field);
        }

        public long number(String field) {
            return get(field).asLong();
        }

        public String string(String field) {
            return get(field).asString();
        }

        /** Whether it exists or not, the caller may not do it. */
        public Answer expectNotAllowed() {
            return expect(status == 403 ? 403 : 404);
        }

        public Answer expect(int expected) {
            if (status != expected) {
                throw new AssertionError("status " + status + " (expected: " + expected + "): " + text);
            }
            return this;
        }
    }

    public Answer get(String path) {
        return send("GET", path, "application/json", "");
    }

    public Answer post(String path, String json) {
        return send("POST", path, "application/json", json);
    }

    public Answer put(String path, String json) {
        return send("PUT", path, "application/json", json);
    }

    public Answer send(String method, String path, String type, String body) {
        return send(request(method, path, type, body));
    }

    public Answer post(String path, String type, byte[] body) {
        return send(HttpRequest.newBuilder(request("POST", path, type, ""), (name, value) -> true)
                .POST(BodyPublishers.ofByteArray(body))
                .build());
    }

    private static Answer send(HttpRequest request) {
        try {
            HttpResponse<String> response = HTTP.send(request, BodyHandlers.ofString());
            return new Answer(
                    response.statusCode(),
                    response.headers().firstValue("Content-Type").orElse(""),
                    response.headers().firstValue("Link").orElse(""),
                    response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Returns a request that has not been sent. */
    public HttpRequest request(String method, String path, String type, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofMinutes(10))
                .header("Content-Type", type)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        return (headers.length == 0 ? request : request.headers(headers)).build();
    }

    /** Returns a client that sends further headers. */
    public ApiClient with(String... more) {
        String[] all = Arrays.copyOf(headers, headers.length + more.length);
        System.arraycopy(more, 0, all, headers.length, more.length);
        return new ApiClient(address, all);
    }

    /** Returns a client without a credential. */
    public static ApiClient nobody(Center center) {
        return new ApiClient(center.address());
    }

    /** Opens a change that puts one rule with one limit by address. */
    public Answer open(long base, String rule, int limit) {
        return post("/api/changes", change(base, put(rule, limit)));
    }

    /** Opens and releases such a change on the version in force. Returns the version. */
    public long release(String rule, int limit) {
        return release(open(get("/api/rules").expect(200).number("version"), rule, limit)
                .expect(201));
    }

    /** Releases an open change. Returns the version. */
    public long release(Answer change) {
        return post(
                        "/api/changes/" + change.number("id") + "/release",
                        "{\"digest\":\"" + change.string("digest") + "\"}")
                .expect(202)
                .number("version");
    }

    /** Releases an open change to somebody. The answer is not checked. */
    public Answer release(Answer change, String to, String more) {
        return post(
                "/api/changes/" + change.number("id") + "/release",
                "{\"digest\":\"" + change.string("digest") + "\",\"to\":" + to + more + "}");
    }

    public static String change(long base, String edits) {
        return "{\"title\":\"test\",\"reason\":\"to test\",\"base\":" + base + ",\"edits\":[" + edits + "]}";
    }

    public static String put(String rule, int limit) {
        return "{\"put\":" + rule(rule, limit) + "}";
    }

    public static String rule(String rule, int limit) {
        return "{\"id\":\"" + rule + "\",\"resource\":\"/" + rule + "\",\"limits\":[{\"by\":\"ip\",\"limit\":" + limit
                + ",\"window\":\"1m\"}]}";
    }
}
