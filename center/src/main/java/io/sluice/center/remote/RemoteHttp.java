package io.sluice.center.remote;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * HTTP requests within the bounds of a conversation. Redirects are not followed. The JDK itself bounds the head of an answer. Thread-safe.
 */
public final class RemoteHttp {

    private final HttpClient client;

    /**
     * Creates a client.
     *
     * @param trust the trusted authorities; empty for the authorities that Java trusts
     */
    public RemoteHttp(Optional<SSLContext> trust) {
        HttpClient.Builder builder =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).followRedirects(HttpClient.Redirect.NEVER);
        trust.ifPresent(builder::sslContext);
        client = builder.build();
    }

    /** A complete answer. */
    @SuppressWarnings("ArrayRecordComponent") // never compared, passed on once
    public record Answer(int status, HttpHeaders headers, byte[] body) {

        @Override
        public String toString() {
            return "Answer(" + status + ", " + body.length + " bytes)";
        }
    }

    /**
     * Sends a request and reads the answer.
     *
     * @throws IOException if the request fails; the message is a line for people that contains no part of the answer
     */
    public Answer send(HttpRequest request, Conversation conversation) throws IOException {
        HttpResponse<InputStream> head = head(request, conversation);
        InputStream body = head.body();
        conversation.hold(body);
        try (body) {
            byte[] bytes = conversation.bounded(body).readAllBytes();
            return new Answer(head.statusCode(), head.headers(), bytes);
        } catch (IOException e) {
            throw problem(e, conversation);
        } finally {
            conversation.release(body);
        }
    }

    /**
     * Sends a request and returns the status of the answer. The rest of the answer is not read.
     *
     * @throws IOException if the request fails; the message is a line for people that contains no part of the answer
     */
    public int status(HttpRequest request, Conversation conversation) throws IOException {
        HttpResponse<InputStream> head = head(request, conversation);
        head.body().close();
        return head.statusCode();
    }

    private HttpResponse<InputStream> head(HttpRequest request, Conversation conversation) throws IOException {
        CompletableFuture<HttpResponse<InputStream>> sent = client.sendAsync(request, BodyHandlers.ofInputStream());
        Closeable end = () -> sent.cancel(true);
        conversation.hold(end);
        try {
            return sent.get();
        } catch (ExecutionException e) {
            throw problem(e.getCause(), conversation);
        } catch (CancellationException e) {
            throw problem(e, conversation);
        } catch (InterruptedException e) {
            sent.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            conversation.release(end);
        }
    }

    /** Returns an exception with a safe message, because the messages of the client may contain parts of the answer. */
    private static IOException problem(@Nullable Throwable failure, Conversation conversation) {
        String words = conversation.problem().orElseGet(() -> words(failure));
        return new IOException(words, failure);
    }

    private static String words(@Nullable Throwable failure) {
        if (failure instanceof ConnectException) {
            return "no connection";
        }
        return failure instanceof SSLException ? "TLS failed: " + failure.getMessage() : "the connection broke";
    }
}
