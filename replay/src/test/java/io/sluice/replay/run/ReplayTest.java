package io.sluice.replay.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogInput;
import io.sluice.replay.log.LogOptions;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.report.Findings;
import io.sluice.replay.report.ReplayJson;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Replays whose right answer is known. */
final class ReplayTest {

    private static final long START = 1_794_955_200;

    @Test
    void countsAsASimpleModelDoes() {
        Random random = new Random(11);
        StringBuilder log = new StringBuilder("time,ip,path\n");
        Map<String, Integer> used = new HashMap<>();
        Map<Long, Integer> perMinute = new HashMap<>();
        Set<String> callers = new HashSet<>();
        long refused = 0;
        long first = 0;
        for (int i = 0; i < 20_000; i++) {
            long second = START + i / 20;
            String ip = "203.0.113." + (int) Math.abs(random.nextGaussian() * 20);
            log.append(second).append(',').append(ip).append(",/a\n");
            if (used.merge(ip + "@" + second / 60, 1, Integer::sum) > 30) {
                refused++;
                callers.add(ip);
                perMinute.merge(second / 60, 1, Integer::sum);
                first = first == 0 ? second : first;
            }
        }
        RuleResult rule = replay("{ id: a, limits: [{ by: ip, algorithm: fixed_window, limit: 30, window: 1m }] }", log)
                .set()
                .rules()
                .get(0);
        assertThat(refused).isPositive();
        assertThat(rule.matched()).isEqualTo(20_000);
        assertThat(rule.refused()).isEqualTo(refused);
        assertThat(rule.allowed()).isEqualTo(20_000 - refused);
        assertThat(rule.callersRefused()).isEqualTo(callers.size());
        assertThat(rule.callersAtLeast()).isFalse();
        assertThat(rule.peak().count()).isEqualTo(20);
        assertThat(rule.firstRefusedMicros()).isEqualTo(first * 1_000_000);
        int worst = perMinute.values().stream().mapToInt(each -> each).max().orElseThrow();
        assertThat(rule.worst().count()).isEqualTo(worst);
        assertThat(perMinute.get(rule.worst().atMicros() / 60_000_000)).isEqualTo(worst);
        assertThat(rule.series().orElseThrow().refused().stream()
                        .mapToLong(each -> each)
                        .sum())
                .isEqualTo(refused);
        assertThat(rule.top().get(0).caller()).isEqualTo("203.0.113.*");
    }

