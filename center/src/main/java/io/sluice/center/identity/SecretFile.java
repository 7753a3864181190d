package io.sluice.center.identity;

import io.sluice.center.settings.LdapServer;
import io.sluice.center.settings.OidcServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A secret in a file of its own. It is read at each use, so it can be changed without a restart. */
final class SecretFile {

    private static final int LONGEST = 4_000;

    private SecretFile() {}

    /** Returns the secret of this client. */
    static String of(OidcServer server) throws IOException {
        return read("center.oidc." + server.name() + ".client_secret_file", server.clientSecretFile());
    }

    /** Returns the password of the account that searches. */
    static String of(LdapServer server, LdapServer.Bind bind) throws IOException {
        return read("center.ldap." + server.name() + ".bind_password_file", bind.passwordFile());
    }

    private static String read(String key, Path file) throws IOException {
        if (!Files.isReadable(file) || !Files.isRegularFile(file) || Files.size(file) > LONGEST) {
            throw new IOException(
                    key + ": " + file + " is not a readable file (expected: a file that holds only the secret)");
        }
        String secret = Files.readString(file, StandardCharsets.UTF_8).strip();
        if (secret.isEmpty()) {
            throw new IOException(key + ": " + file + " is empty (expected: a file that holds only the secret)");
        }
        return secret;
    }
}
