package io.sluice.runtime.center;

import io.sluice.runtime.recording.ExcerptLine;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The way of excerpts to a center over HTTP. */
public final class CenterExcerptLine implements ExcerptLine {

    private static final Duration SENDING_MAY_TAKE = Duration.ofSeconds(30);
    private static final int LONGEST_ANSWER = 10_000;

    private final Center center;

    public CenterExcerptLine(Center center) {
        this.center = center;
    }

    @Override
    public void send(String node, long question, byte[] excerpt) throws IOException {
        HttpRequest request = center.request("/api/nodes/" + node + "/excerpts/" + question)
                .timeout(SENDING_MAY_TAKE)
                .header("Content-Type", "application/gzip")
                .POST(BodyPublishers.ofByteArray(excerpt))
                .build();
        CompletableFuture<HttpResponse<String>> sent = center.send(request, head -> new BoundedBody(LONGEST_ANSWER));
        try {
            int status = sent.get(2 * SENDING_MAY_TAKE.toMillis(), TimeUnit.MILLISECONDS)
                    .statusCode();
            if (status / 100 != 2) {
                throw new IOException("the center answers " + status + " (expected: 204)");
            }
        } catch (ExecutionException e) {
            throw new IOException(Center.failure(e).why(), e);
        } catch (TimeoutException e) {
            sent.cancel(true);
            throw new IOException("the center does not answer", e);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