    @Test
    void tellsWhatBothSetsSayAboutEachRequest() throws IOException {
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 12; i++) {
            log.append(START + i).append(",203.0.113.").append(i % 2).append(i < 10 ? ",/a\n" : ",/b\n");
        }
        List<String> said = new ArrayList<>();
        Replay replay = new Replay(
                        rules("{ id: a, resource: /a, limits: [{ by: ip, limit: 3, window: 1m }] }"),
                        rules("{ id: a, resource: /a, limits: [{ by: ip, limit: 4, window: 1m }] }"),
                        LocalEngine.DEFAULT_MAX_KEYS)
                .within((START + 1) * 1_000_000, (START + 10) * 1_000_000)
                .comparing((request, now, other) -> said.add(request.line() + " " + now.matched() + " "
                        + now.refusal().map(Outcome.Refusal::rule).orElse("-") + " "
                        + now.refusal().flatMap(Outcome.Refusal::limit).orElse("-") + " "
                        + now.refusal().map(Outcome.Refusal::counted).orElse(false) + " " + other.passes()));
        try (LogReader reader = LogReader.open(
                List.of(LogInput.once(
                        "log", new ByteArrayInputStream(log.toString().getBytes(StandardCharsets.UTF_8)))),
                LogOptions.wanting(replay.attributes()))) {
            ReplayResult result = replay.run(reader, (count, from) -> {});
            assertThat(result.requests()).isEqualTo(10);
        }
        assertThat(replay.outside()).isEqualTo(2);
        assertThat(said)
                .hasSize(10)
                .startsWith("3 true - - false true")
                .contains("9 true a a.0 true true", "10 true a a.0 true true")
                .endsWith("11 true a a.0 true false", "12 false - - false true");
    }

    @Test
    void oneRefusalChargesNoOtherLimit() {
        // The address is refused after 2 requests of each second, so the rule for everybody never sees more than 2.
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 100; i++) {
            log.append(START + i / 10).append(",203.0.113.7,/a\n");
        }
        ReplayResult result = replay(
                "{ id: all, limits: [{ algorithm: fixed_window, limit: 3, window: 1s }] },"
                        + "{ id: each, limits: [{ by: ip, algorithm: fixed_window, limit: 2, window: 1s }] },"
                        + "{ id: other, resource: /b, limits: [{ rate: 1/s }] }",
                log);
        assertThat(result.set().allowed()).isEqualTo(20);
        assertThat(result.set().refused()).isEqualTo(80);
        assertThat(result.set().rules()).extracting(RuleResult::refused).containsExactly(0L, 80L, 0L);
        assertThat(result.set().rules()).extracting(RuleResult::matched).containsExactly(100L, 100L, 0L);
        assertThat(Findings.of(result)).contains("Never matched: other.");
    }

    @Test
    void comparesTwoSets() {
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 10; i++) {
            log.append(START).append(",203.0.113.").append(i).append(",/a\n");
        }
        log.append(START).append(",203.0.113.77,/b\n");
        RuleSet now = rules("{ id: a, resource: /a, limits: [{ algorithm: fixed_window, limit: 4, window: 1m }] }");
        RuleSet before = rules("{ id: a, resource: /a, limits: [{ algorithm: fixed_window, limit: 7, window: 1m }] },"
                + "{ id: ban, match: { ip: 203.0.113.77 }, action: deny }");
        Differences differences =
                replay(new Replay(now, before, 1_000), log.toString()).against().orElseThrow();
        assertThat(differences.newlyRefused()).isEqualTo(3);
        assertThat(differences.newlyAllowed()).isEqualTo(1);
        assertThat(differences.bothAllow()).isEqualTo(4);
        assertThat(differences.bothRefuse()).isEqualTo(3);
        assertThat(differences.rules())
                .containsExactly(
                        new Differences.RuleDifference("a", 3, 0), new Differences.RuleDifference("ban", 0, 1));
    }

    @Test
    void saysFromWhichLineOnItIsNotExact() {
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 400; i++) {
            log.append(START)
                    .append(",10.0.")
                    .append(i / 200)
                    .append('.')
                    .append(i % 200)
                    .append(",/a\n");
        }
        String rules = "{ id: each, limits: [{ by: ip, algorithm: fixed_window, limit: 5, window: 1h }] },"
                + "{ id: all, limits: [{ rate: 1000/s }] }";
        ReplayResult result = replay(new Replay(rules(rules), null, 101), log.toString());
        RuleResult each = result.set().rules().get(0);
        // 100 addresses and the rule for everybody have counts, below one line of headings.
        assertThat(each.inexact().orElseThrow().from()).isEqualTo("log:102");
        assertThat(each.inexact().orElseThrow().decisions()).isEqualTo(300);
        assertThat(each.refused()).isPositive();
        assertThat(result.set().rules().get(1).inexact()).isEmpty();
        assertThat(Findings.of(result))
                .anyMatch(finding -> finding.startsWith("Rule each is not exact from log:102 on"));

        ReplayResult exact = replay(new Replay(rules(rules), null, 1_000), log.toString());
        assertThat(exact.set().rules())
                .allSatisfy(rule -> assertThat(rule.inexact()).isEmpty());
        assertThat(exact.set().refused()).isZero();
    }

    @Test
    void concurrencyFollowsTheDurationsOfTheLog() {
        String rule = "{ id: c, limits: [{ algorithm: concurrency, limit: 2, ttl: 1m }] }";
        // Each takes 1.5 s and two fit: of those that arrive every half second, every third is refused.
        StringBuilder log = new StringBuilder("time,duration_ms,path\n");
        for (int i = 0; i < 30; i++) {
            log.append(String.format(Locale.ROOT, "%.1f,1500,/a%n", START + i * 0.5));
        }
        ReplayResult result = replay(rule, log);
        assertThat(result.set().refused()).isEqualTo(10);
        assertThat(result.set().notes()).isEmpty();

        ReplayResult without = replay(rule, log.toString().replace(",1500,", ",,"));
        assertThat(without.set().refused()).isZero();
        assertThat(without.set().notes()).singleElement().asString().contains("not replayed for 30 requests", ": c");
    }

    @Test
    void earlyRulesCountTheAnswersOfTheLog() {
        String rule = "{ id: guess, for: early, match: { answer.status: 401 }, limits:"
                + " [{ by: ip, algorithm: fixed_window, limit: 3, window: 1h }] }";
        StringBuilder log = new StringBuilder("time,ip,path,status\n");
        for (int i = 0; i < 10; i++) {
            log.append(START + i)
                    .append(",203.0.113.7,/login,")
                    .append(i % 2 == 0 ? 401 : 200)
                    .append('\n');
        }
        ReplayResult result = replay(rule, log);
        // The third 401 is the answer to the fifth request.
        assertThat(result.set().allowed()).isEqualTo(5);
        assertThat(result.set().rules().get(0).refused()).isEqualTo(5);
        assertThat(result.set().rules().get(0).matched()).isEqualTo(10);
    }

    @Test
    void shadowsAndCandidatesRefuseNothing() {
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 10; i++) {
            log.append(START).append(",203.0.113.7,/a\n");
        }
        ReplayResult result = replay(
                "{ id: s, shadow: true, limits: [{ algorithm: fixed_window, limit: 4, window: 1m }] },"
                        + "{ id: c, limits: [{ rate: 100/s }], candidate: [{ algorithm: fixed_window, limit: 7, window: 1m }] }",
                log);
        assertThat(result.set().refused()).isZero();
        assertThat(result.set().rules()).extracting(RuleResult::wouldRefuse).containsExactly(6L, 3L);
        assertThat(result.set().rules().get(1).limits())
                .extracting(LimitResult::id, LimitResult::wouldRefuse)
                .containsExactly(tuple("c.0", 0L), tuple("c.candidate-0", 3L));
    }

    @Test
    void theSameInputGivesTheSameOutput() {
        StringBuilder log = new StringBuilder("time,ip,user,path\n");
        Random random = new Random(5);
        for (int i = 0; i < 5_000; i++) {
            log.append(START + i / 50)
                    .append(",10.1.")
                    .append(random.nextInt(4))
                    .append('.')
                    .append(random.nextInt(250));
            log.append(",u-").append(random.nextInt(50)).append(",/a\n");
        }
        String rules =
                "{ id: u, limits: [{ by: user, rate: 1/s, burst: 2, privacy: hash }, { by: ip, limit: 3, window: 1m }] }";
        String first = ReplayJson.of(replay(rules, log));
        assertThat(ReplayJson.of(replay(rules, log))).isEqualTo(first);
        assertThat(first).contains("\"caller\":\"hidden\"").doesNotContain("u-1");
    }

    @Test
    void modesAreReplayedInProcess() {
        StringBuilder log = new StringBuilder("time,ip,path\n");
        for (int i = 0; i < 10; i++) {
            log.append(START).append(",203.0.113.7,/a\n");
        }
        for (String mode : List.of("distributed", "local_distributed", "local")) {
            String rule = "{ id: m, mode: " + mode + ", limits: [{ algorithm: token_bucket, rate: 4/s }] }";
            assertThat(replay(rule, log).set().allowed()).as(mode).isEqualTo(4);
        }
    }

    @Test
    void remembersNoMoreCallersThanThereIsRoomFor() {
        CallerSet callers = new CallerSet(new CallerSet.Room(100));
        for (int i = 0; i < 1_000; i++) {
            callers.add(CallerSet.hash("caller " + i % 500));
        }
        assertThat(callers.count()).isEqualTo(100);
        assertThat(callers.isPartial()).isTrue();
    }

    @Test
    void findsTheMostFrequentCallersAmongMany() {
        FrequentCallers callers = new FrequentCallers(new FrequentCallers.CallerRoom(100));
        Attributes request = Attributes.of(Map.of());
        int most = 0;
        for (int i = 0; i < 100_000; i++) {
            boolean own = i % 4 == 0;
            most += own ? 1 : 0;
            callers.add(own ? "impatient" : "caller " + i, request, own ? "impatient" : null);
        }
        FrequentCallers.Frequent first = callers.top(1).get(0);
        assertThat(first.limit).isEqualTo("impatient");
        assertThat(first.count).isBetween(most - 100_000L / 100, (long) most);
        assertThat(callers.isPartial()).isTrue();
    }

    private static ReplayResult replay(String rules, CharSequence log) {
        return replay(new Replay(rules(rules), null, LocalEngine.DEFAULT_MAX_KEYS), log.toString());
    }

    private static ReplayResult replay(Replay replay, String log) {
        LogInput input = LogInput.once("log", new ByteArrayInputStream(log.getBytes(StandardCharsets.UTF_8)));
        try (LogReader reader = LogReader.open(List.of(input), LogOptions.wanting(replay.attributes()))) {
            return replay.run(reader, (requests, any) -> {});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static RuleSet rules(String rules) {
        RuleDocument document = RuleDocument.parse("rules.yaml", "rules: [" + rules + "]");
        if (document instanceof RuleDocument.Accepted accepted) {
            return new RuleSet(1, accepted.rules());
        }
        throw new AssertionError(document);
    }
}
