package io.sluice.cli;

import io.sluice.center.CenterSettings;
import io.sluice.center.personal.RetentionSettings;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.center.signin.settings.TlsFiles;
import io.sluice.cli.alert.AlertPlaces;
import io.sluice.cli.apply.DataFolder;
import io.sluice.cli.audit.AuditPlaces;
import io.sluice.node.config.CenterRetention;
import io.sluice.node.config.CenterSection;
import io.sluice.node.config.ConfigFile;
import io.sluice.node.config.NodeConfig;
import io.sluice.redis.RedisUri;
import io.sluice.rules.yaml.PrintableText;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The flags of a center. */
final class CenterOptions {

    private static final int DEFAULT_PORT = 8083;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--center-port",
            paramLabel = "PORT",
            description = "port of the center (default: 8083; 0: any free port)")
    private @Nullable Integer port;

    @Option(
            names = "--center-bind",
            paramLabel = "ADDRESS",
            description =
                    "address of the center; other addresses than loopback need center.tls, or a proxy with TLS (default: 127.0.0.1)")
    private @Nullable String bind;

    @Option(
            names = "--db",
            paramLabel = "JDBC-URL",
            description = "the center's database: jdbc:mariadb://…, jdbc:mysql://… or jdbc:sqlite:FILE (default: SQLite"
                    + " in the directory of --data)")
    private @Nullable String db;

    @Option(
            names = "--admin-token-file",
            paramLabel = "FILE",
            description = "file with a token of at least 32 characters that has an administrator's rights (default: a"
                    + " random one, written to admin-token in the directory of --data)")
    private @Nullable Path adminTokenFile;

    @Option(
            names = "--public-url",
            paramLabel = "URL",
            description = "the center's address for people, such as https://sluice.example (default: localhost with the"
                    + " center's port); it decides cookies, passkeys and allowed origins")
    private @Nullable String publicUrl;

    /**
     * Returns the settings, without initial rules.
     *
     * @throws ParameterException if a value is invalid
     */
    CenterSettings settings(CommonOptions common, ConfigFile config) {
        CenterSection file = config.centerRole();
        CommonOptions.file(spec, "--admin-token-file", adminTokenFile, "a file with a token of at least 32 characters");
        CommonOptions.port(spec, "--center-port", port);
        CommonOptions.address(spec, "--center-bind", bind);
        CenterSettings settings = CenterSettings.embedded(DataFolder.or(common.data))
                .listening(
                        Optional.ofNullable(bind).or(file::bind).orElse(NodeConfig.LOOPBACK),
                        Optional.ofNullable(port).or(file::port).orElse(DEFAULT_PORT))
                .signIn(signIn(file, config))
                .retention(retention(file.retention()))
                .db(Optional.ofNullable(db).or(file::db).map(this::database).orElse(""));
        Optional<String> redis = Optional.ofNullable(common.redis).or(config::redisUri);
        Optional<Path> token = Optional.ofNullable(adminTokenFile).or(file::adminTokenFile);
        settings = settings.signIn(IdentityServers.add(settings.signIn(), file.identity()));
        settings = settings.sinks(AuditPlaces.of(file.sinks()));
        settings = settings.alerts(AlertPlaces.of(file.alerts()));
        settings = redis.isPresent() ? settings.redis(redis(redis.get())) : settings;
        return token.isPresent() ? settings.adminTokenFile(token.get()) : settings;
    }

    private static RetentionSettings retention(CenterRetention file) {
        return new RetentionSettings(file.times(), file.backups().orElse(RetentionSettings.DEFAULT_BACKUPS));
    }

    private SignInSettings signIn(CenterSection file, ConfigFile config) {
        SignInSettings settings = SignInSettings.LOCAL.withTrustedProxies(file.trustedProxies());
        Optional<URI> url = publicUrl(config);
        settings = url.isPresent() ? settings.withPublicUrl(url.get()) : settings;
        Optional<TlsFiles> tls = file.certificate().flatMap(cert -> file.key().map(key -> new TlsFiles(cert, key)));
        return tls.isPresent() ? settings.withTls(tls.get()) : settings;
    }

    private Optional<URI> publicUrl(ConfigFile config) {
        return Optional.ofNullable(publicUrl).or(config.centerRole()::publicUrl).map(this::url);
    }

    private String database(String url) {
        if (url.matches("jdbc:(sqlite:|mariadb://|mysql://).+")) {
            return url;
        }
        throw new ParameterException(
                spec.commandLine(),
                "--db: " + url.replaceFirst("^((jdbc:)?[a-z0-9]+:)?.*$", "$1***") + " (expected:"
                        + " jdbc:mariadb://host/database?user=…&password=…, jdbc:mysql://… or jdbc:sqlite:FILE)");
    }

    private String redis(String uri) {
        try {
            return RedisUri.checked(uri);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
    }

    private URI url(String text) {
        String shown = text.contains("@") ? "unreadable" : PrintableText.text(text);
        try {
            URI url = new URI(text.replaceAll("/+$", ""));
            if (text.matches("https?://[^\\s?#@/]+/*") && url.getHost() != null) {
                return url;
            }
        } catch (URISyntaxException e) {
            // The exception below reports it.
        }
        throw new ParameterException(
                spec.commandLine(),
                "--public-url: " + shown
                        + " (expected: scheme and host without a path, such as https://sluice.example)");
    }
}
