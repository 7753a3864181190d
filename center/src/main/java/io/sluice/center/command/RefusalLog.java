package io.sluice.center.command;

import io.sluice.center.database.Database;
import io.sluice.core.time.Clock;
import io.sluice.rules.pattern.Address;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores refusals in the log of commands. Any client can cause refusals, so only a limited number gets rows of their own: per minute and
 * network, and per minute in total. The other refusals are counted, and one row for each kind reports their number after the minute has
 * ended. Strangers do not use up the rows of callers with a valid credential. Thread-safe.
 *
 * <p>A refusal never fails because it cannot be stored. While the database is unavailable, refusals are counted, and rows report their
 * number afterwards.
 */
public final class RefusalLog implements AutoCloseable {

    /** The kind of a failed sign-in. */
    public static final String SIGN_IN = "sign_in";

    /** The kind of a request that is not allowed. */
    public static final String REQUEST = "request";

    /** The maximum number of rows per minute for one kind of refusal from one network. */
    static final int MOST_FROM_ONE = 20;

    /** The maximum number of rows per minute for known callers, and for strangers. */
    static final int MOST = 200;

    /** The number of rows per day for strangers after which they get only the rows of one network per minute, so that no disk fills up. */
    static final int MANY_A_DAY = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long MINUTES_A_DAY = Duration.ofDays(1).toMinutes();

    /** The pause after a failure of the database, so that requests do not wait for it repeatedly. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** The prefix length of an IPv6 network that usually belongs to one household or machine. */
    private static final int IPV6_PREFIX = 64;

    private final Database database;
    private final CommandLog log;
    private final Clock clock;

    // All guarded by this.
    private final Map<Source, Integer> bySource = new HashMap<>();
    private final Map<Caller, Integer> byCaller = new EnumMap<>(Caller.class);
    private final Map<String, Long> untold = new TreeMap<>();
    private long minute = Long.MIN_VALUE;
    private long day = Long.MIN_VALUE;
    private int strangersToday;
    private long untoldSince;
    private long pausedUntil = Long.MIN_VALUE;
    private boolean isAway;

    public RefusalLog(Database database, CommandLog log, Clock clock) {
        this.database = database;
        this.log = log;
        this.clock = clock;
    }

    /** The kinds of callers that are refused. */
    public enum Caller {
        /** A caller with a valid credential. */
        KNOWN,
        /** Any other caller. */
        STRANGER
    }

    /**
     * A refusal.
     *
     * @param actor the refused caller
     * @param details the fields of the row, without any secret
     */
    public record Refusal(Actor actor, Map<String, ?> details) {}

    private record Source(Caller caller, String kind, String network) {}

    /**
     * Stores a refusal, or counts it.
     *
     * @param kind {@link #SIGN_IN} or {@link #REQUEST}
     * @param address the address that the request came from
     * @param refusal returns the refusal; called only if the refusal gets a row
     */
    public void add(Caller caller, String kind, String address, Supplier<Refusal> refusal) {
        tell();
        if (!admits(caller, kind, address)) {
            return;
        }
        boolean stored = stores(() -> {
            Refusal known = refusal.get();
            write(known.actor().at(address), kind, known.details());
        });
        if (!stored) {
            count(kind, 1);
        }
    }

    /** Stores the number of refusals without a row, if their minute has ended. */
    public void tell() {
        tell(false);
    }

    /** Stores the number of refusals without a row. The database must still be open. */
    @Override
    public void close() {
        tell(true);
    }

    private void tell(boolean all) {
        Map<String, Long> taken;
        long since;
        synchronized (this) {
            if (untold.isEmpty() || (!all && minute() == untoldSince)) {
                return;
            }
            taken = new LinkedHashMap<>(untold);
            since = untoldSince;
            untold.clear();
        }
        taken.forEach((kind, more) -> {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("more", more);
            details.put("since", Instant.ofEpochMilli(since * MINUTE.toMillis()).toString());
            if (!stores(() -> write(Actor.CENTER, kind, details))) {
                count(kind, more);
                if (all) {
                    LOG.warn(
                            "{} refusals ({}) are not in the audit log, because the database is unavailable",
                            more,
                            kind);
                }
            }
        });
    }

    private void write(Actor actor, String kind, Map<String, ?> details) {
        long unused = database.write(client -> log.refuse(client, actor, new Command.Act(kind, "", details)));
    }

    /** Returns whether a refusal gets a row. Otherwise it is counted. */
    synchronized boolean admits(Caller caller, String kind, String address) {
        long now = minute();
        if (now != minute) {
            minute = now;
            bySource.clear();
            byCaller.clear();
        }
        if (Math.floorDiv(now, MINUTES_A_DAY) != day) {
            day = Math.floorDiv(now, MINUTES_A_DAY);
            strangersToday = 0;
        }
        int most = caller == Caller.STRANGER && strangersToday >= MANY_A_DAY ? MOST_FROM_ONE : MOST;
        // Each entry stands for at least one row, so the number of entries never exceeds the rows of a minute.
        Source source = new Source(
                caller,
                kind,
                Address.parse(address)
                        .map(parsed -> parsed.counted(IPV6_PREFIX))
                        .orElse(Address.UNKNOWN));
        if (byCaller.getOrDefault(caller, 0) >= most || bySource.getOrDefault(source, 0) >= MOST_FROM_ONE) {
            count(kind, 1);
            return false;
        }
        strangersToday += caller == Caller.STRANGER ? 1 : 0;
        byCaller.merge(caller, 1, Integer::sum);
        bySource.merge(source, 1, Integer::sum);
        return true;
    }

    private synchronized void count(String kind, long more) {
        if (untold.isEmpty()) {
            untoldSince = minute();
        }
        untold.merge(kind, more, Long::sum);
    }

    /** Runs a task that stores a row. Returns false if nothing was stored. */
    private boolean stores(Runnable task) {
        synchronized (this) {
            if (clock.epochMicros() / 1000 < pausedUntil) {
                return false;
            }
        }
        try {
            task.run();
        } catch (RuntimeException e) {
            failed(e);
            return false;
        }
        synchronized (this) {
            if (isAway) {
                isAway = false;
                LOG.info("refusals are stored in the audit log again");
            }
        }
        return true;
    }

    private synchronized void failed(RuntimeException failure) {
        pausedUntil = clock.epochMicros() / 1000 + PAUSE.toMillis();
        if (isAway) {
            return;
        }
        isAway = true;
        if (Database.isUnavailable(failure)) {
            LOG.warn("the database is unavailable; refusals are counted, and the audit log gets their number later");
        } else {
            LOG.error(
                    "a refusal cannot be stored; refusals are counted, and the audit log gets their number later",
                    failure);
        }
    }

    private long minute() {
        return Math.floorDiv(clock.epochMicros() / 1000, MINUTE.toMillis());
    }
}
