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
        Attributes attributes;
        try {
            attributes = Attributes.of(request);
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
        RuleDocument document = RuleDocument.parse(
                "test",
                "rules: [{ id: r" + random.nextInt(Integer.MAX_VALUE) + ", " + scope
                        + "limits: [{ by: ip, algorithm: sliding_log, limit: 10, window: 1h }] }]");
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) document).rules());
        return new Evaluator(() -> set, local, null, KeySettings.ofThisProcess(), clock, (ruling, nanos) -> {});
    }
}
