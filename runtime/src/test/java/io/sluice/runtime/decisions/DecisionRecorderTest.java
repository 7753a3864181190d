package io.sluice.runtime.decisions;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.rules.pattern.Attributes;
import io.sluice.runtime.RateLimitMetrics;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataBatch.Kind;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.data.DecisionEntry;
import io.sluice.runtime.data.DecisionEntry.Outcome;
import io.sluice.runtime.decisions.DecisionSettings.Shares;
import io.sluice.testkit.Await;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(300)
class DecisionRecorderTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private static final String RULES = """
            rules:
              - { id: shut, mode: local, match: { path: /shut }, limits: [{ algorithm: fixed_window, limit: 0, window: 1h }] }
              - { id: wide, mode: local, match: { path: /wide }, limits: [{ rate: 1000000000 }] }
            """;

    private final LoggedTraffic traffic = new LoggedTraffic(RULES);
    private final List<DecisionEntry> written = new CopyOnWriteArrayList<>();
    private final PlaceCounts counts = new PlaceCounts("file");

    private DecisionPlace place() {
        return new DecisionPlace() {
            @Override
            public void write(List<byte[]> lines) {
                for (byte[] line : lines) {
                    written.add(DecisionEntry.parse(new String(line, StandardCharsets.UTF_8).strip()));
                }
                counts.addLogged(lines.size());
            }

            @Override
            public void close() {}
        };
    }

    private DecisionRecorder recorder(DecisionSettings settings, Optional<DataOutbox> outbox, DecisionPlace... places) {
        List<PlaceQueue> queues = new ArrayList<>();
        for (DecisionPlace place : places) {
            queues.add(new PlaceQueue(place, counts));
        }
        return new DecisionRecorder(
                settings,
                queues,
                outbox,
                Optional.empty(),
                () -> traffic.rules,
                LoggedTraffic.KEYS,
                traffic.clock,
                new Random(17)::nextDouble);
    }

    private static DecisionSettings shares(Shares usual, Map<String, Shares> rules, double center) {
        return new DecisionSettings(Optional.empty(), Optional.empty(), usual, rules, center);
    }

    private void send(DecisionRecorder recorder, String path, int times) {
        for (int i = 0; i < times; i++) {
            traffic.send(recorder, Map.of("path", path, "ip", "203.0.113.7"));
        }
    }

    /** Closing alone waits only a short time. */
    private static void finish(DecisionRecorder recorder) {
        Await.until("everything is written", PATIENCE, recorder::isIdle);
        recorder.close();
    }

    private static List<DecisionEntry> sent(DataOutbox outbox) {
        List<DecisionEntry> entries = new ArrayList<>();
        for (DataBatch batch : outbox.report(1).batches()) {
            assertThat(batch.kind()).isEqualTo(Kind.DECISIONS);
            entries.addAll(DecisionEntry.list(batch.content()));
        }
        return entries;
    }

    @Test
    void logsTheShareOfEachRule() {
        DecisionRecorder recorder = recorder(
                shares(new Shares(0.5, 0.1), Map.of("shut", new Shares(1, 0), "wide", new Shares(1, 0.2)), 0),
                Optional.empty(),
                place());
        recorder.start();
        for (int i = 0; i < 10; i++) {
            send(recorder, "/shut", 1_000);
            send(recorder, "/wide", 1_000);
            send(recorder, "/other", 1_000);
            recorder.flush();
        }
        finish(recorder);

        assertThat(written).filteredOn(each -> each.rule().equals("shut")).hasSize(10_000);
        assertThat(written).filteredOn(each -> each.rule().equals("wide")).hasSizeBetween(1_700, 2_300);
        assertThat(written).filteredOn(each -> each.rule().isEmpty()).hasSizeBetween(800, 1_200);
        assertThat(counts.logged()).isEqualTo(written.size());
        assertThat(counts.dropped()).isZero();
    }

    @Test
    void aShareOfZeroLogsNothingAndLooksAreNeverLogged() {
        DecisionRecorder recorder = recorder(shares(new Shares(0, 0), Map.of(), 0), Optional.empty(), place());
        recorder.start();
        send(recorder, "/shut", 100);
        send(recorder, "/wide", 100);
        finish(recorder);
        assertThat(written).isEmpty();
        assertThat(counts.dropped()).isZero();

        DecisionRecorder all = recorder(shares(new Shares(1, 1), Map.of(), 0), Optional.empty(), place());
        all.start();
        traffic.evaluator(all)
                .evaluate(Attributes.of(Map.of("path", "/wide")), 0)
                .toCompletableFuture()
                .join();
        finish(all);
        assertThat(written).isEmpty();
    }

    @Test
    void aPlaceThatHangsBlocksNoDecisionAndWhatDoesNotFitIsCounted() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch free = new CountDownLatch(1);
        DecisionPlace stuck = new DecisionPlace() {
            @Override
            public void write(List<byte[]> lines) {
                hanging.countDown();
                try {
                    free.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                counts.addLogged(lines.size());
            }

            @Override
            public void close() {}
        };
        DataOutbox outbox = DataOutbox.acknowledged();
        DecisionRecorder recorder = recorder(shares(new Shares(1, 1), Map.of(), 0), Optional.of(outbox), stuck);
        recorder.start();
        send(recorder, "/shut", 1);
        hanging.await();

        // Every one of these returns although nobody writes. Together they are more than the way to the place can hold.
        int decisions = 60_000;
        for (int i = 0; i < 60; i++) {
            send(recorder, "/shut", decisions / 60);
            recorder.flush();
        }
        assertThat(counts.logged()).isZero();
        assertThat(counts.dropped()).isGreaterThan(10_000);
        // The center is not affected.
        assertThat(sent(outbox)).hasSize(CenterSample.MOST_REFUSED);

        free.countDown();
        Await.until("all are counted", PATIENCE, () -> counts.logged() + counts.dropped() == decisions + 1);
        finish(recorder);
    }

    @Test
    void aFullQueueDropsAndCounts() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DecisionRecorder recorder = recorder(shares(new Shares(1, 1), Map.of(), 0), Optional.of(outbox), place());
        // Nobody takes anything out of the queue yet.
        send(recorder, "/shut", DecisionRecorder.MOST_QUEUED + 500);
        assertThat(counts.dropped()).isEqualTo(500);

        recorder.start();
        finish(recorder);
        assertThat(written).hasSize(DecisionRecorder.MOST_QUEUED);
    }

    @Test
    void hugeAttributesFillTheQueueEarlier() {
        DecisionRecorder recorder = recorder(shares(new Shares(1, 1), Map.of(), 0), Optional.empty(), place());
        String huge = "x".repeat(1 << 20);
        for (int i = 0; i < 40; i++) {
            traffic.send(recorder, Map.of("path", "/shut", "body.text", huge));
        }
        assertThat(counts.dropped()).isEqualTo(9);
        recorder.start();
        finish(recorder);
        assertThat(written).hasSize(31);
    }

    @Test
    void theCenterGetsEveryRefusalUpToAHundredASecondAndAShareOfTheAllowedOnes() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DecisionRecorder recorder = recorder(shares(new Shares(1, 1), Map.of(), 0.5), Optional.of(outbox));
        recorder.start();
        for (int second = 0; second < 3; second++) {
            send(recorder, "/shut", 130);
            send(recorder, "/wide", 10 + second * 100);
            recorder.flush();
            traffic.clock.advance(Duration.ofSeconds(1));
        }
        List<DecisionEntry> entries = sent(outbox);
        assertThat(entries)
                .filteredOn(each -> each.outcome() == Outcome.REJECTED)
                .hasSize(300);
        assertThat(entries)
                .filteredOn(each -> each.outcome() == Outcome.ALLOWED)
                .hasSizeBetween(41, 50);
        recorder.flush();
        assertThat(outbox.dropped(Kind.DECISIONS)).isEqualTo(90);
        PlaceCounts center = recorder.counts().get(0);
        assertThat(center.place()).isEqualTo("center");
        assertThat(center.logged()).isEqualTo(entries.size());
        assertThat(center.dropped()).isEqualTo(90);
        finish(recorder);
    }

    @Test
    void theSampleReachesTheOutboxEachSecond() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DecisionRecorder recorder = recorder(DecisionSettings.NONE, Optional.of(outbox));
        recorder.start();
        send(recorder, "/shut", 3);
        traffic.clock.advance(Duration.ofSeconds(1));
        Await.until("the sample is in the outbox", PATIENCE, () -> outbox.hasMore());
        assertThat(sent(outbox)).hasSize(3);
        finish(recorder);
    }

    @Test
    void afterAFlushNothingIsLeftBehind() {
        DecisionRecorder recorder = recorder(DecisionSettings.NONE, Optional.of(DataOutbox.acknowledged()));
        recorder.start();
        // Often, because the thread of the recorder may be anywhere in its work when the flush comes.
        for (int round = 1; round <= 1_000; round++) {
            send(recorder, "/shut", 20);
            recorder.flush();
            assertThat(recorder.counts().get(0).logged()).isEqualTo(20L * round);
            traffic.clock.advance(Duration.ofSeconds(1));
        }
        finish(recorder);
    }

    @Test
    void hostileRequestsCannotFillTheOutbox() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DecisionRecorder recorder = recorder(DecisionSettings.NONE, Optional.of(outbox));
        recorder.start();
        for (int i = 0; i < 100; i++) {
            traffic.send(
                    recorder,
                    Map.of("path", "/shut", "service", "\u0001".repeat(9_000), "method", "\u0002".repeat(9_000)));
        }
        recorder.flush();
        int characters =
                sent(outbox).stream().mapToInt(each -> each.toJson().length()).sum();
        assertThat(characters).isPositive().isLessThanOrEqualTo(CenterSample.MOST_CHARACTERS);
        assertThat(outbox.dropped(Kind.DECISIONS) + sent(outbox).size()).isEqualTo(100);
        finish(recorder);
    }

    @Test
    void withoutAPlaceAndACenterThereIsNothingToDo() {
        assertThat(DecisionRecorder.open(
                        DecisionSettings.NONE,
                        Optional.of(DataOutbox.repeating(10)),
                        () -> traffic.rules,
                        LoggedTraffic.KEYS,
                        traffic.clock))
                .isEmpty();
    }

    @Test
    void writesFilesAndCountsThemInMetrics(@TempDir Path folder) throws Exception {
        DecisionSettings settings = new DecisionSettings(
                Optional.of(new DecisionSettings.Files(folder, 1 << 20, 1 << 30, Duration.ofDays(180))),
                Optional.empty(),
                new Shares(1, 1),
                Map.of(),
                0);
        DecisionRecorder recorder = DecisionRecorder.open(
                        settings, Optional.empty(), () -> traffic.rules, LoggedTraffic.KEYS, traffic.clock)
                .orElseThrow();
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        RateLimitMetrics.ofSetsAndCode(registry).watch(recorder);
        send(recorder, "/shut", 20);
        send(recorder, "/wide", 20);
        finish(recorder);

        try (Stream<Path> files = Files.list(folder)) {
            Path file = files.filter(each -> each.toString().endsWith(".jsonl"))
                    .findFirst()
                    .orElseThrow();
            assertThat(Files.readAllLines(file))
                    .hasSize(40)
                    .allMatch(line -> DecisionEntry.parse(line).version() == 7);
        }
        assertThat(registry.get("rate_limit_decisions_logged")
                        .tag("place", "file")
                        .functionCounter()
                        .count())
                .isEqualTo(40);
        assertThat(registry.get("rate_limit_decisions_dropped")
                        .tag("place", "file")
                        .functionCounter()
                        .count())
                .isZero();
        assertThat(recorder.erasable()).isPresent();
    }
}
