package io.sluice.cli;

import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.node.config.CenterIdentity;
import java.util.List;
import java.util.Set;

/** Passes the identity servers of the configuration to the center. */
final class IdentityServers {

    private IdentityServers() {}

    /** Returns the same settings with the servers of the configuration. */
    static SignInSettings add(SignInSettings settings, CenterIdentity file) {
        return settings.withServers(
                        file.oidc().stream().map(IdentityServers::oidc).toList(),
                        file.ldap().stream().map(IdentityServers::ldap).toList())
                .withCheckEvery(file.checkEvery().orElse(SignInSettings.DEFAULT_CHECK));
    }

    private static OidcServer oidc(CenterIdentity.Oidc server) {
        return new OidcServer(
                server.name(),
                server.title(),
                server.issuer(),
                server.clientId(),
                server.clientSecretFile(),
                server.scopes(),
                Set.copyOf(server.hosts()),
                server.ca(),
                new OidcServer.Claims(server.userClaim(), server.rolesClaim(), server.tenantClaim()),
                roles(server.roles()));
    }

    private static LdapServer ldap(CenterIdentity.Ldap server) {
        return new LdapServer(
                server.name(),
                server.url(),
                server.startTls(),
                server.ca(),
                server.bindDn().flatMap(dn -> server.bindPasswordFile().map(file -> new LdapServer.Bind(dn, file))),
                new LdapServer.Users(
                        server.userBase(), server.userFilter(), server.emailAttribute(), server.idAttribute()),
                new LdapServer.Groups(
                        server.groupBase(), server.groupFilter(), server.groupAttribute(), server.isNested()),
                roles(server.roles()));
    }

    private static List<MappedRole> roles(List<CenterIdentity.GroupRole> roles) {
        return roles.stream()
                .map(role -> new MappedRole(role.group(), role.role(), role.tenant(), role.labels()))
                .toList();
    }
}
