package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.testkit.SeededRandom;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a file contains, an import ends with a document without errors, or with errors of one line each. */
class HostileImportTest {

    private static final Map<ImportKind, String> SEEDS = Map.of(
            ImportKind.SENTINEL,
            """
                    [
                      {"resource": "GET:/a/**", "count": 2.5, "grade": 1, "controlBehavior": 2, "limitApp": "x"},
                      {"resource": "g", "resourceMode": 1, "count": 1,
                       "paramItem": {"parseStrategy": 2, "fieldName": "X", "pattern": "(a|b).*", "matchStrategy": 2}},
                      {"apiName": "g", "predicateItems": [{"pattern": "/x/{a}/**", "matchStrategy": 1}]},
                      {"resource": "p", "paramIdx": 0, "count": 5, "paramFlowItemList": [{"object": "v"}]}
                    ]
                    """,
            ImportKind.SPRING_CLOUD_GATEWAY,
            """
                    spring.cloud.gateway.routes:
                      - id: a
                        predicates: ['Path=/a/{x}/**', Method=GET, 'Header=X, .*']
                        filters:
                          - name: RequestRateLimiter
                            args:
                              redis-rate-limiter.replenishRate: 5
                              redis-rate-limiter.burstCapacity: ${B:9}
                              key-resolver: '#{@userKey}'
                    """,
            ImportKind.BUCKET4J,
            """
                    bucket4j:
                      filters:
                        - url: ^(/a|/b)/.*
                          rate-limits:
                            - cache-key: getRemoteAddr()
                              execute-condition: getMethod() == 'POST'
                              bandwidths:
                                - { capacity: 5, time: 10, unit: seconds, refill-speed: interval }
                    """,
            ImportKind.RESILIENCE4J,
            """
                    resilience4j:
                      ratelimiter:
                        instances:
                          a: { limitForPeriod: 3, limitRefreshPeriod: 1s }
                      bulkhead.instances.b.maxConcurrentCalls: 4
                    """,
            ImportKind.NGINX,
            """
                    http {
                      geo $l { default 1; 10.0.0.0/8 0; }
                      map $l $k { 0 ""; 1 $binary_remote_addr; }
                      limit_req_zone $k zone=a:1m rate=5r/m;
                      limit_conn_zone $http_x zone=c:1m;
                      server {
                        server_name .a.example;
                        location ~ ^/(x|y)/.*$ { limit_req zone=a burst=5 delay=2; }
                        location = /z { limit_conn c 3; }
                      }
                      server { }
                    }
                    """,
            ImportKind.KONG,
            """
                    services:
                      - name: s
                        routes: [{ name: r, paths: [/a, '~/b/.*'], hosts: [a.example] }]
                        plugins:
                          - { name: rate-limiting, config: { minute: 5, limit_by: header, header_name: X } }
                    """,
            ImportKind.APISIX,
            """
                    routes:
                      - uri: /a/*
                        plugins:
                          limit-req: { rate: 2.5, burst: 1, key: '$remote_addr $http_x' }
                          limit-count: { count: 3, time_window: 60, policy: redis }
                    """,
            ImportKind.ENVOY,
            """
                    typed_config:
                      '@type': x/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
                      token_bucket: { max_tokens: 5, tokens_per_fill: 2, fill_interval: 1s }
                      descriptors: [{ entries: [{ key: a, value: b }], token_bucket: { max_tokens: 1 } }]
                    """);

    private static final Map<ImportKind, String> SAMPLES = Map.of(
            ImportKind.SENTINEL, "sentinel.json",
            ImportKind.SPRING_CLOUD_GATEWAY, "spring-cloud-gateway.yml",
            ImportKind.BUCKET4J, "bucket4j.yml",
            ImportKind.RESILIENCE4J, "resilience4j.yml",
            ImportKind.NGINX, "nginx.conf",
            ImportKind.KONG, "kong.yaml",
            ImportKind.APISIX, "apisix.yaml",
            ImportKind.ENVOY, "envoy.yaml");

    private static final List<String> SCRAPS = List.of(
            "\u0000",
            "\n",
            "\u001b[31m",
            "\u2028",
            "{",
            "}",
            "\"",
            "'",
            "#",
            ": ",
            "- ",
            "*",
            "&a ",
            "!!java.lang.Runtime ",
            "99999999999999999999",
            "-1",
            "0",
            "1e308",
            "\\",
            "${",
            "$",
            "/",
            "\uD800",
            "e\u0301",
            "%",
            "|",
            "(",
            ")",
            "[",
            "null",
            "~",
            "../../etc/passwd",
            "include /etc/passwd;",
            "http://169.254.169.254/",
            ";");

