package io.sluice.center.destination;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The destinations of a center's alerts. Immutable. */
public record AlertSettings(List<Webhook> webhooks, Optional<Email> email) {

    /** No destination: alerts are only displayed. */
    public static final AlertSettings NONE = new AlertSettings(List.of(), Optional.empty());

    public AlertSettings {
        webhooks = List.copyOf(webhooks);
    }

    /**
     * A server that receives alerts as JSON.
     *
     * @param url an http or https address
     * @param secretFile the file with the secret that signs the messages
     * @param ca a PEM file with the certificates to trust; without it, the certificates that Java trusts
     * @param severities the severities of the alerts that it receives
     */
    public record Webhook(URI url, Optional<Path> secretFile, Optional<Path> ca, Set<AlertSeverity> severities) {

        public Webhook {
            severities = Set.copyOf(severities);
            if (!"http".equals(url.getScheme()) && !"https".equals(url.getScheme())) {
                throw new IllegalArgumentException("url: not usable (expected: http:// or https://)");
            }
        }

        /** Returns the text without the path and the query, which include a token at many services. */
        @Override
        public String toString() {
            return "Webhook[" + url.getScheme() + "://" + url.getHost() + "]";
        }
    }

    /**
     * A mail server and the recipients of the mail.
     *
     * @param ca a PEM file with the certificates to trust; without it, the certificates that Java trusts
     * @param severities the severities of the alerts that are sent
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

    /** The protection of the connection to a mail server. */
    public enum Encryption {
        /** The connection starts without protection, and nothing is sent before TLS is in place. */
        STARTTLS,
        TLS,
        NONE
    }

    /** The account at a mail server. */
    public record Login(String user, Path passwordFile) {}
}
