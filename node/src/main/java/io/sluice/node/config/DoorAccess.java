package io.sluice.node.config;

import io.sluice.node.gateway.config.TlsSettings;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The proofs that callers of a port need. If both are required, callers need both. Immutable.
 *
 * @param tokens a file of bearer tokens, reloaded when it changes; without it, callers need no token
 * @param tls the certificates, reloaded when they change; without them, the port serves plain text. With client authorities, callers need
 *     a certificate
 */
public record DoorAccess(Optional<Path> tokens, Optional<TlsSettings> tls) {

    /** Plain text for every caller. */
    public static final DoorAccess OPEN = new DoorAccess(Optional.empty(), Optional.empty());

    /** Returns this access with a file of tokens, unless it already has one. */
    public DoorAccess orTokens(Optional<Path> file) {
        return new DoorAccess(tokens.or(() -> file), tls);
    }

    /** Returns whether callers need a token or a certificate. */
    public boolean isProtected() {
        return tokens.isPresent() || needsCertificate();
    }

    /** Returns whether callers need a certificate. */
    public boolean needsCertificate() {
        return tls.flatMap(TlsSettings::clientAuthorities).isPresent();
    }
}
