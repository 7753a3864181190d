package io.sluice.http.request;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.pattern.PathRefusedException;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Attempts to get past a limit of 10, from the request to the ruling: exactly 10 pass, whatever is sent. */
class AttackTest {

    private static final int TRIES = 2_000;
    private static final PathForm RESOLVING = PathForm.STRICT.resolving();

    private final ManualClock clock = QuietClock.at(1_000_000_000_000L);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());
    private final SeededRandom random = SeededRandom.of("AttackTest");
    private final CallerAddress behindOneProxy = new CallerAddress(
            new TrustedProxies.Within(List.of(Network.parse("10.0.0.0/8"))), List.of(ForwardingHeader.X_FORWARDED_FOR));

    @Test
    void a1RandomHeadersOnADirectConnection() {
        assertThat(admitted(i -> caller(behindOneProxy, "203.0.113.7", randomAddress())))
                .isEqualTo(10);
    }

    @Test
    void a2RandomAddressesBeforeTheRealOne() {
        assertThat(admitted(i -> caller(behindOneProxy, "10.0.0.1", randomAddress() + ", 203.0.113.7")))
                .isEqualTo(10);
    }

    @Test
    void a3NamesThatAreNoAddresses() {
        assertThat(admitted(i -> caller(behindOneProxy, "10.0.0.1", "_hidden" + i)))
                .isEqualTo(10);
        assertThat(admitted(i -> Map.of("ip", "no address " + i))).isEqualTo(10);
    }

    @Test
    void a4AThousandHops() {
        String hops = "6.6.6.6, ".repeat(999);
        assertThat(admitted(i -> caller(behindOneProxy, "10.0.0.1", i % 256 + ".6.6.6, " + hops + "203.0.113.7")))
                .isEqualTo(10);
    }

    @Test
    void a5AddressesOfOneNetwork() {
        assertThat(admitted(i -> Map.of("ip", "2001:db8::" + Integer.toHexString(i) + ":1")))
                .isEqualTo(10);
    }

    @Test
    void a6SpellingsOfOneAddress() {
        String[] spellings = {
            "1.2.3.4", "::ffff:1.2.3.4", "::ffff:102:304", "001.02.3.4", "::FFFF:1.2.3.4%eth0", "1.2.3.4:99"
        };
        assertThat(admitted(i -> Map.of("ip", random.oneOf(spellings)))).isEqualTo(10);
        assertThat(admitted(i -> Map.of("ip", i < 256 ? "::ffff:9.9.9." + i : "9.9.9.0")))
                .isEqualTo(256 + 9);
    }

    @Test
    void a7SpellingsOfOnePath() {
        String[] spellings = {
            "/api/login",
            "/api/login/",
            "/%61pi/login",
            "/api/log%69n",
            "/api/log%69n/",
            "/api;v=1/login;x",
            "/api/login?x",
            "/api/login#x",
            "http://h/api/login",
            "//api/login",
            "/api//login",
            "/./api/login",
            "/api/./login",
            "/x/../api/login",
            "/api/%2e/login",
            "/x/%2e%2e/api/login",
            "/x/..;/api/login",
            "/api%2Flogin",
            "/api%252Flogin",
            "\\api\\login",
            "/api\\login",
            "/api/login%00",
            "/api/login%00.html",
            "/api%c0%aflogin",
            "/api/login\u0000",
            "/api/login\r\n"
        };
        Map<String, String> used = Map.of("ip", "192.0.2.1", "path", "/api/login");
        Evaluator evaluator = evaluator("resource: /api/login, ");
        for (int i = 0; i < 10; i++) {
            assertThat(passes(evaluator, used)).isTrue();
        }
        for (String spelling : spellings) {
            assertThat(passes(evaluator, Map.of("ip", "192.0.2.1", "path", spelling)))
                    .as(spelling)
                    .isFalse();
        }
        assertThat(passes(evaluator, Map.of("ip", "192.0.2.1", "path", "/api/other")))
                .isTrue();
    }

    /** A43: segments that one server drops and another keeps. */
    @Test
    void a43SegmentsThatServersDropOrKeep() {
        Map<String, List<String>> protectedBy = Map.of(
                "resource: \"/users/{id}/keys\", ",
                List.of(
                        "/users/;x/keys",
                        "/users/;/keys",
                        "/users/./keys",
                        "/users/%2e/keys",
                        "/users//keys",
                        "/users/7;x/keys",
                        "/users/7;x/keys;y/",
                        "/users/7/keys;/x",
                        "/users;/7/keys",
                        "/users/%37/keys/"),
                "resource: \"/files/{name}\", ",
                List.of("/files/", "/files/;", "/files/.", "/files/%2E", "/files/a;x/b", "/files//"),
                "resource: \"/{page}\", ",
                List.of("/", "/;", "/.", "/a;x"),
                "match: { path: /files/* }, ",
                List.of("/files/", "/files/;", "/files/a;x"));
        protectedBy.forEach((scope, spellings) -> {
            Evaluator evaluator = evaluator(scope + "action: deny ");
            for (String spelling : spellings) {
                assertThat(passes(evaluator, Map.of("ip", "192.0.2.1", "path", spelling)))
                        .as(spelling + " with " + scope)
                        .isFalse();
            }
            assertThat(passes(evaluator, Map.of("ip", "192.0.2.1", "path", "/other/x/y")))
                    .isTrue();
        });
    }

    /** A43: a server that resolves dots may do so before or after it drops parameters and empty segments, or not at all. */
    @Test
    void a43DotsThatServersResolveOrKeep() {
        Evaluator denied = evaluator("resource: \"/admin/**\", action: deny ");
        Evaluator login = evaluator("resource: /login, action: deny ");
        for (String spelling : List.of(
                "/admin/../x",
                "/admin/%2e%2e/x",
                "/admin/;/../x",
                "/admin/;/%2e%2e/x",
                "/admin//../x",
                "/admin/./../x",
                "/admin/./../../x",
                "/admin/;x=1/y/../../x",
                "/x/../admin",
                "/x;y/../admin/z")) {
            assertThat(passes(denied, Map.of("path", spelling), RESOLVING))
                    .as(spelling)
                    .isFalse();
        }
        for (String spelling : List.of("/api/../login", "/api/;/../login", "/api//../login", "/api/x/;/../../login")) {
            assertThat(passes(login, Map.of("path", spelling), RESOLVING))
                    .as(spelling)
                    .isFalse();
        }
        assertThat(passes(denied, Map.of("path", "/x/../y"), RESOLVING)).isTrue();
    }

    /** A43: what frees a request must hold however its path is read. */
    @Test
    void a43ExemptionsAndRaisesHoldInEveryReading() {
        String rules = """
            rules:
              - { id: all, limits: [ { limit: 0, window: 1h } ] }
              - { id: free, resource: /users/me, action: exempt }
              - { id: health, resource: /health, action: exempt }
              - { id: docs, resource: "/docs/**", action: exempt }
            """;
        Evaluator evaluator = evaluatorOf(rules);
        for (String path : List.of("/users/me", "/users/me/", "/health/", "/docs/a;x/b", "/docs/%61", "/docs/")) {
            assertThat(passes(evaluator, Map.of("path", path))).as(path).isTrue();
        }
        for (String path : List.of("/users/m%65", "/users/me;x", "/users;x/me", "/docs;x/a", "/health;/x")) {
            assertThat(passes(evaluator, Map.of("path", path))).as(path).isFalse();
        }
        assertThat(passes(evaluator, Map.of("path", "/health;jsessionid=1"), PathForm.STRICT.ofServlets()))
                .isTrue();
        assertThat(passes(evaluator, Map.of("path", "/docs/../users/me"), RESOLVING))
                .isFalse();

        Evaluator raised = evaluatorOf("""
            rules:
              - id: all
                limits: [ { limit: 1, window: 1h, by: ip } ]
                overrides:
                  - { when: { path: /batch }, limit: 1000 }
                  - { when: { path: /slow/* }, limit: 0 }
            """);
        for (String path : List.of("/batch", "/batch/", "/batch")) {
            assertThat(passes(raised, Map.of("ip", "192.0.2.1", "path", path)))
                    .as(path)
                    .isTrue();
        }
        assertThat(passes(raised, Map.of("ip", "192.0.2.1", "path", "/b%61tch")))
                .isFalse();
        assertThat(passes(raised, Map.of("ip", "192.0.2.1", "path", "/batch;x")))
                .isFalse();
        assertThat(passes(raised, Map.of("ip", "192.0.2.2", "path", "/slow/"))).isFalse();
        assertThat(passes(raised, Map.of("ip", "192.0.2.2", "path", "/other"))).isTrue();
    }

    /** A43: some servers read a slash at the end as an empty name, which has a rule of its own here. */
    @Test
    void a43AnExemptionOfAListHoldsForNoEmptyName() {
        Evaluator evaluator = evaluatorOf("""
            rules:
              - { id: users, resource: "/users/{id}", limits: [ { limit: 0, window: 1h } ] }
              - { id: page, resource: "/{page}", limits: [ { limit: 0, window: 1h } ] }
              - { id: list, resource: /users, action: exempt }
              - { id: root, resource: /, action: exempt }
              - { id: docs, resource: "/docs/**", action: exempt }
            """);
        for (String path : List.of("/users", "/", "/docs/", "/docs/a/")) {
            assertThat(passes(evaluator, Map.of("path", path))).as(path).isTrue();
        }
        for (String path : List.of("/users/", "/users;x/", "/users/7", "/x")) {
            assertThat(passes(evaluator, Map.of("path", path))).as(path).isFalse();
        }
    }

    /** A43: a server that ignores the case of ASCII need not ignore that of other characters. */
    @Test
    void a43NoOtherCharacterFreesARequestAsALetterOfAscii() {
        Evaluator evaluator = evaluatorOf("""
            rules:
              - { id: all, resource: "/users/{id}", limits: [ { limit: 0, window: 1h } ] }
              - { id: keys, resource: /keys, action: deny }
              - { id: free, resource: /users/k, action: exempt }
            """);
        PathForm form = PathForm.STRICT.ignoringCase();
        assertThat(passes(evaluator, Map.of("path", "/Users/K"), form)).isTrue();
        assertThat(passes(evaluator, Map.of("path", "/users/%E2%84%AA"), form)).isFalse();
        assertThat(passes(evaluator, Map.of("path", "/%E2%84%AAey%C5%BF"), form))
                .isFalse();
    }

    /** A43: parameters do not make another count. */
    @Test
    void a43CountsByPathUseItWithoutParameters() {
        Evaluator evaluator = evaluatorOf("rules: [ { id: each, limits: [ { by: path, limit: 3, window: 1h } ] } ]");
        for (String path : List.of("/a", "/a;x=1", "/%61/")) {
            assertThat(passes(evaluator, Map.of("path", path))).as(path).isTrue();
        }
        assertThat(passes(evaluator, Map.of("path", "/a;x=2"))).isFalse();
        assertThat(passes(evaluator, Map.of("path", "/b"))).isTrue();
    }

    private Map<String, String> caller(CallerAddress callers, String peer, String header) {
        return callers.of(Address.parse(peer).orElseThrow(), name -> List.of(header))
                .map(address -> Map.of("ip", address.toString()))
                .orElseThrow();
    }

    private String randomAddress() {
        return random.nextInt(256) + "." + random.nextInt(256) + "." + random.nextInt(256) + ".1";
    }

    private int admitted(IntFunction<Map<String, String>> requests) {
        Evaluator evaluator = evaluator();
        int admitted = 0;
        for (int i = 0; i < TRIES; i++) {
            admitted += passes(evaluator, requests.apply(i)) ? 1 : 0;
        }
        return admitted;
    }

    private static boolean passes(Evaluator evaluator, Map<String, String> request) {
        return passes(evaluator, request, PathForm.STRICT);
    }

    private static boolean passes(Evaluator evaluator, Map<String, String> request, PathForm form) {
        Attributes attributes;
        try {
            attributes = Attributes.of(request, form);
        } catch (PathRefusedException refused) {
            return false;
        }
        Ruling ruling = evaluator.evaluate(attributes, 1).toCompletableFuture().join();
        return ((Ruling.Settled) ruling).allowed();
    }

    private Evaluator evaluator() {
        return evaluator("");
    }

    /** Each evaluator has its own id, so that its counts are fresh. */
    private Evaluator evaluator(String scope) {
        String limits = scope.contains("action: deny")
                ? "}]"
                : "limits: [{ by: ip, algorithm: sliding_log, limit: 10, window: 1h }] }]";
        return evaluatorOf("rules: [{ id: r" + random.nextInt(Integer.MAX_VALUE) + ", " + scope + limits);
    }

    private Evaluator evaluatorOf(String rules) {
        RuleDocument document = RuleDocument.parse("test", rules);
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        return new Evaluator(() -> set, local, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }
}
