package io.sluice.runtime.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.yaml.JsonObject;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.data.DataBatch;
import io.sluice.runtime.data.DataOutbox;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.runtime.witness.CheckpointOffer;
import io.sluice.runtime.witness.Witness;
import io.sluice.runtime.witness.WitnessReport;
import io.sluice.runtime.witness.WitnessText;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.audit.SignedLog;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FleetMemberTest {

    private final ManualClock clock = QuietClock.at(1_790_000_000_000_000L);
    private final ScriptedLine line = new ScriptedLine();
    private final FleetMember member = new FleetMember(line, clock);
    private CapturedLog log;

    @BeforeEach
    void capture() {
        log = new CapturedLog(OutageLog.class);
    }

    @AfterEach
    void close() {
        member.close();
        log.close();
    }

    @Test
    void reportsEverySecondWithARisingBeat() {
        member.start(FleetMemberTest::report);
        untilSent(1);
        clock.advance(Duration.ofMillis(999));
        assertThat(line.beats).containsExactly(0L);
        clock.advance(Duration.ofMillis(1));
        untilSent(2);
        clock.advance(Duration.ofSeconds(1));
        untilSent(3);
        assertThat(line.beats).containsExactly(0L, 1L, 2L);
    }

    @Test
    void sendsWhatIsLeftWhenTheProcessStops() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DataPart data = new DataPart(outbox, clock);
        FleetMember sender = new FleetMember(line, clock, List.of(data));
        data.add(() -> outbox.add(DataBatch.Kind.COUNTS, new byte[] {1}));
        sender.start(FleetMemberTest::report);
        untilSent(1);
        assertThat(outbox.hasMore()).isFalse();
        sender.close();
        // Nobody says that it is stored, so it is sent several times.
        until("the last reports", () -> line.beats.size() > 1);
        assertThat(outbox.report(1).batches()).hasSize(1);
    }

    @Test
    void aCenterThatIsLostDoesNotHoldUpTheEnd() {
        DataOutbox outbox = DataOutbox.acknowledged();
        DataPart data = new DataPart(outbox, clock);
        FleetMember sender = new FleetMember(line, clock, List.of(data));
        outbox.add(DataBatch.Kind.COUNTS, new byte[] {1});
        line.nodes = 1;
        sender.start(FleetMemberTest::report);
        untilSent(1);
        line.failure = new LostCenterException("no route", false);
        clock.advance(Duration.ofSeconds(1));
        until("it is lost", () -> !sender.findings().isEmpty());
        int sent = line.beats.size();
        sender.close();
        until("one last attempt", () -> line.beats.size() == sent + 1);
    }

    @Test
    void knowsHowManyMembersLive() {
        assertThat(member.liveNodes()).isZero();
        line.nodes = 3;
        member.start(FleetMemberTest::report);
        until("the number", () -> member.liveNodes() == 3);
        line.nodes = 10;
        next();
        until("the next number", () -> member.liveNodes() == 10);
        line.nodes = 0;
        next();
        assertThat(member.liveNodes()).isEqualTo(10);
    }

    @Test
    void keepsTheNumberWhileTheCenterIsLostAndLogsOneLineEach() {
        line.nodes = 3;
        member.start(FleetMemberTest::report);
        until("the number", () -> member.liveNodes() == 3);
        line.failure = new LostCenterException("no route", false);
        for (int i = 0; i < 5; i++) {
            next();
        }
        until("the loss", () -> !member.findings().isEmpty());
        assertThat(member.findings()).containsExactly("reports do not reach the center: no route");
        assertThat(member.liveNodes()).isEqualTo(3);
        line.failure = null;
        for (int i = 0; i < 3; i++) {
            next();
        }
        until("the return", () -> log.lines().size() == 2);
        assertThat(log.lines()).containsExactly("lost: no route", "back");
        assertThat(member.findings()).isEmpty();
    }

    @Test
    void logsAnAnswerThatIsARefusalOnce() {
        line.failure = new LostCenterException("no route", false);
        member.start(FleetMemberTest::report);
        untilSent(1);
        line.failure = new LostCenterException("it answers 401", true);
        next();
        next();
        until("the refusal", () -> log.lines().size() == 2);
        assertThat(log.lines()).containsExactly("lost: no route", "lost: it answers 401");
    }

    @Test
    void aCenterThatStopsToAnswerIsLost() {
        line.silent = true;
        member.start(FleetMemberTest::report);
        untilSent(1);
        next();
        assertThat(member.findings()).isEmpty();
        line.silent = false;
        line.nodes = 2;
        next();
        until("the number", () -> member.liveNodes() == 2);
        line.silent = true;
        next();
        until("the loss", () -> !member.findings().isEmpty());
        assertThat(member.liveNodes()).isEqualTo(2);
    }

    @Test
    void nobodyMissesReportsWithoutACenter() {
        line.hasCenter = false;
        line.failure = new LostCenterException("no route", false);
        member.start(FleetMemberTest::report);
        next();
        next();
        assertThat(member.findings()).isEmpty();
        line.failure = new LostCenterException("NOPERM", true);
        next();
        until("the loss", () -> !member.findings().isEmpty());
        assertThat(log.lines()).containsExactly("lost: NOPERM");
    }

    @Test
    void survivesAReportThatCannotBeMade() {
        member.start(beat -> {
            if (beat == 0) {
                throw new IllegalStateException("no findings");
            }
            return report(beat);
        });
        until("the loss", () -> !member.findings().isEmpty());
        clock.advance(Duration.ofSeconds(1));
        until("the return", () -> member.findings().isEmpty());
    }

    @Test
    void aLineThatHangsDelaysNobodyElse() {
        CountDownLatch hanging = new CountDownLatch(1);
        line.nodes = 4;
        line.hang = hanging;
        member.start(FleetMemberTest::report);
        assertThat(member.liveNodes()).isZero();
        assertThat(member.findings()).isEmpty();
        clock.advance(Duration.ofSeconds(10));
        hanging.countDown();
        until("the number", () -> member.liveNodes() == 4);
    }

    @Test
    void aWitnessReportsWhatTheAnswerBeforeShowed() {
        SignedLog log = SignedLog.of(7);
        ScriptedLine audited = new ScriptedLine();
        audited.audit = Optional.of(WitnessText.offer(JsonObject.parse(log.offer(1_790_000_000_000L), 10_000)));
        Witness witness = Witness.of(Optional.empty(), clock);
        try (FleetMember audits = new FleetMember(audited, clock, List.of(new WitnessPart(witness)))) {
            audits.start(FleetMemberTest::report);
            until("the second report", () -> {
                clock.advance(Duration.ofSeconds(1));
                return audited.witnesses.size() >= 2;
            });
            assertThat(audited.witnesses.get(0)).isEmpty();
            assertThat(audited.witnesses.get(1).orElseThrow().root()).isEqualTo(log.root(7));
            assertThat(audits.findings()).isEmpty();
            audited.audit =
                    Optional.of(WitnessText.offer(JsonObject.parse(log.cut(5).offer(1_790_000_060_000L), 10_000)));
            until("the refusal", () -> {
                clock.advance(Duration.ofSeconds(1));
                return audits.findings()
                        .contains("the audit log of the center is refused: the center shows 5 rows, this node has"
                                + " witnessed 7");
            });
        }
    }

    @Test
    void closingClosesTheLine() {
        member.start(FleetMemberTest::report);
        untilSent(1);
        member.close();
        until("the line is closed", () -> line.closed);
        clock.advance(Duration.ofSeconds(10));
        assertThat(line.beats).hasSize(1);
    }

    /** Lets a second pass, and waits for its report. */
    private void next() {
        int sent = line.beats.size();
        until("the next report", () -> {
            clock.advance(Duration.ofSeconds(1));
            return line.beats.size() > sent;
        });
    }

    private void untilSent(int reports) {
        until(reports + " reports", () -> line.beats.size() == reports);
        // The alarm for the next report is set after the answer.
        until("the answer", () -> line.answered.get() == reports);
    }

    private static void until(String what, BooleanSupplier condition) {
        Await.until(what, Duration.ofMinutes(1), condition);
    }

    private static NodeReport report(long beat) {
        return new NodeReport(
                new NodeIdentity("n", Kind.NODE, "", "", 0),
                beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(Mode.LOCAL, Breaker.NONE));
    }

    private static final class ScriptedLine implements FleetLine {

        final List<Long> beats = new CopyOnWriteArrayList<>();
        final OutageLog log = new OutageLog("lost", "back");
        volatile int nodes = 1;
        final AtomicInteger answered = new AtomicInteger();
        volatile boolean silent;
        volatile boolean hasCenter = true;
        volatile boolean closed;
        volatile Optional<CheckpointOffer> audit = Optional.empty();
        final List<Optional<WitnessReport>> witnesses = new CopyOnWriteArrayList<>();
        volatile LostCenterException failure;
        volatile CountDownLatch hang = new CountDownLatch(0);

        @Override
        public Optional<Fleet> send(NodeReport report) throws LostCenterException {
            beats.add(report.beat());
            witnesses.add(report.answers().witness());
            try {
                hang.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            LostCenterException known = failure;
            if (known != null) {
                throw known;
            }
            return silent ? Optional.empty() : Optional.of(new Fleet(nodes, 0, "", 0).with(audit, List.of()));
        }

        @Override
        public boolean hasCenter() {
            return hasCenter;
        }

        @Override
        public OutageLog log() {
            answered.incrementAndGet();
            return log;
        }

        @Override
        public void close() {
            closed = true;
        }
    }
}
