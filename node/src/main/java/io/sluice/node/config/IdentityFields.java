package io.sluice.node.config;

import io.sluice.node.config.CenterIdentity.GroupRole;
import io.sluice.node.config.CenterIdentity.Ldap;
import io.sluice.node.config.CenterIdentity.Oidc;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spans;
import io.sluice.rules.yaml.YamlValue;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Reads the identity servers of a center. Secrets are named only by their files. */
final class IdentityFields {

    private static final List<String> OIDC_KEYS = List.of(
            "issuer",
            "client_id",
            "client_secret_file",
            "title",
            "scopes",
            "hosts",
            "ca",
            "user_claim",
            "roles_claim",
            "tenant_claim",
            "roles");
    private static final List<String> LDAP_KEYS = List.of(
            "url",
            "start_tls",
            "ca",
            "bind_dn",
            "bind_password_file",
            "user_base",
            "user_filter",
            "email_attribute",
            "id_attribute",
            "group_base",
            "group_filter",
            "group_attribute",
            "nested_groups",
            "roles");
    private static final Map<String, String> SECRETS = Map.of(
            "client_secret",
            "client_secret: not in this file (expected: client_secret_file, a file that holds only the secret)",
            "bind_password",
            "bind_password: not in this file (expected: bind_password_file, a file that holds only the password)");
    private static final List<String> ROLES =
            List.of("administrator", "tenant_administrator", "editor", "approver", "operator", "viewer");
    private static final Duration MIN_CHECK = Duration.ofMinutes(1);
    private static final Duration MAX_CHECK = Duration.ofHours(12);
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,39}");
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127\\.0\\.0\\.1|\\[::1]");

    private final Function<String, Path> beside;
    private final Errors errors;
    private final Set<String> names = new HashSet<>();

    private IdentityFields(Function<String, Path> beside, Errors errors) {
        this.beside = beside;
        this.errors = errors;
    }

    /** A reader of one server. */
    private interface ServerReader<T> {
        Optional<T> read(String name, Fields fields);
    }

    static CenterIdentity read(Fields center, Function<String, Path> beside, Errors errors) {
        IdentityFields reader = new IdentityFields(beside, errors);
        return new CenterIdentity(
                reader.servers(center, "oidc", OIDC_KEYS, reader::oidc),
                reader.servers(center, "ldap", LDAP_KEYS, reader::ldap),
                center.read("check_people_every", text -> Spans.of("check_people_every", text, MIN_CHECK, MAX_CHECK)));
    }

    private <T> List<T> servers(Fields center, String key, List<String> known, ServerReader<T> reader) {
        List<T> servers = new ArrayList<>();
        center.entries(key).orElse(Map.of()).forEach((name, value) -> {
            if (!NAME.matcher(name.text()).matches() || name.text().equals("local")) {
                errors.add(
                        name.place(),
                        key + ": " + name.shown()
                                + " (expected: a name of at most 40 lower-case letters, digits or -, and not local)");
            } else if (!names.add(name.text())) {
                errors.add(
                        name.place(),
                        key + ": " + name.shown()
                                + " names another server too (expected: another name for each server)");
            }
            Fields.of(key + "." + name.shown(), value, known, SECRETS, errors)
                    .flatMap(fields -> reader.read(name.text(), fields))
                    .ifPresent(servers::add);
        });
        return servers;
    }

    private Optional<Oidc> oidc(String name, Fields fields) {
        Optional<URI> issuer = required(fields, "issuer", "a URL such as https://login.example")
                .flatMap(text -> url(fields, "issuer", text, "https", "http", false));
        Optional<String> client = required(fields, "client_id", "the name of this client at the server");
        Optional<Path> secret = required(fields, "client_secret_file", "a file that holds only the client's secret")
                .map(beside);
        Optional<String> tenantClaim = fields.text("tenant_claim");
        List<GroupRole> roles = roles(fields, tenantClaim.isPresent());
        List<String> scopes = words(fields, "scopes", List.of("openid", "email", "profile"));
        if (!scopes.contains("openid")) {
            fields.error("scopes", "scopes: without openid (expected: at least openid, such as [openid, email])");
        }
        if (issuer.isEmpty() || client.isEmpty() || secret.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Oidc(
                name,
                fields.text("title").orElse(name),
                issuer.get(),
                client.get(),
                secret.get(),
                scopes,
                words(fields, "hosts", List.of()),
                fields.text("ca").map(beside),
                fields.text("user_claim").orElse("preferred_username"),
                fields.text("roles_claim").orElse("groups"),
                tenantClaim,
                roles));
    }

    private Optional<Ldap> ldap(String name, Fields fields) {
        boolean startTls = fields.flag("start_tls").orElse(false);
        Optional<URI> url = required(fields, "url", "a URL such as ldaps://ldap.example")
                .flatMap(text -> url(fields, "url", text, "ldaps", "ldap", startTls));
        Optional<String> users = required(fields, "user_base", "where people are, such as ou=people,dc=example");
        Optional<String> groups = required(fields, "group_base", "where groups are, such as ou=groups,dc=example");
        if (fields.has("bind_dn") != fields.has("bind_password_file")) {
            fields.error(
                    "bind_dn",
                    "bind_dn: without its counterpart (expected: bind_dn and bind_password_file, or none"
                            + " of them)");
        }
        Optional<String> userFilter = filter(fields, "user_filter", "(uid={0})");
        Optional<String> groupFilter = filter(fields, "group_filter", "(member={0})");
        List<GroupRole> roles = roles(fields, false);
        if (url.isEmpty() || users.isEmpty() || groups.isEmpty() || userFilter.isEmpty() || groupFilter.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Ldap(
                name,
                url.get(),
                startTls,
                fields.text("ca").map(beside),
                fields.text("bind_dn"),
                fields.text("bind_password_file").map(beside),
                users.get(),
                userFilter.get(),
                fields.text("email_attribute").orElse("mail"),
                fields.text("id_attribute").orElse("entryUUID"),
                groups.get(),
                groupFilter.get(),
                fields.text("group_attribute").orElse("cn"),
                fields.flag("nested_groups").orElse(false),
                roles));
    }

    /** The connection to a server on another machine must be protected against reading and changes on the network. */
    private Optional<URI> url(
            Fields fields, String key, String text, String secure, String plain, boolean isEncryptedLater) {
        String expected = secure + "://… without user, query or fragment; " + plain + "://… only on this machine"
                + (secure.equals("ldaps") ? ", or with start_tls: true" : "");
        try {
            URI url = new URI(text);
            boolean isPath =
                    secure.equals("https") || String.valueOf(url.getRawPath()).isEmpty();
            if (url.getHost() != null
                    && url.getRawUserInfo() == null
                    && url.getRawQuery() == null
                    && url.getRawFragment() == null
                    && isPath
                    && (secure.equals(url.getScheme())
                            || (plain.equals(url.getScheme())
                                    && (isEncryptedLater
                                            || LOOPBACK.matcher(url.getHost()).matches())))) {
                return Optional.of(url);
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        String shown = text.contains("@") ? "not usable" : PrintableText.text(text);
        fields.error(key, key + ": " + shown + " (expected: " + expected + ")");
        return Optional.empty();
    }

    private static Optional<String> filter(Fields fields, String key, String usual) {
        String filter = fields.text(key).orElse(usual);
        if (filter.startsWith("(") && filter.endsWith(")") && (filter.contains("{0}") || filter.contains("{1}"))) {
            return Optional.of(filter);
        }
        fields.error(key, key + ": " + PrintableText.text(filter) + " (expected: a filter such as \"" + usual + "\")");
        return Optional.empty();
    }

    private List<GroupRole> roles(Fields fields, boolean hasTenantClaim) {
        if (!fields.has("roles")) {
            fields.error("roles", "roles: missing (expected: groups and their roles, such as {sre: operator})");
        }
        List<GroupRole> roles = new ArrayList<>();
        fields.entries("roles").orElse(Map.of()).forEach((group, value) -> role(group, value, hasTenantClaim)
                .ifPresent(roles::add));
        return roles;
    }

    private Optional<GroupRole> role(YamlScalar group, YamlValue value, boolean hasTenantClaim) {
        Optional<String> role;
        Optional<String> tenant = Optional.empty();
        Map<String, String> labels = new TreeMap<>();
        if (value instanceof YamlScalar word) {
            role = Optional.of(word.text());
        } else {
            Optional<Fields> fields =
                    Fields.of("roles." + group.shown(), value, List.of("role", "tenant", "labels"), errors);
            if (fields.isEmpty()) {
                return Optional.empty();
            }
            role = required(fields.get(), "role", Fields.anyOf(ROLES));
            tenant = fields.get().text("tenant");
            fields.get().entries("labels").orElse(Map.of()).forEach((label, each) -> {
                if (each instanceof YamlScalar text && !text.isNull()) {
                    labels.put(label.text(), text.text());
                } else {
                    errors.add(each.place(), "labels: " + each.shown() + " (expected: a text)");
                }
            });
        }
        if (role.isEmpty()) {
            return Optional.empty();
        }
        GroupRole read = new GroupRole(group.text(), role.get(), tenant, labels);
        Optional<String> wrong = wrong(read, hasTenantClaim);
        wrong.ifPresent(message -> errors.add(value.place(), message));
        return wrong.isPresent() ? Optional.empty() : Optional.of(read);
    }

    private static Optional<String> wrong(GroupRole read, boolean hasTenantClaim) {
        String role = read.role();
        if (!ROLES.contains(role)) {
            return Optional.of("role: " + PrintableText.text(role) + " (expected: " + Fields.anyOf(ROLES) + ")");
        }
        if (role.equals("administrator")
                && (read.tenant().isPresent() || !read.labels().isEmpty())) {
            return Optional.of(
                    "role: administrator of some rules (expected: no tenant and no labels, or another role)");
        }
        if (role.equals("tenant_administrator")
                && read.tenant().map("*"::equals).orElse(!hasTenantClaim)) {
            return Optional.of("role: tenant_administrator without a tenant (expected: {role: tenant_administrator,"
                    + " tenant: NAME})");
        }
        return Optional.empty();
    }

    private static Optional<String> required(Fields fields, String key, String expected) {
        if (!fields.has(key)) {
            fields.error(key, key + ": missing (expected: " + expected + ")");
        }
        return fields.text(key);
    }

    private static List<String> words(Fields fields, String key, List<String> otherwise) {
        return fields.words(key)
                .map(words -> words.stream().map(YamlScalar::text).toList())
                .orElse(otherwise);
    }
}
