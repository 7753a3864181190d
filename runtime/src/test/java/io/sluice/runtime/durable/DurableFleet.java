package io.sluice.runtime.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.limit.Calendar;
import io.sluice.core.limit.FixedWindow;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.EngineDecision;
import io.sluice.core.spi.Settlement;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Processes with a durable limit of 1,000 permits a day, and the store and the center that they share. Nothing runs by itself. */
final class DurableFleet implements AutoCloseable {

    /** Only ends tests that hang. */
    static final Duration PATIENCE = Duration.ofMinutes(5);

    static final long NOON = 1_789_992_000_000_000L;
    static final FixedWindow QUOTA = daily("r.quota");
    static final FixedWindow OTHER = daily("r.other");

    private static final RuleSet DURABLE =
            rules("{ id: quota, by: tenant, algorithm: fixed_window, limit: 1000, align: day,"
                    + " durable: true }, { id: other, by: tenant, algorithm: fixed_window, limit: 1000, align: day }");

    private final Path folder;
    private final QuietClock clock = QuietClock.at(NOON);
    private final LossyStore store = new LossyStore(clock);
    private final MemoryLine center = new MemoryLine();
    private final List<Member> running = new ArrayList<>();
    private RuleSet rules = DURABLE;

    DurableFleet(Path folder) {
        this.folder = folder;
    }

    /** The clock of the store, and of processes without one of their own. */
    QuietClock clock() {
        return clock;
    }

    LossyStore store() {
        return store;
    }

    MemoryLine center() {
        return center;
    }

    /** Starts a process with a directory and a center. */
    Member start(String name) {
        return new Member(name).start();
    }

    /** Returns a process that is yet to start, with a directory and a center. */
    Member member(String name) {
        return new Member(name);
    }

    /** Takes the durable limit out of the rules. */
    void dropDurableLimit() {
        rules = rules("{ id: other, by: tenant, algorithm: fixed_window, limit: 1000, align: day }");
    }

    /** Loses the data of the store, and tells all processes that it was away. */
    void loseStore() {
        running.forEach(each -> each.quotas().storeChanged(false));
        store.lose();
    }

    @Override
    public void close() {
        running.forEach(each -> each.quotas().close(PATIENCE));
    }

    static Ask ask(FixedWindow limit, String key, long permits) {
        return Ask.charging(List.of(Demand.of(limit, key, permits)));
    }

    Settlement settlement(String key, long reserved, long actual) {
        return new Settlement(QUOTA, key, reserved, actual, clock.epochMicros(), "s1", 300_000_000L);
    }

    private static FixedWindow daily(String name) {
        return Limit.named(name).fixedWindow(1_000, Calendar.DAY, ZoneId.of("UTC"));
    }

    private static RuleSet rules(String limits) {
        RuleDocument document = RuleDocument.parse("t", "rules: [{ id: r, limits: [" + limits + "] }]");
        return new RuleSet(1, ((RuleDocument.Accepted) document).rules());
    }

    /** One process. */
    final class Member {

        private final String name;
        private Optional<DurableLine> line = Optional.of(center);
        private ManualClock time = clock;
        private int most = DurableSums.MOST;
        private DurableJournal.Disk disk = DurableJournal.DISK;
        private DurableQuotas opened;

        private Member(String name) {
            this.name = name;
        }

        Member withoutCenter() {
            line = Optional.empty();
            return this;
        }

        Member withCenter(DurableLine other) {
            line = Optional.of(other);
            return this;
        }

        Member withMost(int counts) {
            most = counts;
            return this;
        }

        Member withDisk(DurableJournal.Disk other) {
            disk = other;
            return this;
        }

        Member withClock(ManualClock other) {
            time = other;
            return this;
        }

        /** Opens the journal and looks at the store. */
        Member start() {
            var unused =
                    begin().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            opened.check();
            return this;
        }

        /** Begins to open the journal. */
        CompletableFuture<Void> begin() {
            opened = DurableQuotas.of(store, () -> rules, Optional.of(folder.resolve(name)), line, time, most, disk);
            running.add(this);
            return opened.open();
        }

        DurableQuotas quotas() {
            return opened;
        }

        /** Stops the process in an orderly way. */
        void stop() {
            running.remove(this);
            opened.close(PATIENCE);
        }

        /** Returns the directory with the journal. */
        Path durable() {
            return folder.resolve(name).resolve("durable");
        }

        Path journal() {
            return durable().resolve("journal");
        }

        Member charge(String key, long permits) {
            assertThat(((EngineDecision) opened.engine().decide(ask(QUOTA, key, permits))).allowed())
                    .isTrue();
            return this;
        }

        /** Returns what the store has counted for a key. */
        long used(String key) {
            EngineDecision looked =
                    (EngineDecision) opened.engine().decide(ask(QUOTA, key, 1).looking());
            return 1_000 - looked.verdicts().get(0).remaining();
        }

        /** Writes what has changed. */
        Member flush() throws IOException {
            opened.flush(PATIENCE);
            return this;
        }

        /** Writes and sends what has changed. */
        void send() throws IOException {
            flush();
            opened.send();
        }

        void check() {
            opened.check();
        }
    }
}
