package io.sluice.center.signin.settings;

import java.nio.file.Path;

/**
 * The PEM files of a center's certificate. They are watched, so a renewed certificate is used without a restart.
 *
 * @param certificate the certificate chain, the center's own certificate first
 * @param key the unencrypted private key
 */
public record TlsFiles(Path certificate, Path key) {}
