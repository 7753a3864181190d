package io.sluice.rules.redis;

import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.watch.Looks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * A clock that stands still until a test advances it to its next alarm. So a test can tell the effect of a message from that of a
 * regular poll, however long Redis and this process take.
 */
final class AlarmClock implements Clock {

    /** Held during a check, and by the thread that moves this clock. */
    private final Object checking = new Object();

    private final List<Set> alarms = new ArrayList<>();
    private long nanos;

    @Override
    public synchronized long nanoTime() {
        return nanos;
    }

    @Override
    public synchronized long epochMicros() {
        return 1_790_000_000_000_000L + nanos / 1_000;
    }

    @Override
    public synchronized Alarm at(long atNanos, Runnable task) {
        Set set = new Set(atNanos, task);
        alarms.add(set);
        return () -> cancel(set);
    }

    /** Follows a source with checks during which this clock stands still. A check that measured a jump would believe that Redis is slow. */
    RuleFollower follow(DocumentSource source, Optional<RuleStamp> last, RuleVet vet) {
        Looks looks = Looks.onThread("sluice-rules", this, source.every());
        Executor standing = task -> looks.thread().execute(() -> {
            synchronized (checking) {
                task.run();
            }
        });
        return RuleFollower.open(source, last, vet, new Looks(this, source.every(), standing, looks.stop()));
    }

    /** Advances to the next alarm if it is due within this time. Otherwise time stands still. */
    void ring(Duration within) {
        Optional<Set> due;
        synchronized (checking) {
            due = next(within);
        }
        due.ifPresent(alarm -> alarm.task.run());
    }

    private synchronized Optional<Set> next(Duration within) {
        Optional<Set> first = alarms.stream()
                .min(Comparator.comparingLong(Set::atNanos))
                .filter(alarm -> alarm.atNanos - nanos <= within.toNanos());
        first.ifPresent(alarm -> {
            alarms.remove(alarm);
            nanos = Math.max(nanos, alarm.atNanos);
        });
        return first;
    }

    private synchronized void cancel(Set set) {
        alarms.remove(set);
    }

    /** Not a record, so that no two instances are equal. */
    private static final class Set {

        final long atNanos;
        final Runnable task;

        Set(long atNanos, Runnable task) {
            this.atNanos = atNanos;
            this.task = task;
        }

        long atNanos() {
            return atNanos;
        }
    }
}
