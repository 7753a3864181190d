package io.sluice.node.gateway.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files of a TLS server. They are watched: a change takes effect within seconds, a bad file changes nothing.
 *
 * @param certificate the certificate chain, the server's own certificate first
 * @param key the unencrypted private key
 * @param clientAuthorities if present, clients must have a certificate signed by one of these authorities
 */
public record TlsSettings(Path certificate, Path key, Optional<Path> clientAuthorities) {}
