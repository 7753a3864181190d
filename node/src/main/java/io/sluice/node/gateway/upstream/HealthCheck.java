package io.sluice.node.gateway.upstream;

import io.sluice.core.spi.RootCause;
import io.sluice.node.gateway.config.ServiceSettings.HealthSettings;
import io.sluice.node.gateway.config.UpstreamTls;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import java.net.URI;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Checks a server's health repeatedly until closed. Each check uses a new connection, because connecting is half of the test.
 * Thread-safe.
 *
 * <p>The first result counts immediately, later results only after the configured number in a row. Intervals vary by a tenth, so that the
 * gateways of a fleet do not check at the same time.
 */
final class HealthCheck implements AutoCloseable {

    private static final String AGENT = "sluice-health";

    private final Vertx vertx;
    private final UpstreamServer server;
    private final HealthSettings settings;
    private final RequestOptions question;
    private final HttpClient client;
    private boolean closed;
    private long timer;
    private boolean first = true;

    /** The number of consecutive results that contradict the server's current state. */
    private int others;

    HealthCheck(Vertx vertx, UpstreamServer server, HealthSettings settings, boolean http2, UpstreamTls tls) {
        this.vertx = vertx;
        this.server = server;
        this.settings = settings;
        URI origin = server.origin();
        boolean ssl = "https".equals(origin.getScheme());
        this.question = new RequestOptions()
                .setMethod(HttpMethod.GET)
                .setHost(origin.getHost())
                .setPort(origin.getPort())
                .setSsl(ssl)
                .setURI(settings.path())
                .setFollowRedirects(false)
                .putHeader("user-agent", AGENT);
        HttpClientOptions options = new HttpClientOptions()
                .setKeepAlive(http2)
                .setProtocolVersion(http2 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1)
                .setHttp2ClearTextUpgrade(false)
                .setUseAlpn(http2 && ssl)
                .setConnectTimeout((int) settings.timeout().toMillis())
                .setSsl(ssl)
                .setTrustAll(!tls.verify())
                .setVerifyHost(tls.verify());
        tls.authorities()
                .ifPresent(pem -> options.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(pem))));
        this.client = vertx.httpClientBuilder()
                .with(options)
                .withConnectHandler(connection -> connection.exceptionHandler(HealthCheck::known))
                .build();
    }

    /** Ignores a failure: the check that waits for the answer sees the failure, and only changes are logged. */
    private static void known(Throwable failure) {}

    /** Starts the first check now. */
    void start() {
        ask();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            vertx.cancelTimer(timer);
        }
        client.close();
    }

    private void ask() {
        client.request(question)
                .compose(request -> request.send()
                        .map(HealthCheck::status)
                        .timeout(settings.timeout().toMillis(), TimeUnit.MILLISECONDS)
                        .onComplete(done -> hangUp(request)))
                .timeout(settings.timeout().toMillis() + 1, TimeUnit.MILLISECONDS)
                .onComplete(answer -> {
                    if (answer.failed()) {
                        judge(false, RootCause.words(answer.cause()));
                    } else {
                        judge(answer.result() >= 200 && answer.result() < 400, "status " + answer.result());
                    }
                });
    }

    /** Returns the status; the rest of the response is ignored. */
    private static int status(HttpClientResponse response) {
        response.exceptionHandler(HealthCheck::known);
        return response.statusCode();
    }

    private static void hangUp(HttpClientRequest request) {
        if (request.connection() != null) {
            request.connection().close();
        }
    }

    private void judge(boolean healthy, @Nullable String why) {
        synchronized (this) {
            if (closed) {
                return;
            }
            others = healthy == server.isFit() ? 0 : others + 1;
            int enough = first ? 1 : healthy ? settings.healthyAfter() : settings.unhealthyAfter();
            if (others >= enough) {
                others = 0;
                server.checkedHealthy(healthy, String.valueOf(why));
            }
            first = false;
            long millis = settings.interval().toMillis();
            long tenth = millis / 10;
            timer = vertx.setTimer(
                    Math.max(1, millis - tenth + ThreadLocalRandom.current().nextLong(2 * tenth + 1)), fired -> ask());
        }
    }
}
