package io.sluice.node.gateway.auth;

import com.nimbusds.jose.util.Resource;
import com.nimbusds.jose.util.ResourceRetriever;
import io.sluice.core.time.Clock;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URL;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLException;

/**
 * Retrieves the content of a URL, without following redirects, up to a maximum size, and within one deadline for the whole answer.
 * Blocks.
 *
 * <p>Nimbus' own {@code DefaultResourceRetriever} follows redirects, and its timeouts cover the connection and each single read:
 * a server that sends a byte now and then could hold it for hours.
 */
final class BoundedRetriever implements ResourceRetriever {

    private static final Duration MAY_TAKE = Duration.ofSeconds(5);
    private static final int LARGEST = 1024 * 1024;

    private final Clock clock;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(MAY_TAKE)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();

    BoundedRetriever(Clock clock) {
        this.clock = clock;
    }

    /** Retrieves the resource. The message of a failure is for people and contains no part of the answer. */
    @Override
    public Resource retrieveResource(URL url) throws IOException {
        long deadline = clock.nanoTime() + MAY_TAKE.toNanos();
        HttpResponse<InputStream> answer = send(URI.create(url.toString()));
        try (InputStream body = answer.body()) {
            if (answer.statusCode() != 200) {
                throw new IOException("status " + answer.statusCode() + " (expected: 200)");
            }
            String type = answer.headers().firstValue("Content-Type").orElse("");
            return new Resource(new String(read(body, deadline), StandardCharsets.UTF_8), type);
        }
    }

    private HttpResponse<InputStream> send(URI uri) throws IOException {
        try {
            return client.send(
                    HttpRequest.newBuilder(uri)
                            .header("Accept", "application/jwk-set+json, application/json")
                            .timeout(MAY_TAKE)
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
        } catch (IOException e) {
            throw new IOException(problem(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Reads the body. At the deadline the alarm closes it, which ends a read that still waits. */
    private byte[] read(InputStream body, long deadline) throws IOException {
        Clock.Alarm late = clock.at(deadline, () -> end(body));
        byte[] bytes;
        try {
            bytes = body.readNBytes(LARGEST + 1);
        } catch (IOException e) {
            throw new IOException(
                    clock.nanoTime() >= deadline
                            ? "no complete answer (expected: within " + MAY_TAKE.toSeconds() + " s)"
                            : problem(e),
                    e);
        } finally {
            late.cancel();
        }
        if (bytes.length > LARGEST) {
            throw new IOException("too large (expected: at most " + LARGEST + " bytes)");
        }
        return bytes;
    }

    /** The messages of the client may contain parts of the answer. */
    private static String problem(IOException e) {
        if (e instanceof HttpTimeoutException) {
            return "no answer (expected: within " + MAY_TAKE.toSeconds() + " s)";
        } else if (e instanceof ConnectException) {
            return "no connection (expected: a server that listens there)";
        }
        return e instanceof SSLException
                ? "no secure connection (expected: a certificate that this JVM trusts)"
                : "no complete answer (expected: a status and a body)";
    }

    private static void end(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
