package io.sluice.cli.apply;

import io.sluice.runtime.center.CenterAddress;
import io.sluice.runtime.center.CenterTrust;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the API of a center. Follows no redirects, so the token is sent only to the center. */
public final class CenterClient {

    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(5);
    private static final Duration ANSWER_MAY_TAKE = Duration.ofSeconds(60);
    private static final int MOST_OF_A_PROBLEM = 65_536;
    private static final int CHANGE_ATTEMPTS = 5;
    private static final long PAUSE_MILLIS = 1_000;

    /** The code in a center's answer for a change that was not made because the database was unavailable. */
    private static final String NOT_CHANGED = "not_changed";

    private static final JsonMapper JSON = JsonMapper.shared();

    private final HttpClient http;
    private final URI address;
    private final String token;

    /**
     * Creates a client.
     *
     * @throws IllegalArgumentException if the certificates cannot be read
     */
    CenterClient(CenterAddress center, String token) {
        this.address = center.origin();
        this.token = token;
        HttpClient.Builder builder =
                HttpClient.newBuilder().connectTimeout(CONNECTING_MAY_TAKE).followRedirects(HttpClient.Redirect.NEVER);
        center.trusted().map(CenterTrust::context).ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    public JsonNode get(String path) throws CenterCallException {
        return call(request(path).GET());
    }

    /**
     * Returns a file of the center as a stream that arrives while it is read.
     *
     * @throws CenterCallException if the center does not answer with the file
     */
    public InputStream download(String path) throws CenterCallException {
        HttpResponse<InputStream> answer = send(request(path).GET(), HttpResponse.BodyHandlers.ofInputStream());
        if (answer.statusCode() == 200) {
            return answer.body();
        }
        try (InputStream body = answer.body()) {
            throw refused(
                    answer.statusCode(), json(new String(body.readNBytes(MOST_OF_A_PROBLEM), StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw failed("the answer was cut off (" + e.getMessage() + ")");
        }
    }

    /**
     * Makes a change. If its answer is lost, the same request is sent again: its key ensures that the center carries it out once and
     * repeats its first answer.
     *
     * @throws CenterCallException if the center refuses the change, or its outcome stays unknown
     */
    JsonNode post(String path, Map<String, ?> body) throws CenterCallException {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)));
        @Nullable CenterCallException unknown = null;
        for (int i = 1; ; i++) {
            try {
                return call(request);
            } catch (CenterCallException e) {
                if (e.isOutcomeUnknown()) {
                    unknown = e;
                } else if (unknown == null || e.isDefinite()) {
                    throw e;
                }
                if (i == CHANGE_ATTEMPTS) {
                    throw unknown;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
        HttpResponse<String> answer = send(request, HttpResponse.BodyHandlers.ofString());
        JsonNode body = json(answer.body());
        int status = answer.statusCode();
        if (status >= 200 && status < 300 && body.isContainer()) {
            return body;
        }
        throw refused(status, body);
    }

    private <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> handler)
            throws CenterCallException {
        try {
            return http.send(request.build(), handler);
        } catch (SSLHandshakeException e) {
            throw failed("its certificate is not accepted (" + e.getMessage()
                    + ") (expected: --center-ca FILE, the certificate of the center or of its authority)");
        } catch (ConnectException e) {
            throw unreachable(e, false);
        } catch (IOException e) {
            throw unreachable(e, true);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failed("interrupted");
        }
    }

    /**
     * Returns the failure of a request that got no answer.
     *
     * @param isSent whether the center may have received the request
     */
    private CenterCallException unreachable(IOException e, boolean isSent) {
        return new CenterCallException(
                "center " + address + ": cannot be reached"
                        + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                        + " (expected: a running center; ./sluice start or ./sluice center runs one, --center names"
                        + " another)",
                0,
                List.of(),
                false,
                isSent);
    }

    private CenterCallException refused(int status, JsonNode body) {
        if (status == 401 || (status == 403 && !body.path("detail").isString())) {
            return failed("refuses the token (expected: a valid token; name its file with --token-file)");
        }
        if (status < 400 || !body.path("detail").isString()) {
            return failed("answered " + status + " without the form of a center (expected: the address of a center)");
        }
        String detail = body.path("detail").asString();
        return new CenterCallException(
                status == 403 ? "center " + address + ": " + detail : detail,
                status,
                details(body),
                body.path("approval").asString("").equals("required"),
                body.has("commands")
                        || !body.path("outcome").asString(NOT_CHANGED).equals(NOT_CHANGED));
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

    /** Returns located errors, and the effects of two changes on the same rule. */
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
