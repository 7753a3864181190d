package io.sluice.replay.advice;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.local.LocalEngine;
import io.sluice.replay.log.LogReader;
import io.sluice.replay.run.ReplayResult;
import io.sluice.replay.run.RuleResult;
import io.sluice.rules.changes.LimitWords;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Advice on traffic whose right numbers are known. */
final class AdvisorTest {

    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private static final String BUCKET = "{ by: user, rate: 100/s, burst: 7 }";

    @ParameterizedTest
    @CsvSource({"200, '5/s, burst 1'", "1000, 1/s", "2000, 30/m", "50, '20/s, burst 1'", "30000, 2/m"})
    void aConstantRateNeedsThatRateAndNoBurst(long everyMillis, String expected) {
        long until = Math.max(5 * MINUTE, 100 * everyMillis);
        LimitAdvice limit = new SyntheticLog()
                .every(everyMillis, 0, until, "a")
                .every(everyMillis, everyMillis / 2, until, "b")
                .one(BUCKET, "0%");
        assertThat(LimitWords.amount(limit.needed())).isEqualTo(expected);
        assertThat(limit.refused()).isZero();
    }

    @Test
    void aBurstOnTopOfARateNeedsBothApart() {
        // Two a second, and once fifty at the same moment as one of them.
        LimitAdvice limit = new SyntheticLog()
                .every(500, 0, 20 * MINUTE, "a")
                .times(50, 10 * MINUTE, "a")
                .one(BUCKET, "0%");
        assertThat(LimitWords.amount(limit.needed())).isEqualTo("2/s, burst 51");
        assertThat(limit.refused()).isZero();
    }

    @Test
    void trafficThatGoesOnAndOffNeedsItsAverageAndABurst() {
        // Five a second for 12 s of each minute: 60 a minute. At 1/s, 60 - 11.8 are used at the last of them.
        SyntheticLog log = new SyntheticLog();
        for (long minute = 0; minute < 30; minute++) {
            log.every(200, minute * MINUTE, minute * MINUTE + 12 * SECOND, "a");
        }
        assertThat(LimitWords.amount(log.one(BUCKET, "0%").needed())).isEqualTo("1/s, burst 49");
    }

    @Test
    void whatLastsLongerThanTheSpanIsSustained() {
        // Ten a second for five minutes of an hour. Over a minute that is no burst, so the rate is 10/s and not the
        // average.
        SyntheticLog log = new SyntheticLog().every(SECOND, 0, HOUR, "a").every(100, 10 * MINUTE, 15 * MINUTE, "b");
        assertThat(LimitWords.amount(log.one(BUCKET, "0%").needed())).isEqualTo("10/s, burst 1");
    }

    @ParameterizedTest
    @CsvSource({"1, 11/s", "10, '1/s, burst 3001'"})
    void theSpanSaysHowLongABurstMayLast(long minutes, String expected) {
        // One a second for an hour, and ten more a second during five minutes.
        SyntheticLog log = new SyntheticLog().every(SECOND, 0, HOUR, "a").every(100, 10 * MINUTE, 15 * MINUTE, "a");
        RuleSet set = SyntheticLog.rules("{ id: a, limits: [" + BUCKET + "] }");
        LimitAdvice limit = log.advise(set, "0%", null, "0%", Duration.ofMinutes(minutes))
                .limits()
                .get(0);
        assertThat(LimitWords.amount(limit.needed())).startsWith(expected);
        assertThat(limit.refused()).isZero();
    }

