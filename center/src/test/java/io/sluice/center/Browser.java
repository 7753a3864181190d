package io.sluice.center;

import io.sluice.center.signin.SessionCsrf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Does what a page of the center does in a browser: keeps the cookie of the session, and sends the token that belongs to it. */
final class Browser {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI address;
    private String session;
    private String csrf = "";

    private Browser(URI address, String session) {
        this.address = address;
        this.session = session;
    }

    static Browser of(Center center) {
        return new Browser(center.address(), "");
    }

    /** Returns a browser with a cookie that somebody knows. */
    static Browser withSession(Center center, String session) {
        Browser browser = new Browser(center.address(), session);
        browser.csrf = session.isEmpty() ? "" : SessionCsrf.of(session);
        return browser;
    }

    /** Returns the value of the cookie; empty without one. */
    String session() {
        return session;
    }

    /** An answer. */
    record Reply(int status, String text, Map<String, String> headers) {

        Reply expect(int expected) {
            if (status != expected) {
                throw new AssertionError("status " + status + " (expected: " + expected + "): " + text);
            }
            return this;
        }

        JsonNode json() {
            return JSON.readTree(text);
        }

        Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name));
        }
    }

    Reply signIn(String user, String password) {
        return post("/api/session", JSON.writeValueAsString(Map.of("user", user, "password", password)));
    }

    Reply get(String path) {
        return send("GET", path, "", Map.of());
    }

    Reply post(String path, String body) {
        return send("POST", path, body, own());
    }

    Reply send(String method, String path, String body) {
        return send(method, path, body, own());
    }

    /** Returns the headers of a page of the center. */
    Map<String, String> own() {
        Map<String, String> headers = new TreeMap<>();
        headers.put("Origin", address.toString());
        headers.put("Sec-Fetch-Site", "same-origin");
        headers.put("Content-Type", "application/json");
        if (!csrf.isEmpty()) {
            headers.put(SessionCsrf.HEADER, csrf);
        }
        return headers;
    }

    Reply send(String method, String path, String body, Map<String, String> headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofMinutes(2))
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        headers.forEach(request::header);
        if (!session.isEmpty()) {
            request.header("Cookie", "sluice_session=" + session);
        }
        HttpResponse<String> response;
        try {
            response = HTTP.send(request.build(), BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        keep(response);
        Map<String, String> found = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        response.headers().map().forEach((name, values) -> found.put(name, String.join(", ", values)));
        return new Reply(response.statusCode(), response.body(), found);
    }

    private void keep(HttpResponse<String> response) {
        response.headers().allValues("Set-Cookie").stream()
                .filter(cookie -> cookie.startsWith("sluice_session="))
                .forEach(cookie -> {
                    session = cookie.substring(cookie.indexOf('=') + 1, cookie.indexOf(';'));
                    csrf = session.isEmpty() ? "" : SessionCsrf.of(session);
                });
    }
}
