package io.sluice.center.duty;

import io.sluice.core.time.Clock;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Elects one of the centers on a database. The leader raises a number with each turn. A center that sees the same number for five
 * seconds of its own monotonic clock takes over, so clocks need not agree.
 *
 * <p>Each takeover starts a term. Terms only rise, even when leaders resign, because the number of the term has its own row.
 * Everything that a leader writes to Redis carries its term, and Redis refuses writes with an older term. Used by one thread.
 */
public final class Leadership {

    /** The time after which a silent leader is replaced. */
    public static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final String TERM = "term";
    private static final String MIRROR = "mirror";

    private final String self;
    private final Clock clock;
    private long seenBeat = -1;
    private String seenHolder = "";
    private long sinceNanos;

    private record Row(String holder, long beat) {}

    public Leadership(String self, Clock clock) {
        this.self = self;
        this.clock = clock;
    }

    /**
     * Takes a turn, in a transaction. Returns the term of this center; 0 if it does not lead.
     *
     * @param above a term that was found elsewhere. If this center leads nevertheless, that term belongs to another database,
     *     such as one that a backup replaced, and the term of this center continues above it
     */
    public long turn(JdbcClient client, long above) {
        Optional<Row> row = row(client, "reconciler");
        if (row.isEmpty()) {
            client.sql("INSERT INTO leadership (name, holder, beat) VALUES ('reconciler', ?, 1)")
                    .param(self)
                    .update();
            return nextTerm(client, above);
        }
        Row now = row.get();
        boolean isOwn = now.holder().equals(self);
        if (!isOwn && !isSilent(now)) {
            return 0;
        }
        boolean leads = client.sql("UPDATE leadership SET holder = ?, beat = ? WHERE name = 'reconciler' AND holder = ?"
                                + " AND beat = ?")
                        .params(self, now.beat() + 1, now.holder(), now.beat())
                        .update()
                == 1;
        if (!leads) {
            return 0;
        }
        Optional<Row> term = row(client, TERM).filter(each -> each.holder().equals(self));
        boolean continues = isOwn && term.isPresent() && term.get().beat() > above;
        return continues ? term.get().beat() : nextTerm(client, above);
    }

    /** Returns whether this center still leads. Called in the transaction that depends on it. */
    public boolean holds(JdbcClient client) {
        return row(client, "reconciler")
                .filter(now -> now.holder().equals(self))
                .isPresent();
    }

    /** Gives up the leadership, so that another center need not wait. */
    public void resign(JdbcClient client) {
        client.sql("DELETE FROM leadership WHERE name = 'reconciler' AND holder = ?")
                .param(self)
                .update();
    }

    /** Asks the leading center to write the mirror in Redis again. */
    public void askForMirror(JdbcClient client) {
        long unused = raise(client, MIRROR, 0);
    }

    /** Returns the number of requests for the mirror. */
    public static long mirrorsAsked(JdbcClient client) {
        return row(client, MIRROR).map(Row::beat).orElse(0L);
    }

    private long nextTerm(JdbcClient client, long above) {
        return raise(client, TERM, above);
    }

    private long raise(JdbcClient client, String name, long above) {
        Optional<Row> last = row(client, name);
        long next = Math.max(last.map(Row::beat).orElse(0L), above) + 1;
        client.sql(
                        last.isPresent()
                                ? "UPDATE leadership SET holder = ?, beat = ? WHERE name = ?"
                                : "INSERT INTO leadership (holder, beat, name) VALUES (?, ?, ?)")
                .params(self, next, name)
                .update();
        return next;
    }

    private static Optional<Row> row(JdbcClient client, String name) {
        return client.sql("SELECT holder, beat FROM leadership WHERE name = ?")
                .param(name)
                .query((found, index) -> new Row(found.getString(1), found.getLong(2)))
                .optional();
    }

    private boolean isSilent(Row row) {
        long now = clock.nanoTime();
        if (row.beat() != seenBeat || !row.holder().equals(seenHolder)) {
            seenBeat = row.beat();
            seenHolder = row.holder();
            sinceNanos = now;
        }
        return now - sinceNanos > PATIENCE_NANOS;
    }
}
