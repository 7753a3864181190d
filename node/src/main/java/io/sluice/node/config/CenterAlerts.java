package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What {@code center.alerts} says: where alerts go. Immutable. */
public record CenterAlerts(List<Webhook> webhooks, Optional<Email> email) {

    static final CenterAlerts NONE = new CenterAlerts(List.of(), Optional.empty());

    public CenterAlerts {
        webhooks = List.copyOf(webhooks);
    }

    /**
     * A server that gets alerts as JSON.
     *
     * @param secretFile holds the secret that signs what is sent
     * @param severities some of info, warning and critical
     */
    public record Webhook(URI url, Optional<Path> secretFile, Optional<Path> ca, List<String> severities) {

        public Webhook {
            severities = List.copyOf(severities);
        }
    }

    /**
     * A mail server, and who gets the mail.
     *
     * @param tls starttls, tls or none
     * @param user the account at the server; it has a password file too
     * @param severities some of info, warning and critical
     */
    public record Email(
            String host,
            int port,
            String tls,
            Optional<String> user,
            Optional<Path> passwordFile,
            Optional<Path> ca,
            String from,
            List<String> to,
            List<String> severities) {

        public Email {
            to = List.copyOf(to);
            severities = List.copyOf(severities);
        }
    }

    static CenterAlerts of(Fields center, Function<String, Path> beside, Errors errors) {
        return AlertFields.read(center, beside, errors);
    }
}
