package io.sluice.node.gateway.auth;

import io.sluice.core.time.Clock;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keys that an issuer serves. Fetched every five minutes, and at once when a token names a key that is not there, but not more often
 * than every ten seconds: whoever makes up names of keys cannot make the gateway ask for each. The last good ones stay.
 */
final class FetchedKeys implements KeySupply {

    private static final Logger LOG = LoggerFactory.getLogger(FetchedKeys.class);
    private static final Duration EVERY = Duration.ofMinutes(5);
    private static final Duration AT_LEAST = Duration.ofSeconds(10);
    private static final Duration FIRST_AT_LEAST = Duration.ofSeconds(1);
    private static final Duration MAY_TAKE = Duration.ofSeconds(5);
    private static final int LARGEST = 1024 * 1024;

    private final URI uri;
    private final Clock clock;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(MAY_TAKE)
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
    private volatile @Nullable KeyRing latest;
    private volatile String fault = "keys have not been fetched yet";
    private long askedNanos;
    private boolean asked;
    private @Nullable CompletableFuture<@Nullable KeyRing> asking;
    private String text = "";

    FetchedKeys(URI uri, Clock clock) {
        this.uri = uri;
        this.clock = clock;
    }

    @Override
    public @Nullable KeyRing latest() {
        return latest;
    }

    @Override
    public CompletionStage<@Nullable KeyRing> newer() {
        return ask(latest == null ? FIRST_AT_LEAST : AT_LEAST);
    }

    @Override
    public void look() {
        ask(latest == null || !fault.isEmpty() ? AT_LEAST.dividedBy(5) : EVERY);
    }

    @Override
    public String fault() {
        return fault;
    }

    /** Whoever asks meanwhile gets the same answer. */
    @SuppressWarnings("FutureReturnValueIgnored") // what comes of it is kept
    private synchronized CompletionStage<@Nullable KeyRing> ask(Duration sinceLast) {
        if (asking != null) {
            return asking;
        }
        long now = clock.nanoTime();
        if (asked && now - askedNanos < sinceLast.toNanos()) {
            return CompletableFuture.completedFuture(latest);
        }
        asked = true;
        askedNanos = now;
        CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(
                HttpRequest.newBuilder(uri)
                        .header("Accept", "application/jwk-set+json, application/json")
                        .timeout(MAY_TAKE)
                        .build(),
                head -> new BoundedBody(LARGEST));
        CompletableFuture<@Nullable KeyRing> told = new CompletableFuture<>();
        asking = told;
        CompletableFuture<HttpResponse<byte[]>> timed =
                answer.copy().orTimeout(MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS);
        timed.whenComplete((response, failure) -> {
            answer.cancel(true);
            take(response, failure);
            synchronized (this) {
                asking = null;
            }
            told.complete(latest);
        });
        return told;
    }

    private void take(@Nullable HttpResponse<byte[]> response, @Nullable Throwable failure) {
        String wrong = "";
        if (response == null) {
            wrong = uri + ": "
                    + (failure == null ? "no answer" : failure.getClass().getSimpleName());
        } else if (response.statusCode() != 200) {
            wrong = uri + ": status " + response.statusCode() + " (expected: 200)";
        } else {
            String now = new String(response.body(), StandardCharsets.UTF_8);
            try {
                if (latest == null || !now.equals(text)) {
                    latest = KeyRing.read(uri.toString(), now);
                    text = now;
                    LOG.info("keys fetched: {}", uri);
                }
            } catch (AuthUnreadableException e) {
                wrong = String.valueOf(e.getMessage());
            }
        }
        if (!wrong.isEmpty() && !wrong.equals(fault)) {
            LOG.warn("keys unusable, the last ones stay in use: {}", wrong);
        }
        fault = wrong;
    }
}
