package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.center.signin.settings.LdapServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.ConfigRefusedException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The identity servers in the configuration of a center. */
class CenterIdentityTest {

    @TempDir
    Path folder;

    @Test
    void theConfigNamesIdentityServers() throws Exception {
        SignInSettings settings = settings("""
                center:
                  oidc:
                    corp:
                      issuer: https://login.example/realms/corp
                      client_id: sluice
                      client_secret_file: secrets/oidc
                      title: Corp
                      scopes: [openid, groups]
                      hosts: [keys.example]
                      ca: ca.pem
                      user_claim: upn
                      roles_claim: realm_access.roles
                      tenant_claim: tenant
                      roles:
                        sre: operator
                        "shop-admins": {role: tenant_administrator, tenant: shop}
                        web: {role: editor, tenant: "*", labels: {team: web}}
                  ldap:
                    directory:
                      url: ldaps://ldap.example
                      bind_dn: cn=sluice,dc=example
                      bind_password_file: secrets/ldap
                      user_base: ou=people,dc=example
                      group_base: ou=groups,dc=example
                      roles: {admins: administrator}
                """);

        assertThat(settings.oidc())
                .containsExactly(new OidcServer(
                        "corp",
                        "Corp",
                        URI.create("https://login.example/realms/corp"),
                        "sluice",
                        folder.resolve("secrets/oidc"),
                        List.of("openid", "groups"),
                        Set.of("keys.example"),
                        Optional.of(folder.resolve("ca.pem")),
                        new OidcServer.Claims("upn", "realm_access.roles", Optional.of("tenant")),
                        List.of(
                                MappedRole.of("sre", "operator"),
                                MappedRole.of("shop-admins", "tenant_administrator", "shop"),
                                new MappedRole("web", "editor", Optional.of("*"), Map.of("team", "web")))));
        assertThat(settings.ldap())
                .containsExactly(new LdapServer(
                        "directory",
                        URI.create("ldaps://ldap.example"),
                        false,
                        Optional.empty(),
                        Optional.of(new LdapServer.Bind("cn=sluice,dc=example", folder.resolve("secrets/ldap"))),
                        LdapServer.Users.under("ou=people,dc=example"),
                        LdapServer.Groups.under("ou=groups,dc=example"),
                        List.of(MappedRole.of("admins", "administrator"))));
    }

    @Test
    void aServerWithoutEncryptionIsAllowedOnThisMachineAlone() throws Exception {
        assertThat(settings(oidc("http://localhost:9000", "{a: viewer}")).oidc())
                .hasSize(1);
        assertThat(settings(ldap("ldap://127.0.0.1:389", "")).ldap()).hasSize(1);
        assertThat(settings(ldap("ldap://ldap.example", "start_tls: true")).ldap())
                .hasSize(1);
        assertThat(errors(oidc("http://login.example", "{a: viewer}")))
                .containsExactly("3: issuer: http://login.example (expected: https://… without user, query or fragment;"
                        + " http://… only on this machine)");
        assertThat(errors(ldap("ldap://ldap.example", "")))
                .containsExactly("3: url: ldap://ldap.example (expected: ldaps://… without user, query or fragment;"
                        + " ldap://… only on this machine, or with start_tls: true)");
        assertThat(errors(ldap("ldaps://user:secret@ldap.example", "")))
                .singleElement()
                .asString()
                .startsWith("3: url: not usable")
                .doesNotContain("secret");
    }

    @Test
    void aSecretIsNeverInTheConfig() {
        assertThat(errors("""
                center:
                  oidc:
                    corp: {issuer: "https://login.example", client_id: s, client_secret: x, roles: {a: viewer}}
                """))
                .contains("3: client_secret: not in this file (expected: client_secret_file, a file that holds only the"
                        + " secret)");
        assertThat(errors(ldap("ldaps://ldap.example", "bind_password: x")))
                .contains("6: bind_password: not in this file (expected: bind_password_file, a file that holds only the"
                        + " password)");
    }

    @Test
    void everyMistakeIsNamedWithItsPlace() {
        assertThat(errors("center: {oidc: {Corp: {}}}"))
                .containsExactly(
                        "1: oidc: Corp (expected: a name of at most 40 lower-case letters, digits or -, and not local)",
                        "1: issuer: missing (expected: a URL such as https://login.example)",
                        "1: client_id: missing (expected: the name of this client at the server)",
                        "1: client_secret_file: missing (expected: a file that holds only the client's secret)",
                        "1: roles: missing (expected: groups and their roles, such as {sre: operator})");
        assertThat(errors(oidc("https://login.example", "{a: boss}")))
                .containsExactly("6: role: boss (expected: administrator, tenant_administrator, editor, approver,"
                        + " operator or viewer)");
        assertThat(errors(oidc("https://login.example", "{a: tenant_administrator}")))
                .containsExactly("6: role: tenant_administrator without a tenant (expected: {role:"
                        + " tenant_administrator, tenant: NAME})");
        assertThat(errors(oidc("https://login.example", "{a: {role: administrator, tenant: shop}}")))
                .containsExactly("6: role: administrator of some rules (expected: no tenant and no labels, or another"
                        + " role)");
        assertThat(errors(ldap("ldaps://ldap.example", "user_filter: 'uid={0}'")))
                .containsExactly("6: user_filter: uid={0} (expected: a filter such as \"(uid={0})\")");
        assertThat(errors(ldap("ldaps://ldap.example", "bind_dn: cn=x")))
                .containsExactly("6: bind_dn: without its counterpart (expected: bind_dn and bind_password_file, or"
                        + " none of them)");
        assertThat(errors(oidc("https://login.example", "{a: viewer}")
                        + ldap("ldaps://ldap.example", "").replaceFirst("center:\n", "")))
                .singleElement()
                .asString()
                .contains("ldap: corp names another server too");
    }

    @Test
    void theConfigSaysHowOftenPeopleAreCheckedAndWhetherGroupsAreNested() throws Exception {
        String nested = ldap("ldaps://ldap.example", "nested_groups: true");
        assertThat(settings(nested + "  check_people_every: 15m\n").checkEvery())
                .isEqualTo(Duration.ofMinutes(15));
        assertThat(settings(nested).checkEvery()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings(nested).ldap().get(0).groups().isNested()).isTrue();
        assertThat(errors(nested + "  check_people_every: 5s\n"))
                .containsExactly("7: check_people_every: 5s (expected: 1m to 12h, such as 250ms, 1s, 1m, 1h or 1d)");
    }

    private static String oidc(String issuer, String roles) {
        return "center:\n  oidc: {corp: {\n    issuer: \"" + issuer
                + "\",\n    client_id: sluice,\n    client_secret_file: s,\n    roles: " + roles + "}}\n";
    }

    private static String ldap(String url, String more) {
        return "center:\n  ldap: {corp: {\n    url: \"" + url
                + "\",\n    user_base: b, group_base: g,\n    roles: {a: viewer},\n    " + more + "}}\n";
    }

    private SignInSettings settings(String yaml) throws Exception {
        Path file = Files.writeString(folder.resolve("sluice.yaml"), yaml);
        return IdentityServers.add(
                SignInSettings.LOCAL, ConfigFile.read(file).centerRole().identity());
    }

    private List<String> errors(String yaml) {
        ConfigRefusedException refused = catchThrowableOfType(ConfigRefusedException.class, () -> settings(yaml));
        return refused.errors().stream()
                .map(error -> error.line() + ": " + error.message())
                .toList();
    }
}
