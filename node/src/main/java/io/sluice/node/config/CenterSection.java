package io.sluice.node.config;

import io.sluice.node.gateway.config.TlsSettings;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The settings for a center in the section {@code center}. Its other keys are for nodes. Immutable.
 *
 * @param trustedProxies the networks of trusted proxies
 * @param sinks the destinations of the audit log
 * @param alerts the destinations of alerts
 */
public record CenterSection(
        Optional<Integer> port,
        Optional<String> bind,
        Optional<String> db,
        Optional<Path> adminTokenFile,
        Optional<String> publicUrl,
        Optional<TlsSettings> tls,
        List<String> trustedProxies,
        CenterIdentity identity,
        List<CenterSink> sinks,
        CenterRetention retention,
        CenterAlerts alerts) {

    static final List<String> KEYS = List.of(
            "url",
            "token_file",
            "ca",
            "port",
            "bind",
            "db",
            "admin_token_file",
            "public_url",
            "tls",
            "trusted_proxies",
            "oidc",
            "ldap",
            "check_people_every",
            "audit",
            "retention",
            "alerts");

    static final CenterSection NONE = new CenterSection(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            CenterIdentity.NONE,
            List.of(),
            CenterRetention.NONE,
            CenterAlerts.NONE);

    private static final int HIGHEST_PORT = 65_535;

    public CenterSection {
        trustedProxies = List.copyOf(trustedProxies);
        sinks = List.copyOf(sinks);
    }

    /** Returns the file with the certificate chain. */
    public Optional<Path> certificate() {
        return tls.map(TlsSettings::certificate);
    }

    /** Returns the file with the private key. */
    public Optional<Path> key() {
        return tls.map(TlsSettings::key);
    }

    static CenterSection of(Fields fields, Function<String, Path> beside, Errors errors) {
        return new CenterSection(
                fields.whole("port", 0, HIGHEST_PORT).map(Long::intValue),
                fields.text("bind"),
                fields.text("db"),
                fields.text("admin_token_file").map(beside),
                fields.text("public_url"),
                fields.fields("tls", List.of("cert", "key")).flatMap(tls -> TlsFields.read(tls, beside)),
                fields.words("trusted_proxies").orElse(List.of()).stream()
                        .map(YamlScalar::text)
                        .toList(),
                IdentityFields.read(fields, beside, errors),
                SinkFields.read(fields, beside, errors),
                CenterRetention.of(fields),
                CenterAlerts.of(fields, beside, errors));
    }
}
