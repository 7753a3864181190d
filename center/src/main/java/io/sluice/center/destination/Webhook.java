package io.sluice.center.destination;

import io.sluice.center.remote.Conversation;
import io.sluice.center.remote.RemoteHttp;
import io.sluice.center.remote.SecretText;
import io.sluice.core.time.Clock;
import io.sluice.runtime.center.CenterTrust;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Posts alerts as JSON. It follows no redirects and reads only the status of the answer. Errors do not name the path and query of the
 * address, because they may be secret.
 */
final class Webhook implements Destination {

    static final String SIGNATURE = "X-Sluice-Signature";
    static final String DELIVERY = "X-Sluice-Delivery";

    private static final Duration USUAL_PATIENCE = Duration.ofSeconds(10);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String KEY = "center.alerts.webhooks.secret_file";

    /** The status codes of a wrong message. All other errors may have ended by the next attempt. */
    private static final Set<Integer> WRONG = Set.of(400, 413, 415, 422);

    private final AlertSettings.Webhook settings;
    private final Clock clock;
    private final Duration patience;
    private final RemoteHttp http;
    private volatile @Nullable Conversation underWay;

    Webhook(AlertSettings.Webhook settings, Clock clock) throws IOException {
        this(settings, clock, USUAL_PATIENCE);
    }

    Webhook(AlertSettings.Webhook settings, Clock clock, Duration patience) throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.patience = patience;
        this.http = new RemoteHttp(trust(settings));
        Optional<String> unused = secret();
    }

    private static Optional<SSLContext> trust(AlertSettings.Webhook settings) throws IOException {
        try {
            return settings.ca().map(CenterTrust::context);
        } catch (IllegalArgumentException e) {
            throw new IOException("center.alerts.webhooks.ca: " + e.getMessage(), e);
        }
    }

    @Override
    public void send(String id, List<AlertMessage> messages) throws IOException {
        byte[] body = body(messages);
        HttpRequest.Builder request = HttpRequest.newBuilder(settings.url())
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
        Conversation conversation = underWay;
        if (conversation != null) {
            conversation.close();
        }
    }

    private int status(HttpRequest request) throws IOException {
        try (Conversation conversation = Conversation.begin(clock, patience)) {
            underWay = conversation;
            return http.status(request, conversation);
        } finally {
            underWay = null;
        }
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
