package io.sluice.center.durable;

import io.sluice.center.database.Database;
import io.sluice.core.limit.Calendar;
import io.sluice.core.time.Clock;
import io.sluice.runtime.center.CenterDurableLine;
import io.sluice.runtime.durable.DurableCount;
import io.sluice.runtime.durable.DurableSum;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * The sums of durable limits that nodes send, in the database. Thread-safe.
 *
 * <p>Each sum belongs to one node, which counts its changes, so an older state never replaces a newer one. The first question about a Redis
 * without its data fixes the answer: all nodes restore the same sums, and each node knows the amount that it has to add.
 */
public final class DurableBook {

    private static final Logger LOG = LoggerFactory.getLogger(DurableBook.class);

    /** The maximum number of sums. Further sums are left out. Nodes keep 100,000 each. */
    private static final int MOST_SUMS = 1_000_000;

    /** The maximum number of answers about stores that are kept. */
    static final int MOST_RESTORES = 100;

    private static final String COLUMNS =
            "source, s.store, limit_name, calendar, zone, count_key, window_start, window_end";

    private static final RowMapper<DurableSum> SUM = (row, index) -> new DurableSum(
            row.getString(1),
            row.getString(2),
            new DurableCount(
                    row.getString(3),
                    Calendar.of(row.getString(4)),
                    row.getString(5),
                    row.getString(6),
                    row.getLong(7),
                    row.getLong(8)),
            row.getLong(9),
            row.getLong(10));

    private final Database database;
    private final Clock clock;
    private final int most;
    private final AtomicBoolean full = new AtomicBoolean();

    public DurableBook(Database database, Clock clock) {
        this(database, clock, MOST_SUMS);
    }

    DurableBook(Database database, Clock clock, int most) {
        this.database = database;
        this.clock = clock;
        this.most = most;
    }

    /**
     * Stores sums. When the method returns, the sums are in the database, except for new sums without room. Such sums are not refused: the
     * node would send them repeatedly, could not send other sums, and could not restore anything.
     */
    void add(List<DurableSum> sums) {
        boolean fits = database.write(client -> {
            long rows = client.sql("SELECT COUNT(*) FROM durable_sum")
                    .query(Long.class)
                    .single();
            for (DurableSum sum : sums) {
                String ref = sum.ref();
                int changed = client.sql("UPDATE durable_sum SET used = ?, changes = ? WHERE ref = ? AND changes < ?")
                        .params(sum.used(), sum.changes(), ref, sum.changes())
                        .update();
                if (changed == 0 && !exists(client, ref)) {
                    if (rows++ < most) {
                        insert(client, ref, sum);
                    }
                }
            }
            return rows <= most;
        });
        if (!fits && full.compareAndSet(false, true)) {
            LOG.warn("durable limits have more than {} sums; others are only in the nodes that charged them", most);
        }
    }

    private static void insert(JdbcClient client, String ref, DurableSum sum) {
        DurableCount count = sum.count();
        client.sql("INSERT INTO durable_sum (ref, source, store, limit_name, calendar, zone, count_key, window_start,"
                        + " window_end, used, changes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        ref,
                        sum.source(),
                        sum.store(),
                        count.limit(),
                        count.calendar().word(),
                        count.zone(),
                        count.key(),
                        count.startMicros(),
                        count.endMicros(),
                        sum.used(),
                        sum.changes())
                .update();
    }

    private static boolean exists(JdbcClient client, String ref) {
        return client.sql("SELECT 1 FROM durable_sum WHERE ref = ?")
                .param(ref)
                .query(Integer.class)
                .optional()
                .isPresent();
    }

    /** Returns the next sums after a name, ordered by name. */
    List<DurableSum> page(String after) {
        return database.read(
                client -> client.sql("SELECT " + COLUMNS + ", used, changes FROM durable_sum s WHERE ref > ?"
                                + " ORDER BY ref LIMIT " + CenterDurableLine.PAGE)
                        .param(after)
                        .query(SUM)
                        .list());
    }

    /**
     * Returns the next sums of other stores after a name, ordered by name. The sums are in the state of the first question about this
     * store.
     */
    List<DurableSum> earlierThan(String store, String after) {
        boolean known = database.read(client -> isFixed(client, store));
        if (!known) {
            boolean unused = database.write(client -> {
                fix(client, store);
                return true;
            });
        }
        return database.read(client -> client.sql("SELECT " + COLUMNS + ", r.used, s.changes FROM durable_restored r"
                        + " JOIN durable_sum s ON s.ref = r.ref WHERE r.store = ? AND r.ref > ? ORDER BY r.ref LIMIT "
                        + CenterDurableLine.PAGE)
                .params(store, after)
                .query(SUM)
                .list());
    }

    private static boolean isFixed(JdbcClient client, String store) {
        return client.sql("SELECT 1 FROM durable_restore WHERE store = ?")
                .param(store)
                .query(Integer.class)
                .optional()
                .isPresent();
    }

    private void fix(JdbcClient client, String store) {
        if (isFixed(client, store)) {
            return;
        }
        long now = TimeUnit.MICROSECONDS.toMillis(clock.epochMicros());
        client.sql("INSERT INTO durable_restore (store, at) VALUES (?, ?)")
                .params(store, now)
                .update();
        client.sql(
                        "INSERT INTO durable_restored (store, ref, used) SELECT ?, ref, used FROM durable_sum WHERE store <> ?")
                .params(store, store)
                .update();
        List<String> all = client.sql("SELECT store FROM durable_restore ORDER BY at DESC, store")
                .query(String.class)
                .list();
        all.stream().skip(MOST_RESTORES).forEach(old -> {
            client.sql("DELETE FROM durable_restored WHERE store = ?")
                    .param(old)
                    .update();
            client.sql("DELETE FROM durable_restore WHERE store = ?").param(old).update();
        });
    }

    /** Removes sums by their names, even from free pages of an embedded database. */
    void remove(List<String> refs) {
        boolean removed = database.write(client -> {
            int rows = 0;
            for (String ref : refs) {
                client.sql("DELETE FROM durable_restored WHERE ref = ?")
                        .param(ref)
                        .update();
                rows += client.sql("DELETE FROM durable_sum WHERE ref = ?")
                        .param(ref)
                        .update();
            }
            return rows > 0;
        });
        if (removed && !database.scrub()) {
            LOG.info("somebody reads from the database; erased sums stay in its free pages until it is cleaned again");
        }
    }
}
