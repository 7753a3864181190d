package io.sluice.center.destination;

import io.sluice.center.settings.AlertSettings;
import io.sluice.center.settings.SecretText;
import io.sluice.core.time.Clock;
import io.sluice.runtime.center.CenterTrust;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Posts alerts as JSON. It follows no redirects and does not read what the server answers, apart from the status. Errors do not
 * name the path and query of the address, because they may be secret.
 */
final class Webhook implements Destination {

    static final String SIGNATURE = "X-Sluice-Signature";
    static final String DELIVERY = "X-Sluice-Delivery";

    private static final Duration CONNECTING = Duration.ofSeconds(5);
    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(10);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String KEY = "center.alerts.webhooks.secret_file";

    /** These say that the message is wrong. Everything else may be over at the next attempt. */
    private static final Set<Integer> WRONG = Set.of(400, 413, 415, 422);

    private final AlertSettings.Webhook settings;
    private final Clock clock;
    private final Duration patience;
    private final HttpClient http;
    private volatile @Nullable CompletableFuture<?> underWay;

    Webhook(AlertSettings.Webhook settings, Clock clock) throws IOException {
        this(settings, clock, USUAL_PATIENCE);
    }

    Webhook(AlertSettings.Webhook settings, Clock clock, Duration patience) throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.patience = patience;
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(CONNECTING);
        if (settings.ca().isPresent()) {
            try {
                builder.sslContext(CenterTrust.context(settings.ca().get()));
            } catch (IllegalArgumentException e) {
                throw new IOException("center.alerts.webhooks.ca: " + e.getMessage(), e);
            }
        }
        this.http = builder.build();
        Optional<String> unused = secret();
    }

    @Override
    public void send(String id, List<AlertMessage> messages) throws IOException {
        byte[] body = body(messages);
        HttpRequest.Builder request = HttpRequest.newBuilder(settings.url())
                .timeout(patience)
                .header("Content-Type", "application/json")
                .header("User-Agent", "sluice-center")
                .header(DELIVERY, id)
                .POST(BodyPublishers.ofByteArray(body));
        secret().ifPresent(secret -> request.header(SIGNATURE, "sha256=" + hmac(secret, body)));
        int status = status(request.build());
        if (status >= 200 && status < 300) {
            return;
        }
        String why = "it answered with status " + status;
        throw WRONG.contains(status) ? new UndeliverableException(why) : new IOException(why);
    }

    @Override
    public void disconnect() {
        CompletableFuture<?> future = underWay;
        if (future != null) {
            future.cancel(true);
        }
    }

    private int status(HttpRequest request) throws IOException {
        CompletableFuture<HttpResponse<Void>> future = http.sendAsync(request, BodyHandlers.discarding());
        underWay = future;
        try {
            // The client's own time ends with the head of the answer. A slow body must not take longer.
            return future.get(patience.toMillis(), TimeUnit.MILLISECONDS).statusCode();
        } catch (ExecutionException e) {
            throw new IOException(words(e.getCause()), e);
        } catch (TimeoutException | java.util.concurrent.CancellationException e) {
            future.cancel(true);
            throw new IOException("no answer within " + patience.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            future.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("the center stops", e);
        } finally {
            underWay = null;
        }
    }

    private String words(@Nullable Throwable cause) {
        if (cause instanceof ConnectException) {
            return "no connection";
        }
        if (cause instanceof java.net.http.HttpTimeoutException) {
            return "no answer within " + patience.toSeconds() + " s";
        }
        return cause instanceof SSLException ? "TLS failed: " + cause.getMessage() : "the connection broke";
    }

    private byte[] body(List<AlertMessage> messages) {
        ObjectNode body = JSON.createObjectNode();
        body.put("sent_at", Instant.ofEpochMilli(clock.epochMicros() / 1000).toString());
        ArrayNode alerts = body.putArray("alerts");
        messages.forEach(message -> {
            ObjectNode alert = (ObjectNode) JSON.readTree(message.json());
            alerts.add(alert.put("event", message.event().word()));
        });
        return JSON.writeValueAsBytes(body);
    }

    private Optional<String> secret() throws IOException {
        return settings.secretFile().isEmpty()
                ? Optional.empty()
                : Optional.of(SecretText.read(KEY, settings.secretFile().get()));
    }

    static String hmac(String secret, byte[] body) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA256 is missing; every JDK must provide it", e);
        }
    }
}
