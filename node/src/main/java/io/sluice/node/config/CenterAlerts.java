package io.sluice.node.config;

import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The destinations of alerts, from the section {@code center.alerts}. Immutable. */
public record CenterAlerts(List<Webhook> webhooks, Optional<Email> email) {

    static final CenterAlerts NONE = new CenterAlerts(List.of(), Optional.empty());

    public CenterAlerts {
        webhooks = List.copyOf(webhooks);
    }

    /**
     * A server that gets alerts as JSON.
     *
     * @param secretFile the file with the secret that signs each request
     * @param severities some of info, warning and critical
     */
    public record Webhook(URI url, Optional<Path> secretFile, Optional<Path> ca, List<String> severities) {

        public Webhook {
            severities = List.copyOf(severities);
        }
    }

    /**
     * A mail server and the recipients of the mail.
     *
     * @param tls starttls, tls or none
     * @param user the account at the server, which also needs a password file
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
