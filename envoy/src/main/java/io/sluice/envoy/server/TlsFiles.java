package io.sluice.envoy.server;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files of a server's certificate. They are watched, so that a new certificate is used without a restart.
 *
 * @param certificate the server's certificate and its chain
 * @param key the private key, in PKCS#8 without a password
 * @param clientAuthorities the authorities that sign client certificates; if given, only clients with such a certificate are
 *     served
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clientAuthorities) {}
