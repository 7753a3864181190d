package io.sluice.center.release;

import io.sluice.core.time.Clock;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Elects one of the centers on a database. The leader raises a number with each turn. A center that sees the same number for five
 * seconds of its own monotonic clock takes over, so clocks need not agree.
 *
 * <p>A leader that was stopped for longer may believe for one more turn that it leads. What leaders do is harmless if two do it.
 * Used by one thread.
 */
final class Leadership {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final String self;
    private final Clock clock;
    private long seenBeat = -1;
    private String seenHolder = "";
    private long sinceNanos;

    private record Row(String holder, long beat) {}

    Leadership(String self, Clock clock) {
        this.self = self;
        this.clock = clock;
    }

    /** Takes a turn, in a transaction. Returns whether this center leads. */
    boolean turn(JdbcClient client) {
        Optional<Row> row = client.sql("SELECT holder, beat FROM leadership WHERE name = 'reconciler'")
                .query((found, index) -> new Row(found.getString(1), found.getLong(2)))
                .optional();
        if (row.isEmpty()) {
            client.sql("INSERT INTO leadership (name, holder, beat) VALUES ('reconciler', ?, 1)")
                    .param(self)
                    .update();
            return true;
        }
        Row now = row.get();
        if (!now.holder().equals(self) && !isSilent(now)) {
            return false;
        }
        return client.sql(
                                "UPDATE leadership SET holder = ?, beat = ? WHERE name = 'reconciler' AND holder = ? AND beat = ?")
                        .params(self, now.beat() + 1, now.holder(), now.beat())
                        .update()
                == 1;
    }

    /** Gives the leadership up, so that another center need not wait. */
    void resign(JdbcClient client) {
        client.sql("DELETE FROM leadership WHERE name = 'reconciler' AND holder = ?")
                .param(self)
                .update();
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
