package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.center.signin.settings.TlsFiles;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.testkit.process.SelfSigned;
import io.sluice.testkit.redis.RedisServer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ./sluice center} as far as it ends by itself, and its subcommands. {@link ProcessTest} tests the one that runs. */
@Timeout(300)
class CenterCommandTest {

    @TempDir
    Path folder;

    @Test
    void helpListsFlagsAndSubcommands() {
        assertThat(CommandRun.of("center", "--help").good().out())
                .contains("--center-port", "--center-bind", "--db", "--data", "--redis", "--admin-token-file")
                .contains("--public-url", "--config", "export", "import", "backup", "restore", "rebuild")
                .contains("check-sign-in", "reset-admin", "token", "rotate-audit-key");
    }

    @ParameterizedTest
    @CsvSource({
        "--center-port=65536",
        "--center-port=x",
        "--center-bind=",
        "--db=postgres://secret@x",
        "--db=jdbc:h2:mem?password=secret",
        "--public-url=ftp://x",
        "--public-url=https://x/path",
        "--public-url=https://secret@x",
        "--redis=http://:secret@x",
        "--frobnicate"
    })
    void badUsageIs2AndShowsNoSecret(String flag) {
        CommandRun run = CommandRun.of("center", "--data", folder, flag);

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .startsWith("sluice: ")
                .contains("sluice: see ./sluice center --help")
                .doesNotContain("secret", "Exception", "\tat ");
    }

