package io.sluice.runtime.center;

import io.sluice.runtime.fleet.LostCenterException;
import io.sluice.runtime.fleet.OutageLog;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A center that a process reaches over HTTP. The token goes only to the origin of the center: redirects are not followed.
 * Thread-safe.
 */
public final class Center {

    private static final Logger LOG = LoggerFactory.getLogger(Center.class);
    private static final Duration CONNECTING_MAY_TAKE = Duration.ofSeconds(2);
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final CenterAddress address;
    private final CenterToken token;
    private final OutageLog log;
    private final HttpClient client;

    private Center(CenterAddress address, CenterToken token) {
        this.address = address;
        this.token = token;
        this.log = new OutageLog(
                "the center at " + address.origin() + " is lost; rules in force stay in force",
                "the center at " + address.origin() + " is back");
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECTING_MAY_TAKE)
                .executor(thread());
        address.trusted().map(CenterTrust::context).ifPresent(builder::sslContext);
        this.client = builder.build();
    }

    /**
     * Reads the token. Does not connect yet.
     *
     * @throws IllegalArgumentException if the token file or the certificates cannot be used
     */
    public static Center at(CenterAddress address) {
        CenterToken token = CenterToken.in(address.tokenFile());
        if (address.isReadableOnTheWay()) {
            LOG.warn(
                    "the token of the center at {} can be read by others on the network, because it is sent over http;"
                            + " use https",
                    address.origin());
        }
        return new Center(address, token);
    }

    /** Returns a thread that ends when it is idle. So a center needs no close, and connections can be closed at any time. */
    private static Executor thread() {
        ThreadPoolExecutor threads = new ThreadPoolExecutor(
                1, 1, IDLE.toMillis(), TimeUnit.MILLISECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "sluice-center");
                    thread.setDaemon(true);
                    return thread;
                });
        threads.allowCoreThreadTimeOut(true);
        return threads;
    }

    /** Returns scheme, host and port. */
    public URI origin() {
        return address.origin();
    }

    /** Returns the log of changes between lost and reachable. */
    OutageLog log() {
        return log;
    }

    /** Starts to build a request. */
    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(address.origin().resolve(path))
                .header("Authorization", "Bearer " + token.current());
    }

    /** Sends a request. Cancelling the future closes the connection. */
    <T> CompletableFuture<HttpResponse<T>> send(HttpRequest request, BodyHandler<T> answer) {
        return client.sendAsync(request, answer);
    }

    /** Returns the exception for an answer with another status than 200. */
    LostCenterException refusal(int status) {
        return new LostCenterException(
                switch (status) {
                    case 401, 403 ->
                        "it answers " + status + ", the token in " + address.tokenFile()
                                + " is not one of a node (expected: a valid token; a new one in the file is used at"
                                + " once)";
                    default ->
                        status >= 300 && status < 400
                                ? "it answers " + status
                                        + ", and redirects are not followed (expected: the URL of the center itself)"
                                : "it answers " + status + " (expected: 200)";
                },
                true);
    }

    /** Returns the exception for a failure to send, with a part of a sentence as its reason. */
    static LostCenterException failure(Throwable thrown) {
        Throwable failure = thrown;
        while (failure.getCause() != null
                && (failure instanceof ExecutionException || failure instanceof CompletionException)) {
            failure = failure.getCause();
        }
        // The client reports some failures with their cause only.
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof LostCenterException known) {
                return known;
            }
            if (each instanceof SSLHandshakeException) {
                return new LostCenterException(
                        "its certificate is not accepted (" + each.getMessage()
                                + "); center.ca names a file with the certificate of its authority",
                        true);
            }
            if (each instanceof UnresolvedAddressException) {
                return new LostCenterException("its host name is unknown", false);
            }
        }
        if (failure instanceof HttpTimeoutException) {
            return new LostCenterException("it does not answer", false);
        }
        return new LostCenterException(
                failure instanceof ConnectException ? "it accepts no connection" : failure.toString(), false);
    }
}
