package io.sluice.center.settings;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Where a center sends its alerts. Immutable. */
public record AlertSettings(List<Webhook> webhooks, Optional<Email> email) {

    /** Nowhere: alerts are only shown. */
    public static final AlertSettings NONE = new AlertSettings(List.of(), Optional.empty());

    public AlertSettings {
        webhooks = List.copyOf(webhooks);
    }

    /**
     * A server that gets alerts as JSON.
     *
     * @param url http or https
     * @param secretFile holds the secret that signs what is sent
     * @param ca a PEM file with the certificates to trust; without it those that Java trusts
     * @param severities which alerts it gets
     */
    public record Webhook(URI url, Optional<Path> secretFile, Optional<Path> ca, Set<AlertSeverity> severities) {

        public Webhook {
            severities = Set.copyOf(severities);
            if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
                throw new IllegalArgumentException("url: not usable (expected: http:// or https://)");
            }
        }

        /** Without the path and the query, which include a token at many services. */
        @Override
        public String toString() {
            return "Webhook[" + url.getScheme() + "://" + url.getHost() + "]";
        }
    }

    /**
     * A mail server, and who gets the mail.
     *
     * @param ca a PEM file with the certificates to trust; without it those that Java trusts
     * @param severities which alerts are sent
     */
    public record Email(
            String host,
            int port,
            Encryption encryption,
            Optional<Login> login,
            Optional<Path> ca,
            String from,
            List<String> to,
            Set<AlertSeverity> severities) {

        public Email {
            to = List.copyOf(to);
            severities = Set.copyOf(severities);
            if (login.isPresent() && encryption == Encryption.NONE) {
                throw new IllegalArgumentException("tls: none with a password (expected: starttls or tls)");
            }
        }
    }

    /** How the connection to a mail server is protected. */
    public enum Encryption {
        /** It begins without protection, and nothing is sent before TLS is in place. */
        STARTTLS,
        TLS,
        NONE
    }

    /** The account at a mail server. */
    public record Login(String user, Path passwordFile) {}
}