    @Test
    void flagsStandAfterTheSubcommand() {
        CommandRun run = CommandRun.of("center", "--data", folder, "backup");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).startsWith("sluice: --data: before backup (expected: ./sluice center backup … --data …)");
    }

    @Test
    void aPortInUseFailsTheStartWithOneLine() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CommandRun run = CommandRun.of("center", "--data", folder, "--center-port", taken.getLocalPort());

            assertThat(run.code()).isEqualTo(1);
            assertThat(run.err())
                    .isEqualTo("sluice: center port " + taken.getLocalPort()
                            + " on 127.0.0.1: in use (expected: a free port; choose another with --center-port,"
                            + " 0 takes any)" + System.lineSeparator());
        }
    }

    @Test
    void aDataDirectoryInUseFailsTheStartWithOneLine() throws Exception {
        try (Center running = Center.open(CenterSettings.embedded(folder))) {
            CommandRun run = CommandRun.of("center", "--data", folder, "--center-port", 0);

            assertThat(running.adminTokenFile()).exists();
            assertThat(run.code()).isEqualTo(1);
            assertThat(run.err())
                    .startsWith("sluice: data: " + folder + " is used by another center")
                    .hasLineCount(1);
        }
    }

    @Test
    void aDatabaseThatIsAwayFailsTheStartWithoutItsPassword() {
        CommandRun run = CommandRun.of(
                "center", "--data", folder, "--center-port", 0, "--db", "jdbc:mariadb://127.0.0.1:1/x?password=secret");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: database jdbc:mariadb://127.0.0.1:1/x: ")
                .doesNotContain("secret")
                .hasLineCount(1);
    }

    @Test
    void aShortTokenFailsTheStart() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "short\n");

        CommandRun run = CommandRun.of("center", "--data", folder, "--center-port", 0, "--admin-token-file", token);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).startsWith("sluice: admin-token-file: " + token).hasLineCount(1);
    }

    @Test
    void theConfigNamesTheSettingsOfACenter() throws Exception {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "center: { port: 0, bind: 127.0.0.1, db: 'jdbc:mariadb://127.0.0.1:1/y', admin_token_file: t }\n");

        CommandRun run = CommandRun.of("center", "--data", folder, "--config", config);

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err()).startsWith("sluice: admin-token-file: " + folder.resolve("t"));
        Files.writeString(folder.resolve("t"), "0123456789abcdef0123456789abcdef");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .startsWith("sluice: database jdbc:mariadb://127.0.0.1:1/y: ");
        Files.writeString(config, "center: { port: 65536 }\n");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .startsWith(config + ":1:17: ");
    }

    @Test
    void anExportOfARunningCenterCanBeImportedElsewhere() throws Exception {
        Path file = folder.resolve("all.gz");
        Path first = folder.resolve("first");
        String before;
        try (Center center = Center.open(CenterSettings.embedded(first).firstRules(rules(3)))) {
            assertThat(CommandRun.of("center", "export", file, "--data", first)
                            .good()
                            .out())
                    .isEqualTo("exported to " + file + "\n");
            before = read(center, "/api/versions/1");
        }
        assertThat(Files.getPosixFilePermissions(file))
                .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

        Path second = folder.resolve("second");
        assertThat(CommandRun.of("center", "import", file, "--data", second)
                        .good()
                        .out())
                .isEqualTo("imported " + file + ": version 1 with 3 rules\n");

        try (Center center = Center.open(CenterSettings.embedded(second))) {
            assertThat(read(center, "/api/versions/1")).isEqualTo(before);
        }
    }

    @Test
    void aBackupIsRestoredIntoAnEmptyDirectoryOnly() throws Exception {
        Path data = folder.resolve("data");
        try (Center center = Center.open(CenterSettings.embedded(data).firstRules(rules(2)))) {
            assertThat(center.adminTokenFile()).exists();
        }
        String saved = CommandRun.of("center", "backup", "--data", data).good().out();
        assertThat(saved).startsWith("saved to " + data.resolve("backups"));
        Path backup = Path.of(saved.strip().substring("saved to ".length()));

        CommandRun full = CommandRun.of("center", "restore", backup, "--data", data);
        assertThat(full.code()).isEqualTo(1);
        assertThat(full.err())
                .contains("the database has data (expected: an empty one, such as a new --data directory)")
                .hasLineCount(1);
        assertThat(CommandRun.of("center", "restore", backup, "--data", folder.resolve("new"))
                        .good()
                        .out())
                .isEqualTo("restored " + backup + ": version 1 with 2 rules\n");
    }

    @Test
    void aFileThatIsNoBackupChangesNothing() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong"), "rules: []");

        CommandRun run = CommandRun.of("center", "restore", wrong, "--data", folder.resolve("new"));
        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: " + wrong + ": ")
                .contains("(expected: a file that export or backup wrote)")
                .hasLineCount(1);
        CommandRun nothing = CommandRun.of("center", "export", folder.resolve("out"), "--data", folder.resolve("no"));
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err()).contains("has no center's database");
    }

    @Test
    void rebuildTakesOverTheRulesInForceInRedisWithTheirVersion() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            CommandRun empty = CommandRun.of("center", "rebuild", "--redis", redis.uri(), "--data", folder);
            assertThat(empty.code()).isEqualTo(1);
            assertThat(empty.err())
                    .startsWith("sluice: redis: nothing was released to it")
                    .hasLineCount(1);
            try (RedisRulePublisher publisher = RedisRulePublisher.connect(redis.uri())) {
                publisher.release(41, rules(4));
            }

            CommandRun rebuilt = CommandRun.of("center", "rebuild", "--redis", redis.uri(), "--data", folder);

            assertThat(rebuilt.good().out()).isEqualTo("rebuilt from Redis: version 41 with 4 rules\n");
            CommandRun again = CommandRun.of("center", "rebuild", "--redis", redis.uri(), "--data", folder);
            assertThat(again.code()).isEqualTo(1);
            assertThat(again.err())
                    .contains("this center already has version 41")
                    .hasLineCount(1);
        }
        assertThat(CommandRun.of("center", "rebuild", "--data", folder).err())
                .startsWith("sluice: redis: none (expected: --redis URI");
    }

    @ParameterizedTest
    @ValueSource(strings = {"center", "start"})
    void beyondLoopbackWithoutTlsTheStartIsRefusedWithOneLine(String role) {
        CommandRun run = CommandRun.of(
                role, "--data", folder, "--center-bind", "0.0.0.0", "--center-port", 0, "--public-url", "https://a.b");

        assertThat(run.code()).isEqualTo(1);
        assertThat(run.err())
                .startsWith("sluice: center-bind: 0.0.0.0 without TLS, ")
                .contains("center.tls", "center.trusted_proxies", "--public-url https://")
                .hasLineCount(1);
    }

    @Test
    void theConfigNamesTheCertificateAndTheProxies() throws Exception {
        Path config = folder.resolve("sluice.yaml");
        Files.writeString(config, "center: { port: 0, tls: { cert: a.crt, key: a.key } }\n");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .startsWith("sluice: center.tls.cert: " + folder.resolve("a.crt") + " is missing")
                .hasLineCount(1);
        Files.writeString(config, "center: { port: 0, trusted_proxies: [10.0.0.0/8, nowhere] }\n");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .startsWith("sluice: trusted_proxies: network: nowhere ")
                .hasLineCount(1);
        Files.writeString(config, "center: { port: 0, tls: { cert: a.crt } }\n");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .contains("key: missing (expected: a file in PEM)");
        Files.writeString(config, "center: { public_url: 'http://sluice.example', port: 0 }\n");
        assertThat(CommandRun.of("center", "--data", folder, "--config", config).err())
                .startsWith("sluice: public-url: http://sluice.example (expected: https, ")
                .hasLineCount(1);
    }

    @Test
    void resetAdminPrintsALinkOnceAndTheLogHasNoSecret() throws Exception {
        try (Center center = Center.open(CenterSettings.embedded(folder))) {
            String out = CommandRun.of("center", "reset-admin", "--data", folder, "--public-url", "https://a.example")
                    .good()
                    .out();
            assertThat(out)
                    .startsWith("first administrator: open this link within an hour; it works once")
                    .containsPattern("https://a\\.example/set-up#[A-Za-z0-9_-]{43}")
                    .hasLineCount(2);
            assertThat(CommandRun.of("center", "reset-admin", "--data", folder, "--user", "ann")
                            .good()
                            .out())
                    .startsWith("new administrator ann: open this link")
                    .contains("\nhttp://localhost:8083/set-up#");
            assertThat(CommandRun.of("center", "reset-admin", "--data", folder)
                            .good()
                            .out())
                    .startsWith("administrator ann: ");

            assertThat(read(center, "/api/commands"))
                    .contains("\"reset_admin\"", "\"cli:")
                    .doesNotContain(out.substring(out.indexOf('#') + 1).strip());
        }
        CommandRun wrong = CommandRun.of("center", "reset-admin", "--data", folder, "--user", "no name");
        assertThat(wrong.code()).isEqualTo(1);
        assertThat(wrong.err()).startsWith("sluice: name: not usable").hasLineCount(1);
        assertThat(CommandRun.of("center", "reset-admin", "--data", folder.resolve("no"))
                        .err())
                .contains("has no center's database");
    }

    @Test
    void aSignInIsTriedBesideARunningCenter() throws Exception {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), """
                center:
                  ldap:
                    directory:
                      url: ldap://127.0.0.1:1
                      user_base: ou=people,dc=example
                      group_base: ou=groups,dc=example
                      roles: {sre: operator}
                """);
        try (Center center = Center.open(CenterSettings.embedded(folder))) {
            assertThat(center.adminTokenFile()).exists();
            CommandRun none = CommandRun.of("center", "check-sign-in", "ann", "--data", folder)
                    .good();
            assertThat(none.out())
                    .isEqualTo(
                            "account: none of that name here; the first sign-in makes one\nno identity server is configured"
                                    + " (expected: center.oidc or center.ldap, and --config)\n");
            assertThat(CommandRun.of("center", "check-sign-in", "ann", "--data", folder, "--config", config)
                            .good()
                            .out())
                    .contains("\ndirectory: the server cannot be used: ConnectException");
        }
    }

    @Test
    void theKeyOfTheAuditLogIsReplacedBesideARunningCenter() throws Exception {
        CommandRun early = CommandRun.of("center", "rotate-audit-key", "--data", folder);
        assertThat(early.code()).isEqualTo(1);
        assertThat(early.err()).contains("has no center's database");
        try (Center center = Center.open(CenterSettings.embedded(folder))) {
            String before = Files.readString(folder.resolve("audit-key.pub"));
            String out = CommandRun.of("center", "rotate-audit-key", "--data", folder)
                    .good()
                    .out();
            String after = Files.readString(folder.resolve("audit-key.pub"));
            assertThat(after).isNotEqualTo(before);
            assertThat(out)
                    .containsPattern("^key [0-9a-f]{16} signs the audit log now")
                    .contains(after.strip());
            assertThat(read(center, "/api/commands")).contains("\"rotate_audit_key\"", "\"cli:");
            CommandRun lost = CommandRun.of("center", "rotate-audit-key", "--data", folder, "--lost");
            assertThat(lost.code()).isEqualTo(1);
            assertThat(lost.err()).contains("lost: the key is there").hasLineCount(1);
        }
    }

    @Test
    void aTokenOfTheMachineIsForNodesOnly() throws Exception {
        Path file = folder.resolve("node-token");
        try (Center center = Center.open(CenterSettings.embedded(folder))) {
            String printed = CommandRun.of("center", "token", "--scope", "node", "--data", folder)
                    .good()
                    .out()
                    .strip();
            assertThat(CommandRun.of("center", "token", "--scope=node", "--in=1d", "--out", file, "--data", folder)
                            .good()
                            .out())
                    .isEqualTo("token written to " + file + "\n");
            String written = Files.readString(file).strip();
            assertThat(Files.getPosixFilePermissions(file))
                    .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

            for (String token : List.of(printed, written)) {
                assertThat(token).matches("slc_[A-Za-z0-9_-]{43}");
                assertThat(status(center, token, "/api/rules")).isEqualTo(403);
                assertThat(status(center, token + "x", "/api/rules")).isEqualTo(401);
                assertThat(read(center, "/api/commands"))
                        .contains("\"create_token\"")
                        .doesNotContain(token.substring(4));
            }
        }
        for (String wrong : List.of("--scope=apply", "--name=")) {
            CommandRun run = CommandRun.of("center", "token", "--scope=node", wrong, "--data", folder);
            assertThat(run.code()).as(wrong).isEqualTo(2);
        }
        assertThat(CommandRun.of("center", "token", "--data", folder).code()).isEqualTo(2);
        for (String wrong : List.of("--in=367d", "--in=x", "--out=" + folder.resolve("no/where"))) {
            CommandRun run = CommandRun.of("center", "token", "--scope=node", wrong, "--data", folder);
            assertThat(run.code()).as(wrong).isEqualTo(1);
            assertThat(run.err()).hasLineCount(1).doesNotContain("Exception");
        }
    }

    @Test
    void aPrivateCertificateIsTrustedByItsFile() throws Exception {
        SelfSigned maker = new SelfSigned(folder);
        maker.make("center");
        maker.make("other");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: [{ id: a, limits: [{ rate: 5 }] }]\n");
        try (Center center = Center.open(CenterSettings.embedded(folder.resolve("data"))
                .signIn(SignInSettings.LOCAL.withTls(
                        new TlsFiles(maker.certificate("center"), maker.key("center")))))) {
            List<Object> diff =
                    List.of("diff", rules, "--center", center.address(), "--token-file", center.adminTokenFile());
            assertThat(run(diff).err())
                    .contains("its certificate is not accepted")
                    .contains("--center-ca");
            assertThat(run(diff, "--center-ca", maker.certificate("other")).err())
                    .contains("its certificate is not accepted");
            assertThat(run(diff, "--center-ca", folder.resolve("none")).err())
                    .startsWith("sluice: center-ca: " + folder.resolve("none"));
            CommandRun good = run(diff, "--center-ca", maker.certificate("center"));
            assertThat(good.out() + good.err()).contains("a").doesNotContain("certificate", "refuses");
            assertThat(good.code()).isIn(0, 1);
        }
    }

    private static CommandRun run(List<Object> first, Object... more) {
        List<Object> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return CommandRun.of(all.toArray());
    }

    private static int status(Center center, String token, String path) throws Exception {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create(center.address() + path))
                                .header("Authorization", "Bearer " + token)
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    private static List<Rule> rules(int count) {
        StringBuilder document = new StringBuilder("rules:\n");
        for (int i = 0; i < count; i++) {
            document.append("  - { id: r").append(i).append(", limits: [{ rate: 5 }] }\n");
        }
        return ((RuleDocument.Accepted) RuleDocument.parse("test", document.toString())).rules();
    }

    private static String read(Center center, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(center.address() + path))
                .header(
                        "Authorization",
                        "Bearer " + Files.readString(center.adminTokenFile()).strip())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