    @Test
    void rulesThatActEarlyAreAdvisedUnlessTheyCountAnswers() {
        RuleSet set = SyntheticLog.rules(
                "{ id: early, for: early, limits: [{ algorithm: fixed_window, limit: 5, window: 1m }] },"
                        + "{ id: answers, for: early, match: { answer.status: 401 },"
                        + " limits: [{ algorithm: fixed_window, limit: 500, window: 1m }] },"
                        + "{ id: late, limits: [{ by: user, algorithm: fixed_window, limit: 5, window: 1m }] }");
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 300; i++) {
            log.answered(i * SECOND, "a", 401).answered(i * SECOND + 500, "b", 200);
        }
        assertThat(log.advise(set, "0%", null, "0%").limits())
                .extracting(limit -> limit.kept().orElse(LimitWords.amount(limit.needed())))
                .containsExactly("120 per 1m", "it counts answers", "60 per 1m");
    }

    @Test
    void aLogWithoutRequestsChangesNothing() {
        RuleSet set = SyntheticLog.rules("{ id: a, limits: [" + BUCKET + "] }");
        Advice advice = new SyntheticLog().advise(set, "0%", "0%", "25%");
        assertThat(advice.limits().get(0).kept()).contains("no request matches");
        assertThat(SyntheticLog.set(advice.document()).rules()).isEqualTo(set.rules());
    }

    @Test
    void leakyBucketsNeedTheRateAndTheQueue() {
        LimitAdvice limit = new SyntheticLog()
                .every(500, 0, 20 * MINUTE, "a")
                .times(50, 10 * MINUTE, "a")
                .one("{ by: user, algorithm: leaky_bucket, rate: 9/s }", "0%");
        assertThat(LimitWords.amount(limit.needed())).startsWith("2/s, capacity 50,");
        assertThat(limit.refused()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"1%, 20, 10", "0.9%, 21, 9", "0.1%, 29, 1", "0.05%, 30, 0", "0%, 30, 0"})
    void exactlyTheShareOfCallersIsLeftOut(String share, long expected, long refused) {
        // 990 callers need 1 to 20, ten callers need 21 to 30.
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 990; i++) {
            log.times(1 + i % 20, 5 * SECOND, "u" + i);
        }
        for (int i = 0; i < 10; i++) {
            log.times(21 + i, 5 * SECOND, "v" + i);
        }
        log.add(2 * MINUTE, "u0");
        LimitAdvice limit = log.one("{ by: user, algorithm: fixed_window, limit: 5, window: 1m }", share);
        assertThat(limit.callers()).isEqualTo(1_000);
        assertThat(limit.needed().capacity()).isEqualTo(expected);
        assertThat(limit.callersRefused()).isEqualTo(refused);
        assertThat(limit.leftOut()).hasSize((int) Math.min(3, refused));
        assertThat(limit.setters()).isNotEmpty().allMatch(each -> each.need() == expected);
    }

    @Test
    void oneAbusiveCallerDoesNotSetTheNumberIfItMayBeRefused() {
        SyntheticLog log = new SyntheticLog().every(100, 0, 3 * MINUTE, "abuser-17");
        for (int i = 0; i < 100; i++) {
            log.every(20 * SECOND, i * 100L, 3 * MINUTE, "user-" + i);
        }
        String limit = "{ by: user, algorithm: sliding_log, limit: 50, window: 1m }";
        LimitAdvice without = log.one(limit, "1%");
        assertThat(without.needed().capacity()).isEqualTo(3);
        assertThat(without.callersRefused()).isEqualTo(1);
        assertThat(without.leftOut()).extracting(CallerNeed::toString).containsExactly("a****17 (600)");

        Advice with = log.advise(SyntheticLog.rules("{ id: a, limits: [" + limit + "] }"), "0.1%", null, "0%");
        assertThat(with.limits().get(0).needed().capacity()).isEqualTo(600);
        assertThat(with.limits().get(0).setters())
                .extracting(CallerNeed::toString)
                .containsExactly("a****17 (600)");
        assertThat(with.findings())
                .contains(
                        "a.0: 1 of 101 callers needs 600 or more, the others at most 3. --refuse-callers 1% leaves it out.");
    }

    @ParameterizedTest
    @CsvSource({"fixed_window, 10", "sliding_log, 20", "sliding_window, 20"})
    void windowsThatAreFixedDoNotSeeABurstAcrossTheirBoundary(String algorithm, long expected) {
        SyntheticLog log = new SyntheticLog().every(2 * MINUTE, 0, 6 * HOUR, "b");
        log.times(10, 10 * MINUTE - 500, "a").times(10, 10 * MINUTE + 500, "a");
        LimitAdvice limit = log.one("{ by: user, algorithm: " + algorithm + ", limit: 5, window: 1m }", "0%");
        assertThat(limit.needed().capacity()).isEqualTo(expected);
        assertThat(limit.refused()).isZero();
    }

    @Test
    void aQuotaByTheDayNeedsTheBusiestDay() {
        SyntheticLog log = new SyntheticLog().every(DAY / 40, 0, DAY, "a").every(DAY / 55, DAY, 2 * DAY, "a");
        log.every(DAY / 12, 0, 2 * DAY, "b");
        String quota = "{ by: user, algorithm: fixed_window, limit: 1000, align: day }";
        assertThat(log.one(quota, "0%").needed().capacity()).isEqualTo(56);
        assertThat(log.one(quota, "50%").needed().capacity()).isEqualTo(12);

        LimitAdvice partOfADay =
                new SyntheticLog().every(SECOND, 0, 2 * HOUR, "a").one(quota, "0%");
        assertThat(partOfADay.kept()).contains("the log covers 1 h 59 min of 1 d 0 h");
        assertThat(partOfADay.suggested()).isEqualTo(partOfADay.today().limit());
    }

    @Test
    void concurrencyNeedsThePeakOfRequestsUnderWay() {
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 50; i++) {
            log.lasting(i * SECOND, "a", 6_500).lasting(i * SECOND, "b", 900);
        }
        String limit = "{ by: user, algorithm: concurrency, limit: 3, ttl: 1m }";
        assertThat(log.one(limit, "0%").needed().capacity()).isEqualTo(7);
        assertThat(log.one(limit, "50%").needed().capacity()).isEqualTo(1);
        assertThat(new SyntheticLog()
                        .every(100, 0, MINUTE, "a")
                        .one(limit, "0%")
                        .kept())
                .contains("the log lacks durations");
    }

    @Test
    void requestsThatAskForSeveralPermitsNeedThem() {
        SyntheticLog log = new SyntheticLog().every(SECOND, 0, 5 * MINUTE, "a").asking(150_500, "a", 40);
        LimitAdvice limit = log.one("{ by: user, algorithm: fixed_window, limit: 5, window: 1m }", "0%");
        assertThat(limit.needed().capacity()).isEqualTo(100);
        assertThat(limit.refused()).isZero();
    }

    @Test
    void callersTogetherNeedThePeakOfAll() {
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 10; i++) {
            log.every(SECOND, i * 100L, 5 * MINUTE, "u" + i);
        }
        LimitAdvice limit = log.one("{ algorithm: fixed_window, limit: 7, window: 1s }", "0.1%");
        assertThat(limit.needed().capacity()).isEqualTo(10);
        assertThat(limit.setters()).extracting(CallerNeed::toString).containsExactly("all together (10)");
    }

    @Test
    void headroomIsAddedAndRoundedUp() {
        RuleSet set = SyntheticLog.rules("{ id: a, limits: [" + BUCKET
                + ", { id: w, by: user, algorithm: fixed_window, limit: 5, window: 1m }] }");
        SyntheticLog log = new SyntheticLog().every(SECOND, 0, 10 * MINUTE, "a").times(9, 5 * MINUTE, "a");
        List<LimitAdvice> limits = log.advise(set, "0%", null, "25%").limits();
        assertThat(limits)
                .extracting(limit -> LimitWords.amount(limit.needed()))
                .containsExactly("1/s, burst 10", "69 per 1m");
        assertThat(limits)
                .extracting(limit -> LimitWords.amount(limit.suggested()))
                .containsExactly("75/m, burst 13", "87 per 1m");
    }

    @Test
    void aShareOfRequestsIsTheSmallestNumberThatRefusesNoMore() {
        // Each minute has one request more than the one before: 1, 2, … 60. Together 1,830; 1 % are 18, and 55 refuses
        // 15, 54 refuses 21.
        SyntheticLog log = new SyntheticLog();
        for (int minute = 0; minute < 60; minute++) {
            log.times(minute + 1, minute * MINUTE + SECOND, "a");
        }
        Advice advice = log.advise(
                SyntheticLog.rules("{ id: a, limits: [{ by: user, algorithm: fixed_window, limit: 5, window: 1m }] }"),
                null,
                "1%",
                "0%");
        assertThat(advice.limits().get(0).needed().capacity()).isEqualTo(55);
        assertThat(advice.limits().get(0).refused()).isEqualTo(15);
        assertThat(advice.result().set().refused()).isEqualTo(15);
    }

    @Test
    void bothSharesHoldIfBothAreGiven() {
        SyntheticLog log = new SyntheticLog().times(1_000, SECOND, "a");
        for (int i = 0; i < 99; i++) {
            log.times(10, i * SECOND, "u" + i);
        }
        RuleSet set =
                SyntheticLog.rules("{ id: a, limits: [{ by: user, algorithm: fixed_window, limit: 5, window: 1m }] }");
        assertThat(log.advise(set, "1%", null, "0%").limits().get(0).needed().capacity())
                .isEqualTo(10);
        assertThat(log.advise(set, "1%", "10%", "0%").limits().get(0).needed().capacity())
                .isEqualTo(801);
        assertThat(log.advise(set, "0%", "10%", "0%").limits().get(0).needed().capacity())
                .isEqualTo(1_000);
    }

    @Test
    void keepsNumbersThatTheLogSaysNothingAbout() {
        RuleSet set = SyntheticLog.rules("{ id: few, match: { user: rare }, limits: [{ limit: 5, window: 1m }] },"
                + "{ id: none, resource: /b, limits: [{ limit: 5, window: 1m }] },"
                + "{ id: off, enabled: false, limits: [{ limit: 5, window: 1m }] },"
                + "{ id: code, for: code, limits: [{ limit: 5, window: 1m }] },"
                + "{ id: zero, match: { user: banned }, limits: [{ limit: 0, window: 1m }] },"
                + "{ id: week, limits: [{ limit: 5, window: 7d }] },"
                + "{ id: denied, action: deny, match: { user: worse } }");
        SyntheticLog log = new SyntheticLog()
                .every(100, 0, 5 * MINUTE, "a")
                .every(10 * SECOND, 0, 5 * MINUTE, "rare")
                .every(SECOND, 0, 5 * MINUTE, "banned")
                .every(SECOND, 0, 5 * MINUTE, "worse");
        Advice advice = log.advise(set, "0%", null, "25%");
        assertThat(advice.limits())
                .extracting(limit -> limit.rule().id() + ": " + limit.kept().orElse(""))
                .containsExactly(
                        "few: only 30 requests",
                        "none: no request matches",
                        "off: the rule is disabled",
                        "code: no request of a log can match the rule",
                        "zero: it refuses everything",
                        "week: the log covers 4 min 59 s of 7 d 0 h");
        assertThat(SyntheticLog.set(advice.document()).rules()).isEqualTo(set.rules());
        assertThat(advice.document()).contains("# few.0: 5 per 1m stays: only 30 requests.");
    }

    @Test
    void shadowLimitsAreAdvisedAndStayInShadow() {
        RuleSet set = SyntheticLog.rules(
                "{ id: a, shadow: true, limits: [{ by: user, algorithm: fixed_window, limit: 500, window: 1m }] }");
        SyntheticLog log =
                new SyntheticLog().every(SECOND, 0, 5 * MINUTE, "quiet-1").every(100, 0, 5 * MINUTE, "noisy-2");
        Advice advice = log.advise(set, "50%", null, "0%");
        LimitAdvice limit = advice.limits().get(0);
        assertThat(limit.needed().capacity()).isEqualTo(60);
        assertThat(limit.refused()).isEqualTo(5 * 540);
        assertThat(limit.callersRefused()).isEqualTo(1);
        assertThat(limit.setters()).extracting(CallerNeed::toString).containsExactly("q****-1 (60)");
        assertThat(advice.result().set().refused()).isZero();
        assertThat(SyntheticLog.set(advice.document()).rules().get(0).shadow()).isTrue();
    }

    @Test
    void callersWithNumbersOfTheirOwnKeepThem() {
        RuleSet set =
                SyntheticLog.rules("{ id: a, limits: [{ by: user, algorithm: fixed_window, limit: 500, window: 1m }],"
                        + " overrides: [{ when: { user: partner }, limit: 9 }] }");
        SyntheticLog log = new SyntheticLog().every(SECOND, 0, 5 * MINUTE, "a").every(100, 0, 5 * MINUTE, "partner");
        Advice advice = log.advise(set, "0%", null, "0%");
        LimitAdvice limit = advice.limits().get(0);
        assertThat(limit.needed().capacity()).isEqualTo(60);
        assertThat(limit.requests()).isEqualTo(300);
        assertThat(limit.refused()).isZero();
        assertThat(SyntheticLog.set(advice.document()).rules().get(0).overrides())
                .isEqualTo(set.rules().get(0).overrides());
    }

    @Test
    void saysIfCallersShareCounts() throws IOException {
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 3_000; i++) {
            log.add(i * 20L, "u" + i);
        }
        RuleSet set =
                SyntheticLog.rules("{ id: a, limits: [{ by: user, algorithm: fixed_window, limit: 5, window: 1m }] }");
        AdviceGoal goal = new AdviceGoal(
                Optional.of(Share.percent("callers", "0%", 100)),
                Optional.empty(),
                Share.percent("headroom", "0%", 100),
                Duration.ofMinutes(1));
        Advisor few = new Advisor(set, goal, 100);
        assertThat(few.advise(log.logs(few.attributes()), (count, any) -> {}).findings())
                .anyMatch(each -> each.startsWith("The numbers of rule a are not exact from synthetic:"));
        Advisor enough = new Advisor(set, goal, 10_000);
        assertThat(enough.advise(log.logs(enough.attributes()), (count, any) -> {})
                        .findings())
                .noneMatch(each -> each.contains("exact"));
    }

    @Test
    void hiddenCallersStayHidden() {
        LimitAdvice limit = new SyntheticLog()
                .every(SECOND, 0, 5 * MINUTE, "somebody")
                .one("{ by: user, privacy: hash, algorithm: fixed_window, limit: 500, window: 1m }", "0%");
        assertThat(limit.setters()).extracting(CallerNeed::toString).containsExactly("hidden (60)");
    }

    @Test
    void needsOfMoreThanAnAlgorithmCanCountAreSaid() {
        SyntheticLog log = new SyntheticLog();
        for (int i = 0; i < 200; i++) {
            log.asking(i * SECOND, "a", 1_000);
        }
        LimitAdvice limit = log.one("{ by: user, algorithm: sliding_log, limit: 5, window: 3m }", "0%");
        assertThat(limit.kept()).contains("needs more than 100000, the most of sliding_log");
    }

    @Test
    void saysIfTheLogsChangeWhileTheyAreRead() throws IOException {
        RuleSet set = SyntheticLog.rules("{ id: a, limits: [{ by: user, limit: 5, window: 1m }] }");
        AdviceGoal goal = new AdviceGoal(
                Optional.of(Share.percent("callers", "0%", 100)),
                Optional.empty(),
                Share.percent("headroom", "0%", 100),
                Duration.ofMinutes(1));
        Advisor advisor = new Advisor(set, goal, LocalEngine.DEFAULT_MAX_KEYS);
        Queue<LogReader> opened = new ArrayDeque<>(List.of(
                new SyntheticLog()
                        .every(SECOND, 0, 5 * MINUTE, "a")
                        .logs(advisor.attributes())
                        .open(),
                new SyntheticLog()
                        .every(SECOND, 0, 6 * MINUTE, "a")
                        .logs(advisor.attributes())
                        .open()));
        assertThat(advisor.advise(opened::remove, (count, log) -> {}).findings())
                .contains("The logs changed while they were read: 300 requests, then 360. Use logs that are complete.");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void suggestedRulesAreLegalAndRefuseAtMostTheShare(int seed) {
        Random random = new Random(seed);
        SyntheticLog log = random(random);
        RuleSet set = SyntheticLog.rules(
                "{ id: a, limits: [" + limit(random, "x") + ", " + limit(random, "y") + "] }," + "{ id: b, limits: ["
                        + limit(random, "z") + ", { algorithm: fixed_window, limit: 9, window: 10s }] }");
        boolean byRequests = random.nextBoolean();
        String share = random.nextInt(6) + "%";
        Advice advice = log.advise(
                set,
                byRequests ? null : share,
                byRequests ? share : null,
                List.of("0%", "20%").get(random.nextInt(2)));
        assertThat(RuleDocument.parse("suggested", advice.document())).isInstanceOf(RuleDocument.Accepted.class);
        ReplayResult replayed = log.replay(SyntheticLog.set(advice.document()));
        assertThat(replayed.set().refused()).isEqualTo(advice.result().set().refused());
        Share most = Share.percent("share", share, 100);
        for (LimitAdvice limit : advice.limits()) {
            assertThat(limit.kept()).isEmpty();
            if (byRequests) {
                assertThat(limit.refused()).isLessThanOrEqualTo(most.of(limit.requests()));
            } else if (!limit.today().by().isEmpty()) {
                assertThat(limit.callersRefused()).isLessThanOrEqualTo(most.of(limit.callers()));
            }
            assertThat(limit.refused()).isEqualTo(refused(replayed, limit));
        }
        assertThat(advice.findings()).noneMatch(each -> each.contains("refuses more than"));
    }

    @ParameterizedTest
    @ValueSource(ints = {41, 42, 43, 44})
    void limitsTogetherNeverRefuseMoreCallersThanEachAlone(int seed) {
        Random random = new Random(seed);
        SyntheticLog log = random(random);
        String first = limit(random, "x");
        String second = limit(random, "y");
        List<LimitAdvice> together = log.advise(
                        SyntheticLog.rules("{ id: a, limits: [" + first + ", " + second + "] }"), "10%", null, "0%")
                .limits();
        List<LimitAdvice> alone = List.of(log.one(first, "10%"), log.one(second, "10%"));
        for (int i = 0; i < 2; i++) {
            assertThat(together.get(i).suggested()).isEqualTo(alone.get(i).suggested());
            assertThat(alone.get(i).callersRefused()).isPositive();
            assertThat(together.get(i).callersRefused())
                    .isLessThanOrEqualTo(alone.get(i).callersRefused());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {21, 22, 23, 24, 25, 26, 27, 28, 29, 30})
    void oneLessRefusesMoreThanTheShare(int seed) {
        Random random = new Random(seed);
        SyntheticLog log = random(random);
        RuleSet set = SyntheticLog.rules("{ id: a, limits: [" + limit(random, "x") + "] }");
        boolean byRequests = seed % 2 == 0;
        Share most = Share.percent("share", random.nextInt(6) + "%", 100);
        String share = most.toString();
        LimitAdvice limit = log.advise(set, byRequests ? null : share, byRequests ? share : null, "0%")
                .limits()
                .get(0);
        long number = LimitNumbers.number(limit.suggested());
        RuleSet less = new RuleSet(
                1,
                OpenRules.with(
                        set,
                        Map.of(
                                limit.today().id(),
                                LimitNumbers.with(
                                        limit.suggested(), LimitNumbers.rate(limit.suggested()), number - 1))));
        RuleResult refusing = log.replay(less).set().rules().get(0);
        if (byRequests) {
            assertThat(refusing.refused()).isGreaterThan(most.of(limit.requests()));
        } else {
            assertThat(refusing.callersRefused()).isGreaterThan(most.of(limit.callers()));
        }
    }

    private static long refused(ReplayResult result, LimitAdvice limit) {
        return result.set().rules().stream()
                .flatMap(rule -> rule.limits().stream())
                .filter(each -> each.id().equals(limit.today().id()))
                .findFirst()
                .orElseThrow()
                .refused();
    }

    private static SyntheticLog random(Random random) {
        SyntheticLog log = new SyntheticLog();
        int callers = 20 + random.nextInt(150);
        IntStream.range(0, callers).forEach(caller -> {
            int sent = 5 + (int) Math.abs(random.nextGaussian() * 20);
            for (int i = 0; i < sent; i++) {
                log.add(random.nextInt((int) (10 * MINUTE)) / (1 + caller % 3), "u" + caller);
            }
            log.add(10 * MINUTE, "u" + caller);
        });
        return log;
    }

    private static String limit(Random random, String id) {
        String form = List.of(
                        "rate: 3/s, burst: 5",
                        "rate: 90/m",
                        "algorithm: leaky_bucket, rate: 2/s",
                        "algorithm: fixed_window, limit: 5, window: 30s",
                        "algorithm: sliding_log, limit: 5, window: 20s",
                        "algorithm: sliding_window, limit: 5, window: 1m",
                        "algorithm: sliding_window, weighted: true, limit: 5, window: 1m")
                .get(random.nextInt(7));
        return String.format(Locale.ROOT, "{ id: %s, by: user, %s }", id, form);
    }
}
