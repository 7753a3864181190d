package io.sluice.node.gateway.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files that a server shows and asks for. They are watched: a change is live within seconds, a bad one changes nothing.
 *
 * @param certificate its chain, the server's own first
 * @param key not encrypted
 * @param clientAuthorities callers must show a certificate of one of these
 */
public record TlsSettings(Path certificate, Path key, Optional<Path> clientAuthorities) {}
