package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests commands that end by themselves; {@link ProcessTest} tests those that keep running. */
@Timeout(300)
class MainTest {

    private static final String LOGIN = """
        rules:
          - id: login
            resource: /api/login
            limits: [{ by: ip, algorithm: sliding_log, limit: 5, window: 1m }]
        """;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path folder;

    @Test
    void helpListsEveryVerb() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString())
                .contains("start", "node", "center", "lint", "explain", "diff", "apply", "import", "bench");
    }

    @Test
    void helpOfANodeListsEveryFlag() {
        assertThat(run("node", "--help")).isZero();
        assertThat(out.toString())
                .contains("--config", "--rules", "--redis", "--data", "--gateway-port", "--grpc-port", "--center")
                .contains("--api-port", "--center-token-file", "--gateway-bind", "--api-bind", "--grpc-bind", "--bind")
                .contains("--api-token-file", "--insecure-api");
    }

    @Test
    void noVerbIsBadUsage() {
        assertThat(run()).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice: verb: missing").contains("Verbs:");
    }

    @ParameterizedTest
    @CsvSource({
        "frobnicate, ''",
        "node, --frobnicate",
        "node, extra",
        "node, --api-port",
        "node, --api-port=x",
        "node, --api-port=65536",
        "node, --grpc-port=-1",
        "node, --gateway-port=65536",
        "node, --api-bind=",
        "node, --gateway-bind=",
        "node, --insecure-api=perhaps",
        "node, --default-limit=plenty",
        "node, --default-limit=-1/s",
        "node, --default-limit=1/fortnight",
        "node, --log-level=loud",
        "node, --log-format=xml",
        "start, --center-port=65536",
        "start, --db=postgres",
        "diff, ''",
        "apply, ''",
        "lint, ''",
        "explain, ''",
        "explain, --attr=ip=192.0.2.1"
    })
    void badUsageIs2WithOneLine(String verb, String argument) {
        assertThat(argument.isEmpty() ? run(verb) : run(verb, argument)).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice: ").doesNotContain("\tat ", "Exception");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench"})
    void verbsThatAreNotBuiltYetSaySo(String verb) {
        assertThat(run(verb, "--rules", "x.yaml", "whatever")).isEqualTo(2);
        assertThat(err.toString()).isEqualTo("sluice: " + verb + " is not built yet" + System.lineSeparator());
    }

    @Test
    void lintLocatesEveryErrorOfEveryFile() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules:\n- id: a\n  limts: []\n");
        Path good = Files.writeString(folder.resolve("good.json"), "{\"rules\": []}");

        assertThat(run("lint", bad.toString(), good.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .containsExactly(
                        bad + ":2:3: limits: none (expected: at least one limit)",
                        bad + ":3:3: unknown key: limts (expected: a known key; did you mean limits?)",
                        good + ": no errors, 0 rules");
    }

    @Test
    void lintOfWhatCannotBeReadIsBadUsageWithOneLine() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules: 1");
        Path missing = folder.resolve("missing.yaml");
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Path binary = Files.write(folder.resolve("binary.yaml"), new byte[] {(byte) 0xff});

        assertThat(run("lint", missing.toString())).isEqualTo(2);
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .isEqualTo(
                        "sluice: " + missing + ": file: missing (expected: a rule document)" + System.lineSeparator());
        assertThat(run("lint", bad.toString(), empty.toString(), binary.toString()))
                .isEqualTo(2);
        assertThat(out.toString()).startsWith(bad + ":1:8: rules: 1 (expected: a list)");
        assertThat(err.toString())
                .contains(
                        "sluice: " + empty
                                + ": directory: no rule files (expected: at least one *.yaml, *.yml or *.json)",
                        "sluice: " + binary + ": encoding: not UTF-8 (expected: UTF-8)");
        assertThat(run("lint", "--json", missing.toString())).isEqualTo(2);
    }

    @Test
    void lintPrintsWarningsAndFailsForThemIfItIsStrict() throws IOException {
        Path file = Files.writeString(
                folder.resolve("doubts.yaml"),
                "rules: [{ id: a, methods: [FETCH], limits: [{ by: usr, rate: 1 }] }]\n");

        assertThat(run("lint", file.toString())).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        file + ":1:28: warning: methods: FETCH: not a registered method",
                        file + ":1:51: warning: by: usr: nobody sends this attribute; user, perhaps? Declare it under"
                                + " attributes: if it is yours",
                        file + ": no errors, 2 warnings, 1 rule");
        assertThat(run("lint", "--strict", file.toString())).isEqualTo(1);
        assertThat(run("lint", "--json", file.toString())).isZero();
        assertThat(out.toString()).contains("\"errors\":[],\"warnings\":[{\"file\":\"" + file + "\",\"line\":1");
        Files.writeString(file, "attributes: [usr]", java.nio.file.StandardOpenOption.APPEND);
        assertThat(run("lint", "--strict", file.toString())).isEqualTo(1);
    }

    @Test
    void lintReviewsTheRulesOfAllFilesAsOneSetAndWarnsAtTheRule() throws IOException {
        Path one = Files.writeString(folder.resolve("a.yaml"), """
                rules:
                  - { id: office, match: { ip: 10.0.0.0/8 }, action: exempt }
                """);
        Path two = Files.writeString(folder.resolve("b.yaml"), """
                rules:
                  - id: printer
                    match: { ip: 10.1.2.3 }
                    limits: [{ rate: 5/s }]
                """);

        assertThat(run("lint", two.toString())).isZero();
        assertThat(run("lint", folder.toString())).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        two + ": no errors, 1 rule",
                        two + ":2:9: warning: printer: never acts on requests, because office exempts all that it"
                                + " matches",
                        folder + ": no errors, 1 warning, 2 rules");
        assertThat(run("lint", "--strict", folder.toString())).isEqualTo(1);
        assertThat(run("lint", "--json", one.toString(), folder.toString())).isZero();
        assertThat(out.toString()).contains("\"warnings\":[{\"file\":\"" + two + "\",\"line\":2,\"column\":9");
    }

    @Test
    void lintOfGoodFilesIsZero() throws IOException {
        Path good = Files.writeString(folder.resolve("good.yaml"), "rules: [{ id: a, limits: [{ rate: 1 }] }]");

        assertThat(run("lint", good.toString())).isZero();
        assertThat(out.toString()).isEqualTo(good + ": no errors, 1 rule" + System.lineSeparator());
    }

    @Test
    void lintOfADirectoryChecksItsFilesAsOneSet() throws IOException {
        Path one = Files.writeString(folder.resolve("a.yaml"), "rules: [{ id: x, action: deny }]");
        Path two = Files.writeString(folder.resolve("b.yaml"), "rules: [{ id: x, action: deny }]");

        assertThat(run("lint", folder.toString())).isEqualTo(1);
        assertThat(out.toString().lines())
                .containsExactly(two + ":1:15: id: x (expected: another id; " + one + ", line 1 has this one)");
    }

    @Test
    void lintPrintsJson() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules:\n- id: a\n  limts: []\n");

        assertThat(run("lint", "--json", bad.toString())).isEqualTo(1);
        assertThat(out.toString())
                .startsWith("{\"rules\":0,\"errors\":[{\"file\":\"" + bad
                        + "\",\"line\":2,\"column\":3,\"message\":\"limits: none");
    }

    @Test
    void explainShowsMatchingRulesAndTheStateOfEachLimit() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), LOGIN);

        assertThat(run("explain", "--rules", rules.toString(), "--attr", "path=/api/login", "--attr", "ip=203.0.113.7"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "allowed by login.0: 4 would remain",
                        "matched: login",
                        "",
                        "  LIMIT    LEVEL   QUOTA                 KEY       LEFT",
                        "✓ login.0  caller  sliding_log 5 per 1m  ip=20***  5 of 5");
    }

    @Test
    void explainPrintsJson() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), LOGIN);

        assertThat(run("explain", "--json", "--rules", rules.toString(), "--attr", "path=/api/login"))
                .isZero();
        assertThat(out.toString())
                .startsWith("{\"allowed\":true,\"rule\":\"login\",\"limit\":{\"id\":\"login.0\"")
                .contains("\"limits\":[{\"id\":\"login.0\"", "\"would_allow\":true", "\"level\":\"caller\"");
    }

    @Test
    void explainExitsWith1ForARefusedRequestAndWith2ForABadOne() throws IOException {
        Path rules = Files.writeString(
                folder.resolve("rules.yaml"), LOGIN + "  - { id: banned, match: { ip: 203.0.113.9 }, action: deny }\n");

        assertThat(run("explain", "--rules", rules.toString(), "--attr", "ip=203.0.113.9"))
                .isEqualTo(1);
        assertThat(out.toString()).startsWith("refused by banned");
        assertThat(run("explain", "--rules", rules.toString(), "--attr", "path=/a/../b"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("path: /a/../b (expected: no .. segments)");
        assertThat(run("explain", "--rules", rules.toString(), "--permits", "6", "--attr", "path=/api/login"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--permits: 6 (expected: at most 5, the capacity of limit login.0)");
    }

    @Test
    void theSampleIsTheExampleAndHasNoErrors() throws IOException {
        Path example = Path.of("..", "examples", "rules", "sample.yaml");

        assertThat(run("lint", example.toString())).isZero();
        assertThat(Sample.text()).isEqualTo(Files.readString(example));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lint FILE",
                "explain --rules FILE",
                "replay --rules FILE LOG",
                "replay --rules RULES --against FILE LOG",
                "replay --rules RULES FILE",
                "diff FILE --token-file TOKEN",
                "apply FILE --token-file TOKEN",
                "import envoy FILE",
                "verify FILE",
                "audit verify --export FILE",
                "audit verify --export LOG --witness FILE",
                "audit verify --token-file FILE",
                "start --rules FILE",
                "node --config FILE",
                "node --api-token-file FILE",
                "node --center http://127.0.0.1:1 --center-token-file FILE",
                "node --center http://127.0.0.1:1 --center-token-file TOKEN --center-ca FILE",
                "center --config FILE",
                "center --admin-token-file FILE",
                "center import FILE",
                "center restore FILE"
            })
    void aMissingFileIsBadUsage(String command) throws IOException {
        String missing = folder.resolve("missing").toString();
        String rules = Files.writeString(folder.resolve("rules.yaml"), LOGIN).toString();
        String log = Files.writeString(folder.resolve("log"), "").toString();
        String token =
                Files.writeString(folder.resolve("token"), "x".repeat(40)).toString();

        assertThat(run(command.replace("FILE", missing)
                        .replace("RULES", rules)
                        .replace("LOG", log)
                        .replace("TOKEN", token)
                        .split(" ")))
                .as(err.toString())
                .isEqualTo(2);
        assertThat(err.toString()).contains(missing);
    }

    @Test
    void aValueThatIsNoPairIsNamed() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.yaml"), LOGIN);

        assertThat(run("explain", "--rules", rules.toString(), "--attr", "203.0.113.7"))
                .isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice: --attr: 203.0.113.7 (expected: NAME=VALUE)");
        assertThat(run("replay", "--rules", rules.toString(), "--field", "ip", "x"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("sluice: --field: ip (expected: ATTRIBUTE=FIELD)");
    }

    @Test
    void aMissingRuleFileFailsTheStart() {
        Path missing = folder.resolve("missing.yaml");

        assertThat(run("node", "--api-port", "0", "--rules", missing.toString()))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        missing + ": file: missing (expected: a rule document)",
                        "sluice: rules: 1 error (expected: none; correct it and start again)");
    }

    @Test
    void badRulesFailTheStartWithLocatedErrors() throws IOException {
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "rules:\n- id: a\n- id: b\n");

        assertThat(run("start", "--api-port", "0", "--rules", bad.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        bad + ":2:3: limits: none (expected: at least one limit)",
                        bad + ":3:3: limits: none (expected: at least one limit)",
                        "sluice: rules: 2 errors (expected: none; correct them and start again)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://:secret@x",
                "secret",
                "",
                "redis://",
                "redis://:secret@x:99999",
                "redis://:secret@x:port",
                "redis://x/secret",
                "redis-sentinel://:secret@x:26379",
                "redis-cluster://:secret@x,,y",
                "redis://a:se/cret@x"
            })
    void aBadRedisUriIsBadUsageAndItsSecretsAreNotShown(String uri) {
        assertThat(run("start", "--api-port", "0", "--grpc-port", "0", "--redis", uri))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("sluice: redis: \"")
                .contains("(expected: redis://", "sluice: see ./sluice start --help")
                .doesNotContain("secret@", ":secret", "cret@")
                .hasLineCount(2);
    }

    @Test
    void aBadRedisUriInTheEnvironmentIsBadUsage() {
        Surroundings environment = new Surroundings(Map.of("SLUICE_REDIS", "junk"), new Properties());

        assertThat(run(environment, "node", "--api-port", "0")).isEqualTo(2);
        assertThat(err.toString()).startsWith("sluice: redis: \"***\" (expected: redis://");
    }

    @Test
    void aBadRedisUriInTheConfigIsLocated() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "redis: { uri: 'http://:secret@x?secret' }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString())
                .startsWith(config + ":1:15: redis: \"http://***@x?***\" (expected: redis://")
                .doesNotContain("secret")
                .hasLineCount(2);
    }

    @Test
    void aBadDefaultLimitInTheConfigIsLocated() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "rules: { default_limit: plenty }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString()).startsWith(config + ":1:25: default limit: plenty (expected: a rate such as 50/s");
    }

    @ParameterizedTest
    @ValueSource(strings = {"file", "file/below"})
    void aDataDirectoryThatIsAFileIsBadUsage(String data) throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        assertThat(run(
                        "start",
                        "--api-port",
                        "0",
                        "--data",
                        folder.resolve(data).toString()))
                .isEqualTo(2);
        assertThat(err.toString())
                .startsWith("sluice: data: " + file + " is not a directory (expected: ")
                .hasLineCount(2);
    }

    @Test
    void aPortInUseFailsTheStart() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThat(run(
                            "start",
                            "--grpc-port",
                            "0",
                            "--gateway-port",
                            "0",
                            "--api-port",
                            Integer.toString(taken.getLocalPort())))
                    .isEqualTo(1);
            assertThat(err.toString())
                    .isEqualTo("sluice: api port " + taken.getLocalPort()
                            + " on 127.0.0.1: in use (expected: a free port; choose another with --api-port,"
                            + " 0 takes any)" + System.lineSeparator());
        }
    }

    @Test
    void aGatewayPortInUseFailsTheStart() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());

            assertThat(run("start", "--grpc-port", "0", "--api-port", "0", "--gateway-port", port))
                    .isEqualTo(1);
            assertThat(err.toString())
                    .isEqualTo("sluice: gateway port " + port + " on 127.0.0.1: in use (expected: a free port; choose"
                            + " another with --gateway-port, 0 takes any)" + System.lineSeparator());
        }
    }

    @Test
    void theConfigOfTheGatewayIsChecked() throws IOException {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"),
                "routes:\n  - { path: /a, upstreams: nowhere }\n  - { upstreams: 'http://a', auth: required }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        config + ":2:28: upstreams: nowhere (expected: http://host:port or https://host:port and"
                                + " nothing else)",
                        config + ":3:36: auth: required (expected: open, or a section auth that says how callers"
                                + " authenticate)",
                        "sluice: config: 2 errors (expected: none)");
    }

    @Test
    void theConfigOfGrpcAndEnvoyIsChecked() throws IOException {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"), "grpc: { tls: { key: k } }\nenvoy: { count: twice }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .contains(
                        config + ":1:14: cert: missing (expected: a file in PEM)",
                        "sluice: config: 2 errors (expected: none)")
                .anyMatch(line -> line.startsWith(config + ":2:17: count: twice (expected: "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"api", "grpc"})
    void anOpenDoorBeyondLoopbackFailsTheStartWithOneLine(String door) {
        assertThat(run("node", "--" + door + "-bind", "0.0.0.0")).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        "sluice: --" + door + "-bind: 0.0.0.0 is reachable from other machines, and callers need"
                                + " neither a token nor a certificate (expected: --api-token-file FILE, or " + door
                                + ".tls.client_ca in --config, or 127.0.0.1; --insecure-api serves everybody)");
    }

    @Test
    void certificatesOfTheServerAloneProtectNoDoor() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "api: { tls: { cert: c, key: k } }\n");

        assertThat(run("node", "--api-bind", "0.0.0.0", "--config", config.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).startsWith("sluice: --api-bind: 0.0.0.0 is reachable from other machines");
    }

    @Test
    void bindAddressesAreAlsoPropertiesAndVariables() {
        Properties properties = new Properties();
        properties.setProperty("sluice.grpc-bind", "192.0.2.1");

        assertThat(run(new Surroundings(Map.of("SLUICE_API_BIND", "::"), properties), "node"))
                .isEqualTo(1);
        assertThat(err.toString()).startsWith("sluice: --api-bind: :: is reachable");
        err.getBuffer().setLength(0);
        assertThat(run(new Surroundings(Map.of(), properties), "node")).isEqualTo(1);
        assertThat(err.toString()).startsWith("sluice: --grpc-bind: 192.0.2.1 is reachable");
    }

    @Test
    void theTokensOfTheConfigTakePrecedenceOverThoseOfTheFlagForTheirDoor() throws IOException {
        Path tokens = Files.writeString(folder.resolve("tokens"), "0123456789abcdef\n");
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "grpc: { tokens: others }\n");

        assertThat(run("node", "--api-token-file", tokens.toString(), "--config", config.toString()))
                .isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("sluice: tokens: " + folder.resolve("others")
                        + ": not there (expected: a file this user may read)");
    }

    @Test
    void aCenterNeedsAUrlAndAToken() throws IOException {
        String token = Files.writeString(folder.resolve("token"), "t").toString();
        assertThat(run("node", "--center", "center:8083", "--center-token-file", token))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .contains("sluice: center: center:8083 (expected: http://HOST:PORT or https://HOST:PORT)");
        err.getBuffer().setLength(0);
        assertThat(run(new Surroundings(Map.of("SLUICE_CENTER", "http://127.0.0.1:1"), new Properties()), "node"))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .contains("sluice: --center: without a token (expected: --center-token-file too, a file with the"
                        + " token)");
        err.getBuffer().setLength(0);
        assertThat(run("node", "--center-token-file", token)).isEqualTo(2);
        assertThat(err.toString().lines())
                .contains("sluice: --center-token-file: without a center (expected: --center too)");
    }

    @Test
    void aMissingTokenFileOfTheCenterFailsTheStartWithOneLine() throws IOException {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"), "center: { url: http://127.0.0.1:1, token_file: secrets/none }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly("sluice: center token file " + folder.resolve("secrets/none")
                        + ": missing (expected: a file with the token of the center)");
    }

    @Test
    void theConfigOfTheCenterIsChecked() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "center: { url: x, token: y }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .contains(
                        config + ":1:16: center: x (expected: http://HOST:PORT or https://HOST:PORT)",
                        "sluice: config: 2 errors (expected: none)");
    }

    @Test
    void theConfigOfTheDoorsIsChecked() throws IOException {
        Path config = Files.writeString(
                folder.resolve("sluice.yaml"), "api: { token: t, tls: { cert: c } }\nmetrics: closed\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        config + ":1:8: unknown key: token (expected: a known key; did you mean tokens?)",
                        config + ":1:23: key: missing (expected: a file in PEM)",
                        config + ":2:10: metrics: closed (expected: open or token)",
                        "sluice: config: 3 errors (expected: none)");
    }

    @Test
    void explainShowsWhatEnvoyWouldReceive() throws IOException {
        Path rules = Files.writeString(
                folder.resolve("envoy.yaml"),
                "domain: d\ndescriptors: [{ key: k, value: v, rate_limit: { unit: day, requests_per_unit: 0 } }]\n");

        assertThat(run("explain", "--rules", rules.toString(), "--domain", "d", "--descriptor", "k=v,x=y"))
                .isZero();
        assertThat(out.toString()).contains("{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\"}]}");
        assertThat(run("explain", "--rules", rules.toString(), "--domain", "d", "--descriptor", "k=v"))
                .isEqualTo(1);
        assertThat(out.toString()).contains("\"overallCode\":\"OVER_LIMIT\"", "\"unit\":\"DAY\"");
        assertThat(run("explain", "--rules", rules.toString(), "--domain", "d", "--descriptor", "k"))
                .isEqualTo(2);
        assertThat(run("explain", "--rules", rules.toString(), "--domain", "d")).isEqualTo(2);
    }

    @Test
    void lintReadsFilesOfTheReferenceService() throws IOException {
        Path good = Files.writeString(
                folder.resolve("good.yaml"),
                "domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }]\n");
        Path bad = Files.writeString(folder.resolve("bad.yaml"), "domain: d\ndescriptors:\n  - keys: k\n");

        assertThat(run("lint", good.toString())).isZero();
        assertThat(out.toString()).contains(good + ": no errors, 1 rule");
        assertThat(run("lint", bad.toString())).isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        bad + ":3:5: key: missing (expected: a text)",
                        bad + ":3:5: unknown key: keys (expected: a known key; did you mean key?)");
    }

    @Test
    void errorsOfTheConfigAreLocated() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "redis: { url: x }\nrule: {}\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .containsExactly(
                        config + ":1:10: unknown key: url (expected: a known key; did you mean uri?)",
                        config + ":2:1: unknown key: rule (expected: a known key; did you mean rules?)",
                        "sluice: config: 2 errors (expected: none)");
    }

    @Test
    void pathsInAConfigAreRelativeToIt() throws IOException {
        Path config = Files.writeString(folder.resolve("sluice.yaml"), """
            rules: { path: sub/none.yaml, hash_key_file: k }
            redis: { uri: 'redis://127.0.0.1:1', hash_tag: tenant }
            client: { ipv6_prefix: 56, trusted_proxies: 1, headers: [x-forwarded-for] }
            """);
        Files.writeString(folder.resolve("k"), "0123456789abcdef\n");

        assertThat(run("node", "--config", config.toString(), "--grpc-port", "0"))
                .isEqualTo(2);
        assertThat(err.toString().lines())
                .containsExactly(
                        folder.resolve("sub/none.yaml") + ": file: missing (expected: a rule document)",
                        "sluice: rules: 1 error (expected: none; correct it and start again)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "none | hash_key_file: unreadable (expected: a file this user may read, 16 bytes or more)",
                "short | hash key: 5 bytes (expected: 16..1024)"
            })
    void aBadHashKeyFailsTheStartAndIsNotShown(String file, String message) throws IOException {
        Files.writeString(folder.resolve("short"), "12345");
        Path config = Files.writeString(folder.resolve("sluice.yaml"), "rules: { hash_key_file: " + file + " }\n");

        assertThat(run("node", "--config", config.toString())).isEqualTo(1);
        assertThat(err.toString()).contains(message).doesNotContain("12345");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "2h", "-1s", "soon"})
    void aStopDelayIsATimeUpToAnHour(String delay) {
        assertThat(run("node", "--stop-delay=" + delay)).isEqualTo(2);
        assertThat(err.toString()).contains("--stop-delay: " + delay + " (expected: 0 to 1h, such as 5s)");
    }

    @Test
    void flagsTakePrecedenceOverPropertiesAndThoseOverTheEnvironment() {
        Properties properties = new Properties();
        Map<String, String> environment = Map.of("SLUICE_API_PORT", "99999", "SLUICE_RULES", "from-environment");

        assertThat(run(new Surroundings(environment, properties), "node")).isEqualTo(2);
        assertThat(err.toString()).contains("--api-port: 99999 (expected: 0..65535)");

        properties.setProperty("sluice.api-port", "88888");
        err.getBuffer().setLength(0);
        assertThat(run(new Surroundings(environment, properties), "node")).isEqualTo(2);
        assertThat(err.toString()).contains("--api-port: 88888");

        err.getBuffer().setLength(0);
        assertThat(run(new Surroundings(environment, properties), "node", "--api-port", "77777"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--api-port: 77777");

        err.getBuffer().setLength(0);
        assertThat(run(new Surroundings(environment, properties), "node", "--api-port", "0"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("from-environment: file: missing");
    }

    /** Each start has a center of its own. */
    private int run(String... arguments) {
        return run(
                new Surroundings(
                        Map.of(
                                "SLUICE_CENTER_PORT",
                                "0",
                                "SLUICE_DATA",
                                folder.resolve("data").toString()),
                        new Properties()),
                arguments);
    }

    private int run(Surroundings surroundings, String... arguments) {
        CommandLine line = Main.commandLine();
        line.setDefaultValueProvider(surroundings);
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }
}
