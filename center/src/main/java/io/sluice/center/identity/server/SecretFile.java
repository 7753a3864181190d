package io.sluice.center.identity.server;

import io.sluice.center.remote.SecretText;
import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.OidcServer;
import java.io.IOException;

/** The secrets of identity servers. Each secret has its own file. */
public final class SecretFile {

    private SecretFile() {}

    /** Returns the secret of this client at a server. */
    public static String of(OidcServer server) throws IOException {
        return SecretText.read("center.oidc." + server.name() + ".client_secret_file", server.clientSecretFile());
    }

    /** Returns the password of the account that searches the directory. */
    public static String of(LdapServer server, LdapServer.Bind bind) throws IOException {
        return SecretText.read("center.ldap." + server.name() + ".bind_password_file", bind.passwordFile());
    }
}