    @ParameterizedTest
    @EnumSource(ImportKind.class)
    void neverFailsInAnotherWay(ImportKind kind) {
        SeededRandom random = SeededRandom.of("HostileImportTest");
        String seed = SEEDS.getOrDefault(kind, "");
        assertThat(ImportResult.of(kind, "seed.yml", seed).rules()).isNotEmpty();
        for (int i = 0; i < 300; i++) {
            StringBuilder text = new StringBuilder(seed);
            for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
                int at = random.nextInt(text.length());
                int end = Math.min(text.length(), at + random.nextInt(6));
                String scrap = SCRAPS.get(random.nextInt(SCRAPS.size()));
                text.replace(at, random.nextBoolean() ? end : at, scrap);
            }
            check(kind, text.toString());
        }
    }

    private static void check(ImportKind kind, String text) {
        try {
            Imported imported = kind.importer().read(ForeignFile.of("a.yml", text));
            ImportResult.of(imported);
            assertThat(imported.notes()).allMatch(note -> isOneLine(note.toString()), text);
        } catch (ImportRefusedException e) {
            assertThat(e.errors()).isNotEmpty().allMatch(error -> isOneLine(error.toString()), text);
        }
    }

    private static boolean isOneLine(String text) {
        return text.chars().noneMatch(Character::isISOControl) && text.matches("a\\.yml:\\d+:\\d+: .+");
    }

    @ParameterizedTest
    @EnumSource(ImportKind.class)
    void aFileOfAnotherLimiterIsRefused(ImportKind kind) throws ImportRefusedException {
        Path examples = Path.of("..", "examples");
        List<Path> files = new ArrayList<>();
        SAMPLES.forEach((other, file) -> {
            if (other != kind) {
                files.add(examples.resolve("import").resolve(file));
            }
        });
        files.add(examples.resolve("rules/sample.yaml"));
        if (kind != ImportKind.ENVOY) {
            files.add(examples.resolve("envoy/edge.yaml"));
        }
        for (Path path : files) {
            ForeignFile file = ForeignFile.read(path);
            assertThat(ImportResult.errors(kind, path.toString(), file.text()))
                    .as("%s of %s", path, kind)
                    .isNotEmpty()
                    .last()
                    .asString()
                    .contains("(expected: ");
        }
        ImportResult.of(kind.importer()
                .read(ForeignFile.read(examples.resolve("import").resolve(SAMPLES.getOrDefault(kind, "")))));
    }

    @ParameterizedTest
    @CsvSource({
        "SENTINEL, rules: none found",
        "SPRING_CLOUD_GATEWAY, 'with routes and RequestRateLimiter below spring.cloud.gateway)'",
        "BUCKET4J, with bucket4j.filters or bucket4j.methods)",
        "RESILIENCE4J, with resilience4j.ratelimiter or resilience4j.bulkhead)",
        "NGINX, with limit_req or limit_conn)",
        "KONG, 'with the plugin rate-limiting or rate-limiting-advanced)'",
        "APISIX, 'with the plugin limit-req, limit-count or limit-conn)'",
        "ENVOY, 'with a local rate limit filter, or with a domain and descriptors)'"
    })
    void aFileWithoutLimitsIsRefused(ImportKind kind, String expected) {
        String text = kind == ImportKind.NGINX ? "server { listen 80; }" : "server: { port: 80 }";
        assertThat(ImportResult.errors(kind, "a.yml", text))
                .singleElement()
                .asString()
                .contains(expected);
        if (kind != ImportKind.SENTINEL) {
            assertThat(ImportResult.errors(kind, "a.yml", text).get(0))
                    .startsWith("a.yml:1:1: document: no rules come from server (expected: a configuration of ");
        }
    }

    @Test
    void aRefusalSaysWhatWasLeftOut() {
        assertThat(ImportResult.errors(
                        ImportKind.NGINX,
                        "a.yml",
                        "limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s; limit_req zone=b;"))
                .hasSize(3)
                .anyMatch(error -> error.contains("zone a: no limit_req uses it"))
                .anyMatch(error -> error.contains("zone b: not defined in the files that were read"))
                .anyMatch(error -> error.contains("no rules come from limit_req_zone, limit_req (expected: "));
    }

    @Test
    void namesInMessagesStayOnOneLine() {
        String instances = "resilience4j.ratelimiter.instances: { \"a\\u2028b\": 5 }";
        assertThat(ImportResult.errors(ImportKind.RESILIENCE4J, "a.yml", instances))
                .containsExactly("a.yml:1:51: a\\u2028b: 5 (expected: a mapping)");
    }

    @Test
    void listsThatMultiplyAreRefused() {
        StringBuilder kong = new StringBuilder("{\"services\": [{\"name\": \"s\", \"routes\": [");
        for (int i = 0; i < 5_000; i++) {
            kong.append(i == 0 ? "" : ",").append("{\"paths\": [\"/r").append(i).append("\"]}");
        }
        kong.append("], \"plugins\": [");
        for (int i = 0; i < 5_000; i++) {
            kong.append(i == 0 ? "" : ",").append("{\"name\": \"rate-limiting\", \"config\": {\"minute\": 5}}");
        }
        assertThat(ImportResult.errors(ImportKind.KONG, "kong.json", kong + "]}]}"))
                .containsExactly(
                        "kong.json:1:1: rules: more than 1000000 values in all (expected: a smaller configuration)");
    }

    @Test
    void expressionsThatExplodeAreLeftAlone() {
        String bomb = "(a|b|c|d|e|f|g|h)".repeat(25);
        ImportResult result = ImportResult.of(
                ImportKind.NGINX,
                "nginx.conf",
                "limit_req_zone $binary_remote_addr zone=a:1m rate=1r/s; server { location ~ ^/" + bomb
                        + " { limit_req zone=a; } }");
        assertThat(result.rules().get(0).shadow()).isTrue();
    }
}
