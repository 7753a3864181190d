package io.sluice.runtime.caller;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.CallerMarks;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.caller.SubjectKeys;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DistinctCallers;
import io.sluice.runtime.data.Figures;
import io.sluice.runtime.data.FrequentCallers;
import io.sluice.runtime.data.FrequentCallers.Frequency;
import io.sluice.runtime.data.RefusedMinute;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class RefusedCallersTest {

    private static final long MINUTE = 28_333_333;
    private static final int SKETCH = 128;

    private final ManualClock clock = QuietClock.at(MINUTE * 60_000_000L + 10_000_000);
    private final DataOutbox outbox = DataOutbox.acknowledged();
    private final KeySettings keys = KeySettings.ofThisProcess();
    private final RuleSet rules = rules("""
            rules:
              - { id: user, service: shop, limits: [{ by: user, algorithm: fixed_window, limit: 1, align: year }] }
              - { id: pair, service: pair, limits: [{ by: [tenant, user], algorithm: fixed_window, limit: 1, align: year }] }
              - { id: all, service: all, limits: [{ algorithm: fixed_window, limit: 1, align: year }] }
              - { id: secret, service: secret, limits: [{ by: card, algorithm: fixed_window, limit: 1, align: year, privacy: hash }] }
              - { id: banned, service: bad, action: deny }
            """);
    private final Ruling.Settled refusal = ruling("user", false);
    private RefusedCallers callers = new RefusedCallers(outbox, () -> rules, keys, clock);

    @AfterEach
    void close() {
        callers.close();
    }

    /** So the center knows what it misses if this process is killed. */
    @Test
    void refusalsOfTheMinuteThatIsCountedArePending() {
        callers.start();
        for (int i = 0; i < 3; i++) {
            callers.ruled(Attributes.of(Map.of("user", "u-" + i)), refusal, 0);
        }
        Await.until("they are counted", Duration.ofMinutes(5), () -> pending() == 3);
        callers.flush();
        assertThat(pending()).isZero();
        assertThat(minutes()).hasSize(1);
    }

    private long pending() {
        return outbox.report(0).pending().getOrDefault(Kind.CALLERS, 0L);
    }

    @Test
    void countsFewCallersExactly() {
        callers.start();
        Evaluator evaluator = evaluator();
        for (int i = 0; i < 90; i++) {
            for (int j = 0; j <= i; j++) {
                evaluate(
                        evaluator,
                        Map.of(
                                "service",
                                "shop",
                                "user",
                                "user-" + i,
                                "ip",
                                "192.0.2." + i % 3,
                                "tenant",
                                "t-" + i % 2));
            }
        }
        evaluate(evaluator, Map.of("service", "bad", "user", "user-1"));
        callers.flush();

        RefusedMinute minute = minutes().get(0);
        assertThat(minute.minute()).isEqualTo(MINUTE);
        Map<String, Long> users = counts(minute, "user", "user.0", "user");
        for (int i = 1; i < 90; i++) {
            assertThat(users).containsEntry(hash("user", "user-" + i), (long) i);
        }
        assertThat(users).hasSize(89);
        assertThat(group(minute, "user", "user.0", "user").refused()).isEqualTo(89 * 90 / 2);
        assertThat(DistinctCallers.of(group(minute, "user", "user.0", "user").distinct())
                        .estimate())
                .isEqualTo(89);
        assertThat(counts(minute, "", "", "user")).containsEntry(hash("user", "user-1"), 2L);
        assertThat(counts(minute, "", "", "ip").values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(89 * 90 / 2);
        // The rule denied, and there is no address that tells callers apart.
        assertThat(group(minute, "banned", "", "ip").refused()).isEqualTo(1);
        assertThat(counts(minute, "banned", "", "ip")).isEmpty();
        Map<String, Figures> tenants = tenants(minute);
        assertThat(tenants.values().stream().reduce(Figures.NONE, Figures::plus))
                .isEqualTo(new Figures(90, 89 * 90 / 2, 0, 0));
        assertThat(tenants).containsOnlyKeys(hash("tenant", "t-0"), hash("tenant", "t-1"));
        assertThat(outbox.dropped(Kind.CALLERS)).isZero();
    }

    @Test
    void allowedRequestsAndLooksAreNoRefusals() {
        callers.start();
        Evaluator evaluator = evaluator();
        evaluate(evaluator, Map.of("service", "shop", "user", "u-1"));
        for (int i = 0; i < 5; i++) {
            var unused = evaluator
                    .evaluate(Attributes.of(Map.of("service", "shop", "user", "u-1", "tenant", "t")), 0)
                    .toCompletableFuture()
                    .join();
        }
        callers.flush();
        assertThat(minutes()).isEmpty();
    }

    @Test
    void aTupleIsOneCallerAndALimitForAllTellsAddresses() {
        callers.start();
        Evaluator evaluator = evaluator();
        for (int i = 0; i < 3; i++) {
            evaluate(evaluator, Map.of("service", "pair", "user", "u-100086", "tenant", "acme-42"));
            evaluate(evaluator, Map.of("service", "all", "ip", "203.0.113.9"));
        }
        callers.flush();
        RefusedMinute minute = minutes().get(0);
        assertThat(frequent(minute, "pair", "pair.0", "tenant,user"))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.caller().masked()).isEqualTo("a****42,u****86");
                    assertThat(each.most()).isEqualTo(2);
                });
        assertThat(frequent(minute, "all", "all.0", "ip"))
                .singleElement()
                .satisfies(each -> assertThat(each.caller().masked()).isEqualTo("203.0.113.*"));
    }

    /** The values appear in none of the bytes that leave the process. */
    @Test
    void neverTellsAValueUnderPrivacyHash() {
        callers.start();
        Evaluator evaluator = evaluator();
        for (int i = 0; i < 3; i++) {
            evaluate(evaluator, Map.of("service", "secret", "card", "4111222233334444", "user", "plain-user"));
        }
        callers.flush();
        RefusedMinute minute = minutes().get(0);
        assertThat(frequent(minute, "secret", "secret.0", "card"))
                .singleElement()
                .satisfies(each -> assertThat(each.caller().masked()).isEmpty());
        String bytes = new String(minute.toBytes(), StandardCharsets.ISO_8859_1);
        assertThat(bytes).doesNotContain("4111", "4444", "4****", "plain-user").contains("p****er");
    }

    @Test
    void aMinuteEndsByTheClock() {
        callers.start();
        tell("a-user");
        tell("a-user");
        clock.advance(Duration.ofSeconds(49));
        tell("a-user");
        clock.advance(Duration.ofSeconds(1));
        await(1);
        tell("a-user");
        tell("b-user");
        clock.advance(Duration.ofSeconds(60));
        await(2);
        clock.advance(Duration.ofMinutes(5));
        tell("c-user");
        callers.flush();

        List<RefusedMinute> all = minutes();
        assertThat(all).extracting(RefusedMinute::minute).containsExactly(MINUTE, MINUTE + 1, MINUTE + 7);
        assertThat(counts(all.get(0), "", "", "user")).isEqualTo(Map.of(hash("user", "a-user"), 3L));
        assertThat(counts(all.get(1), "", "", "user"))
                .isEqualTo(Map.of(hash("user", "a-user"), 1L, hash("user", "b-user"), 1L));
        assertThat(counts(all.get(2), "", "", "user")).isEqualTo(Map.of(hash("user", "c-user"), 1L));
    }

    @Test
    void aWallClockThatGoesBackHoldsNothingUp() {
        callers.start();
        tell("a-user");
        clock.stepWall(Duration.ofHours(-2));
        tell("a-user");
        clock.advance(Duration.ofSeconds(60));
        await(1);
        assertThat(counts(minutes().get(0), "", "", "user")).isEqualTo(Map.of(hash("user", "a-user"), 2L));
    }

    @Test
    void manyCallersHaveAKnownError() {
        callers.start();
        int callersCount = 100_000;
        int often = 20_000;
        for (int i = 0; i < callersCount; i++) {
            tell("user-" + i);
            if (i % (callersCount / often) == 0) {
                tell("hammer");
            }
            if (i % 8_000 == 0) {
                // Lets the thread keep up, so that nothing is dropped here.
                var unused = callers.find("unknown");
            }
        }
        callers.flush();
        RefusedMinute minute = minutes().get(0);
        RefusedMinute.Group group = group(minute, "", "", "user");
        assertThat(outbox.dropped(Kind.CALLERS)).isZero();
        assertThat(group.refused()).isEqualTo(callersCount + often);
        assertThat(group.frequent().length + group.distinct().length).isLessThan(10_000);
        FrequentCallers sketch = FrequentCallers.of(group.frequent(), SKETCH);
        Frequency hammer = sketch.counted().get(0);
        assertThat(hammer.caller().hash()).isEqualTo(hash("user", "hammer"));
        assertThat(hammer.most()).isGreaterThanOrEqualTo(often);
        assertThat(hammer.most() - hammer.error()).isLessThanOrEqualTo(often);
        // What the library promises: 3.5 divided by the size.
        assertThat(sketch.error()).isLessThanOrEqualTo((callersCount + often) * 35L / 10 / SKETCH);
        assertThat(DistinctCallers.of(group.distinct()).estimate())
                .isBetween(callersCount * 3L / 4, callersCount * 5L / 4);
    }

    /** The thread stands still, so whatever a decision did that had to wait for it would wait for ever. */
    @Test
    void aBlockedThreadNeverHoldsUpDecisionsAndWhatIsDroppedIsCounted() {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch reached = new CountDownLatch(1);
        Supplier<RuleSet> stuck = () -> {
            reached.countDown();
            try {
                blocked.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return rules;
        };
        callers = new RefusedCallers(outbox, stuck, keys, clock);
        callers.start();
        tell("first");
        join(reached);
        int sent = 100_000;
        for (int i = 0; i < sent; i++) {
            tell("user-" + i % 50);
        }
        blocked.countDown();
        callers.flush();
        RefusedMinute minute = minutes().get(0);
        long told = group(minute, "", "", "user").refused();
        assertThat(told).isEqualTo(RefusedCallers.MOST_WAITING);
        assertThat(outbox.dropped(Kind.CALLERS)).isEqualTo(sent + 1 - told);
    }

    @Test
    void tenantsAreBoundedAndTheOthersCounted() {
        callers.start();
        Ruling.Settled allowed = ruling("user", true);
        for (int i = 0; i < TenantCounts.MOST + 100; i++) {
            Attributes request = Attributes.of(Map.of("tenant", "tenant-" + i));
            callers.ruled(request, allowed, 1);
            callers.ruled(request, allowed, 1);
        }
        callers.flush();
        assertThat(minutes().get(0).tenants()).hasSize(TenantCounts.MOST);
        assertThat(outbox.dropped(Kind.CALLERS)).isEqualTo(200);
        // Tenants without requests make room for others.
        callers.flush();
        callers.ruled(Attributes.of(Map.of("tenant", "another")), allowed, 1);
        callers.flush();
        assertThat(tenants(minutes().get(1))).isEqualTo(Map.of(hash("tenant", "another"), new Figures(1, 0, 0, 0)));
        assertThat(outbox.dropped(Kind.CALLERS)).isEqualTo(200);
    }

    @Test
    void aMinuteHasAtMostSoManyGroupsAndBytes() {
        StringBuilder document = new StringBuilder("rules:\n");
        for (int i = 0; i < 300; i++) {
            document.append("  - { id: r")
                    .append(i)
                    .append(", service: s")
                    .append(i)
                    .append(", limits: [{ by: user, algorithm: fixed_window, limit: 1, align: year }] }\n");
        }
        RuleSet many = rules(document.toString());
        callers = new RefusedCallers(outbox, () -> many, keys, clock);
        callers.start();
        Evaluator evaluator = new Evaluator(
                () -> many, new Limiter(new LocalEngine(clock), clock, List.of()), null, keys, clock, callers);
        for (int i = 0; i < 300; i++) {
            for (int user = 0; user < 20; user++) {
                evaluate(evaluator, Map.of("service", "s" + i, "user", "user-" + user));
                evaluate(evaluator, Map.of("service", "s" + i, "user", "user-" + user));
                if (i == 299) {
                    evaluate(evaluator, Map.of("service", "s" + i, "user", "user-" + user));
                }
            }
        }
        callers.flush();
        RefusedMinute minute = minutes().get(0);
        assertThat(minute.groups().size()).isLessThanOrEqualTo(CallerSketches.MOST_TOLD);
        assertThat(minute.toBytes().length).isLessThan(200_000);
        assertThat(minute.groups().get(0).rule()).isEmpty();
        assertThat(minute.groups().get(0).refused()).isEqualTo(300 * 20 + 20);
        assertThat(minute.groups().get(1).rule()).isEqualTo("r299");
        long told = minute.groups().stream()
                .skip(1)
                .mapToLong(RefusedMinute.Group::refused)
                .sum();
        assertThat(outbox.dropped(Kind.CALLERS)).isEqualTo(300 * 20 + 20 - told);
    }

    @Test
    void remembersTheLastCallersForADay() {
        callers.start();
        for (int i = 0; i < KnownCallers.MOST + 10; i++) {
            tell("user-" + i);
        }
        assertThat(callers.find("unknown")).isEmpty();
        assertThat(callers.find(hash("user", "user-9"))).isEmpty();
        assertThat(callers.find(hash("user", "user-10"))).isPresent();
        tell("user-10");
        tell("another");
        assertThat(callers.find(hash("user", "another"))).isPresent();
        assertThat(callers.find(hash("user", "user-10"))).isPresent();
        assertThat(callers.find(hash("user", "user-11"))).isEmpty();
        clock.advance(Duration.ofHours(24));
        assertThat(callers.find(hash("user", "another"))).isEmpty();
    }

    @Test
    void longRequestsAreCutToWhatTellsTheCaller() {
        callers.start();
        Map<String, String> given =
                new HashMap<>(Map.of("user", "u-1", "path", "/a", "header.x-long", "x".repeat(100_000)));
        given.put("header.x-short", "y");
        callers.ruled(Attributes.of(given), refusal, 1);
        KnownCallers.Known known = callers.find(hash("user", "u-1")).orElseThrow();
        assertThat(known.request().names()).containsExactlyInAnyOrder("user", "path", "header.x-short");
        assertThat(known).hasToString("Known(hidden)");
    }

    @Test
    void anErasureForgetsTheSubjectAndNobodyElse() {
        callers.start();
        callers.ruled(Attributes.of(Map.of("user", "alice", "ip", "2001:db8::1")), refusal, 1);
        callers.ruled(Attributes.of(Map.of("user", "bob", "ip", "192.0.2.1")), refusal, 1);
        SubjectKeys alice = SubjectKeys.of("user", "alice", Map.of(), rules, keys);
        assertThat(callers.erase("1-abcd", alice).removed()).isEqualTo(2);
        assertThat(callers.find(hash("user", "alice"))).isEmpty();
        assertThat(callers.find(hash("ip", "2001:db8::2"))).isEmpty();
        assertThat(callers.find(hash("user", "bob"))).isPresent();
        assertThat(callers.erase("1-abcd", alice).removed()).isZero();
        SubjectKeys address = SubjectKeys.of("ip", "192.0.2.1", Map.of(), rules, keys);
        assertThat(callers.erase("2-abcd", address).removed()).isEqualTo(2);
        assertThat(callers.find(hash("user", "bob"))).isEmpty();
        assertThat(callers.kind()).isEqualTo("refused_callers");
    }

    @Test
    void ignoresRulingsBeforeItStartsAndAfterItIsClosed() {
        tell("early");
        callers.start();
        callers.close();
        tell("late");
        callers.flush();
        assertThat(minutes()).isEmpty();
        assertThat(outbox.dropped(Kind.CALLERS)).isZero();
    }

    private void tell(String user) {
        callers.ruled(Attributes.of(Map.of("user", user)), refusal, 1);
    }

    private Evaluator evaluator() {
        return new Evaluator(
                () -> rules, new Limiter(new LocalEngine(clock), clock, List.of()), null, keys, clock, callers);
    }

    private static void evaluate(Evaluator evaluator, Map<String, String> request) {
        var unused = evaluator
                .evaluate(Attributes.of(request), 1)
                .toCompletableFuture()
                .join();
    }

    /** Returns a ruling that has only what listeners of this kind read. */
    private Ruling.Settled ruling(String service, boolean allowed) {
        return new Ruling.Settled(
                allowed,
                Action.LIMIT,
                null,
                null,
                Optional.of(Duration.ZERO),
                "local",
                1,
                List.of(service),
                List.of(),
                1);
    }

    private String hash(String attribute, String value) {
        return new CallerMarks(keys)
                .of(rules, attribute, Attributes.of(Map.of(attribute, value)))
                .orElseThrow()
                .hash();
    }

    private void await(int batches) {
        Await.until(batches + " minutes", Duration.ofMinutes(5), () -> minutes().size() >= batches);
    }

    private List<RefusedMinute> minutes() {
        return outbox.report(0).batches().stream()
                .map(DataBatch::content)
                .map(RefusedMinute::of)
                .toList();
    }

    private static RefusedMinute.Group group(RefusedMinute minute, String rule, String limit, String attributes) {
        return minute.groups().stream()
                .filter(each -> each.rule().equals(rule)
                        && each.limit().equals(limit)
                        && each.attributes().equals(attributes))
                .findFirst()
                .orElseThrow();
    }

    private static List<Frequency> frequent(RefusedMinute minute, String rule, String limit, String attributes) {
        return FrequentCallers.of(group(minute, rule, limit, attributes).frequent(), SKETCH)
                .counted();
    }

    private static Map<String, Long> counts(RefusedMinute minute, String rule, String limit, String attributes) {
        return frequent(minute, rule, limit, attributes).stream()
                .collect(Collectors.toMap(each -> each.caller().hash(), Frequency::most));
    }

    private static Map<String, Figures> tenants(RefusedMinute minute) {
        return minute.tenants().stream()
                .collect(Collectors.toMap(each -> each.tenant().hash(), RefusedMinute.Tenant::figures));
    }

    private static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RuleSet rules(String text) {
        return new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("rules.yaml", text)).rules());
    }
}
