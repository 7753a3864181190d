package io.sluice.center.callers;

import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.core.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bounds how many callers one person reveals, and tells the audit log about each of them. Thread-safe. */
final class Reveals {

    /** A person reveals at most this many callers in a minute. */
    static final int MOST_A_MINUTE = 30;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final CallersParts center;
    private final Clock clock;
    private final Map<String, Deque<Long>> asked = new HashMap<>();

    Reveals(CallersParts center) {
        this.center = center;
        this.clock = center.clock();
    }

    /** Returns whether a person may ask once more now. Each question counts, whether or not a node knows the caller. */
    synchronized boolean admits(Actor actor) {
        long now = clock.nanoTime();
        asked.values().removeIf(times -> {
            times.removeIf(at -> now - at >= MINUTE_NANOS);
            return times.isEmpty();
        });
        Deque<Long> times = asked.computeIfAbsent(actor.identity(), unused -> new ArrayDeque<>());
        if (times.size() >= MOST_A_MINUTE) {
            return false;
        }
        times.addLast(now);
        return true;
    }

    /** Writes to the audit log who is about to learn which caller. The values are not a part of it. */
    void log(Actor actor, String reason, String masked, RevealReply reveal) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("hash", reveal.hash());
        details.put("caller", masked);
        details.put("attributes", reveal.attributes().keySet().stream().sorted().toList());
        details.put("hidden", reveal.hidden());
        long unused = center.database()
                .write(client -> center.log().add(client, actor, new Command.Act("reveal", reason, details)));
    }
}
