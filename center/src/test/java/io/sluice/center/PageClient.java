package io.sluice.center;

import io.sluice.center.people.Account;
import io.sluice.center.signin.SessionCsrf;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.security.core.authority.FactorGrantedAuthority;

/** Calls a center as one browser would: it keeps cookies, and sends the token of its session. */
final class PageClient {

    private static final String SESSION = "sluice_session";
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final URI address;
    private final Map<String, String> cookies = new LinkedHashMap<>();

    PageClient(Center center) {
        this.address = center.address();
    }

    /** Gives it a new session of an account, which has just signed in with a password. */
    PageClient signIn(Center center, Account account) {
        Account now = center.people()
                .database()
                .read(client ->
                        center.people().accounts().find(client, account.id()).orElseThrow());
        cookies.put(SESSION, center.people().sessions().begin(now, FactorGrantedAuthority.PASSWORD_AUTHORITY));
        return this;
    }

    Map<String, String> cookies() {
        return cookies;
    }

    String session() {
        return cookies.getOrDefault(SESSION, "");
    }

    ApiClient.Answer get(String path) {
        return answer(send("GET", path, ""));
    }

    ApiClient.Answer post(String path, String json) {
        return answer(send("POST", path, json));
    }

    ApiClient.Answer delete(String path) {
        return answer(send("DELETE", path, ""));
    }

    HttpResponse<String> send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(address.resolve(path))
                .timeout(Duration.ofMinutes(2))
                .header("Content-Type", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (!cookies.isEmpty()) {
            request.header(
                    "Cookie",
                    cookies.entrySet().stream()
                            .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                            .collect(Collectors.joining("; ")));
        }
        if (!session().isEmpty()) {
            request.header(SessionCsrf.HEADER, SessionCsrf.of(session()));
        }
        try {
            HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
            response.headers().allValues("Set-Cookie").forEach(this::keep);
            return response;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void keep(String header) {
        HttpCookie cookie = HttpCookie.parse(header).get(0);
        if (cookie.getMaxAge() == 0) {
            cookies.remove(cookie.getName());
        } else {
            cookies.put(cookie.getName(), cookie.getValue());
        }
    }

    private static ApiClient.Answer answer(HttpResponse<String> response) {
        return new ApiClient.Answer(
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(""),
                "",
                response.body());
    }
}
