package io.sluice.replay.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.spi.Ask;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Prepared rules decide every request as the evaluator does. */
final class PreparedRulesTest {

    private static final long START = 1_794_955_200;

    private static final List<String> RULES = List.of(
            "{ id: all, limits: [{ rate: 40/s, burst: 60 }] }",
            "{ id: each, limits: [{ by: ip, rate: 2/s, burst: 9 }, { rate: 35/s }] }",
            "{ id: user, limits: [{ by: user, algorithm: fixed_window, limit: 20, window: 10s }] }",
            "{ id: shared, limits: [{ by: user, rate: 3/s, absent: share }] }",
            "{ id: skipped, limits: [{ by: user, rate: 1/s, burst: 4, absent: skip }] }",
            "{ id: strict, resource: /strict/**, limits: [{ by: user, rate: 2/s, absent: refuse }] }",
            "{ id: either, limits: [{ by: [{ attribute: user, otherwise: tenant }, ip], rate: 2/s, privacy: hash }] }",
            "{ id: log, resource: '/a/{id}', limits: [{ by: ip, algorithm: sliding_log, limit: 15, window: 30s }] }",
            "{ id: window, methods: [POST], limits: [{ algorithm: sliding_window, limit: 30, window: 5s }] }",
            "{ id: paid, match: { tenant: [t-1, t-2] }, limits: [{ by: tenant, rate: 3/s, burst: 5 }],"
                    + " overrides: [{ when: { user: u-1 }, rate: 9/s, burst: 9 },"
                    + " { when: { user: u-2 }, rate: 7/s, until: 2026-11-17T22:41:00Z }] }",
            "{ id: held, resource: /b/**, limits: [{ by: ip, algorithm: concurrency, limit: 2, ttl: 1m }] }",
            "{ id: dark, shadow: true, limits: [{ by: ip, rate: 1/s }] }",
            "{ id: tried, resource: /c/**, limits: [{ rate: 20/s }], candidate: [{ rate: 5/s }] }",
            "{ id: banned, match: { user: u-3 }, action: deny }",
            "{ id: friends, match: { user: u-4 }, action: exempt }",
            "{ id: early, for: early, limits: [{ by: ip, rate: 3/s, burst: 20 }] }",
            "{ id: off, enabled: false, limits: [{ rate: 1/s }] }");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void decideAsTheEvaluatorDoes(int seed) throws IOException {
        Random random = new Random(seed);
        RuleSet rules = some(random);
        RuleSet others = some(random);
        String log = log(random);
        long maxKeys = seed % 4 == 0 ? 20 : 10_000;
        ReplayResult prepared = replay(new Replay(rules, others, maxKeys, RulingObserver.NONE, true), log);
        ReplayResult plain = replay(new Replay(rules, others, maxKeys, RulingObserver.NONE, false), log);
        assertThat(prepared.requests()).isGreaterThan(2_900);
        assertThat(prepared.set().refused()).isPositive();
        assertThat(prepared).usingRecursiveComparison().isEqualTo(plain);
    }

    @Test
    void asksTheEngineOnlyIfTheLimitsSimplyAllowOrRefuse() {
        assertThat(ask("{ id: a, limits: [{ by: ip, rate: 1/s }, { rate: 2/s }] }"))
                .extracting(ask -> ask.demands().size())
                .isEqualTo(2);
        assertThat(ask("{ id: a, resource: /other, limits: [{ rate: 1/s }] }")).isNull();
        assertThat(ask("{ id: a, shadow: true, limits: [{ rate: 1/s }] }")).isNull();
        assertThat(ask("{ id: a, limits: [{ rate: 2/s }], candidate: [{ rate: 1/s }] }"))
                .isNull();
        assertThat(ask("{ id: a, limits: [{ by: user, rate: 1/s, absent: refuse }] }"))
                .isNull();
        assertThat(ask("{ id: a, limits: [{ algorithm: concurrency, limit: 2, ttl: 1m }] }"))
                .isNull();
        assertThat(ask("{ id: a, service: s, action: deny }, { id: b, limits: [{ rate: 1/s }] }"))
                .isNull();
    }

    private static Ask ask(String rules) {
        RuleSet set = ReplayTest.rules(rules);
        assertThat(PreparedRules.canPrepare(set)).isTrue();
        PreparedRules prepared =
                new PreparedRules(set, KeySettings.ofThisProcess().keys(), QuietClock.at(0));
        Attributes request = Attributes.of(Map.of("path", "/a", "method", "GET", "ip", "203.0.113.7", "service", "s"));
        return prepared.ask(prepared.route(request), request);
    }

    private static RuleSet some(Random random) {
        List<String> some = new ArrayList<>(RULES);
        Collections.shuffle(some, random);
        some = some.subList(0, 3 + random.nextInt(4));
        if (random.nextInt(4) > 0) {
            // Rules that act early leave nothing to prepare.
            some.removeIf(rule -> rule.contains("early") || rule.contains("action"));
        }
        some.add("{ id: any, limits: [{ by: ip, rate: 4/s, burst: 12 }] }");
        return ReplayTest.rules(String.join(",", some));
    }

    private static String log(Random random) {
        StringBuilder log = new StringBuilder("time,ip,user,tenant,method,path,duration_ms,permits\n");
        String[] paths = {"/a/1", "/a/2?x=1", "/b/c/d", "/c/", "/strict/x", "/", "/%zz"};
        for (int i = 0; i < 3_000; i++) {
            int caller = (int) (60 * Math.pow(random.nextDouble(), 2));
            log.append(START + i / 25 - random.nextInt(3)).append(',');
            log.append(caller % 7 == 0 ? "2001:db8:" + caller + "::" + i : "203.0.113." + caller)
                    .append(',');
            log.append(random.nextInt(3) == 0 ? "-" : "u-" + caller % 20).append(',');
            log.append(random.nextInt(3) == 0 ? "" : "t-" + caller % 5).append(',');
            log.append(random.nextBoolean() ? "GET" : "POST").append(',');
            log.append(paths[Math.min(paths.length - 1, random.nextInt(400) / 66)])
                    .append(',');
            log.append(random.nextInt(4_000)).append(',');
            log.append(random.nextInt(50) == 0 ? 0 : random.nextInt(20) == 0 ? 3 : 1)
                    .append('\n');
        }
        return log.toString();
    }

    private static ReplayResult replay(Replay replay, String log) throws IOException {
        LogInput input = LogInput.once("log", new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)));
        try (LogReader reader = LogReader.open(List.of(input), LogOptions.wanting(replay.attributes()))) {
            return replay.run(reader, (requests, any) -> {});
        }
    }
}
