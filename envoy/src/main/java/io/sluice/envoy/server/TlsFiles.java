package io.sluice.envoy.server;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a server's certificate is, in PEM; looked at again and again, so that a new one is in use without a restart.
 *
 * @param certificate its own and those above it
 * @param key its private key, PKCS#8 without a password
 * @param clientAuthorities who may have signed the certificates of clients; with it, none but those with such a one are served
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clientAuthorities) {}
