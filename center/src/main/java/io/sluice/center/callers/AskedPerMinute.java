package io.sluice.center.callers;

import io.sluice.center.command.Actor;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Bounds how many questions each actor asks per minute. Thread-safe. */
public final class AskedPerMinute {

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final int most;
    private final Clock clock;
    private final Map<String, Deque<Long>> asked = new HashMap<>();

    /** @param most the maximum number of questions per actor and minute */
    public AskedPerMinute(int most, Clock clock) {
        this.most = most;
        this.clock = clock;
    }

    /** Returns whether an actor may ask another question now. Each admitted question counts, whether or not it succeeds. */
    public synchronized boolean admits(Actor actor) {
        long now = clock.nanoTime();
        asked.values().removeIf(times -> {
            times.removeIf(at -> now - at >= MINUTE_NANOS);
            return times.isEmpty();
        });
        Deque<Long> times = asked.computeIfAbsent(actor.identity(), unused -> new ArrayDeque<>());
        if (times.size() >= most) {
            return false;
        }
        times.addLast(now);
        return true;
    }
}
