package io.sluice.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RefusalLogTest {

    private static final Duration GATHER = Duration.ofSeconds(10);
    private static final Pattern COUNT = Pattern.compile("refused (\\d+) requests? in 10 s: .*");

    private final ManualClock clock = QuietClock.at(0);
    private final CapturedLog log = new CapturedLog(RefusalLog.class);
    private final Evaluator evaluator = evaluator("""
        rules:
          - id: none
            resource: /none
            limits: [{ by: user, limit: 0, window: 1m }]
          - id: banned
            resource: /banned
            action: deny
          - id: shadowed
            resource: /shadow
            shadow: true
            limits: [{ limit: 0, window: 1m }]
        """);

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void logsAllRefusalsInOneLineWithTheMostFrequentFirst() {
        TreeMap<String, Long> gathered = new TreeMap<>();
        for (long i = 1; i <= 7; i++) {
            gathered.put("rule." + i, i);
        }

        assertThat(RefusalLog.line(gathered))
                .isEqualTo("refused 28 requests in 10 s: rule.7 7, rule.6 6, rule.5 5, rule.4 4, rule.3 3 and 2 more");
    }

    @Test
    void logsTenSecondsAfterTheFirstRefusal() {
        ask("/none", "u-17", 1);
        ask("/none", "u-18", 1);
        ask("/banned", "u-17", 1);
        clock.advance(GATHER.minusNanos(1));
        assertThat(log.lines()).isEmpty();

        clock.advance(Duration.ofNanos(1));
        assertThat(log.lines()).containsExactly("refused 3 requests in 10 s: none.0 2, banned 1");
    }

    @Test
    void logsNothingWhileNothingIsRefused() {
        ask("/shadow", "u-17", 1);
        ask("/other", "u-17", 1);
        // Requests that only look are not refused.
        ask("/none", "u-17", 0);
        clock.advance(GATHER.multipliedBy(3));

        assertThat(log.lines()).isEmpty();
    }

    @Test
    void startsAnewAfterEachLine() {
        ask("/none", "u-17", 1);
        clock.advance(GATHER.multipliedBy(5));
        ask("/banned", "u-17", 1);
        clock.advance(GATHER);

        assertThat(log.lines())
                .containsExactly("refused 1 request in 10 s: none.0 1", "refused 1 request in 10 s: banned 1");
    }

    @Test
    void countsEveryRefusalOnceWhileLinesAreLogged() throws Exception {
        int threads = 4;
        int each = 20_000;
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        List<Future<?>> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            running.add(callers.submit(() -> {
                for (int request = 0; request < each; request++) {
                    ask("/banned", "u-17", 1);
                }
            }));
        }
        while (running.stream().anyMatch(caller -> !caller.isDone())) {
            clock.advance(GATHER);
        }
        for (Future<?> caller : running) {
            caller.get();
        }
        clock.advance(GATHER);

        assertThat(logged()).isEqualTo((long) threads * each);
        callers.shutdown();
        assertThat(callers.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
    }

    private long logged() {
        return log.lines().stream()
                .map(COUNT::matcher)
                .filter(Matcher::matches)
                .mapToLong(line -> Long.parseLong(line.group(1)))
                .sum();
    }

    private void ask(String path, String user, long permits) {
        evaluator
                .evaluate(Attributes.of(Map.of("path", path, "user", user)), permits)
                .toCompletableFuture()
                .join();
    }

    private Evaluator evaluator(String document) {
        RuleSet rules = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("t", document)).rules());
        Limiter limiter = new Limiter(new LocalEngine(clock), clock, List.of());
        return new Evaluator(() -> rules, limiter, null, KeySettings.ofThisProcess(), clock, new RefusalLog(clock));
    }
}
