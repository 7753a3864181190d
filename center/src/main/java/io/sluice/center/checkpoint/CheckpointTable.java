package io.sluice.center.checkpoint;

import io.sluice.runtime.witness.Checkpoint;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The checkpoints in the database. Every method runs within a transaction of the caller. */
final class CheckpointTable {

    /** The kinds of rows that are signed immediately. */
    private static final String RELEASES =
            "'release_change', 'fire_schedule', 'promote_trial', 'abort_rollout', 'roll_back', 'take_over',"
                    + " 'begin_emergency', 'rotate_audit_key'";

    private static final long ALL_STAY_MILLIS = Duration.ofDays(1).toMillis();

    private CheckpointTable() {}

    /** Returns the checkpoint that was signed last. */
    static Optional<Checkpoint> newest(JdbcClient client, String log) {
        return client.sql("SELECT size, root, at, key_id, signature FROM audit_checkpoint"
                        + " ORDER BY at DESC, size DESC LIMIT 1")
                .query((row, index) -> new Checkpoint(
                        log, row.getLong(1), row.getString(2), row.getLong(3), row.getString(4), row.getString(5)))
                .optional();
    }

    /** Returns whether a release was logged after a row. */
    static boolean isReleasedAfter(JdbcClient client, long number) {
        return client.sql("SELECT COUNT(*) FROM command WHERE number > ? AND outcome = 'done' AND kind IN (" + RELEASES
                                + ")")
                        .param(number)
                        .query(Long.class)
                        .single()
                > 0;
    }

    /** Stores a checkpoint. It replaces an earlier one of the same size. */
    static void put(JdbcClient client, Checkpoint checkpoint) {
        client.sql("DELETE FROM audit_checkpoint WHERE size = ?")
                .param(checkpoint.size())
                .update();
        client.sql("INSERT INTO audit_checkpoint (size, root, at, key_id, signature) VALUES (?, ?, ?, ?, ?)")
                .params(
                        checkpoint.size(),
                        checkpoint.root(),
                        checkpoint.atMillis(),
                        checkpoint.key(),
                        checkpoint.signature())
                .update();
    }

    /**
     * Removes checkpoints that are older than a day, except for the last one of each day. The tree proves everything that the removed
     * checkpoints proved.
     */
    static void thin(JdbcClient client, long nowMillis) {
        List<long[]> old = client.sql("SELECT size, at FROM audit_checkpoint WHERE at < ? ORDER BY at, size")
                .param(nowMillis - ALL_STAY_MILLIS)
                .query((row, index) -> new long[] {row.getLong(1), row.getLong(2)})
                .list();
        for (int i = 0; i + 1 < old.size(); i++) {
            if (day(old.get(i)[1]) == day(old.get(i + 1)[1])) {
                client.sql("DELETE FROM audit_checkpoint WHERE size = ?")
                        .param(old.get(i)[0])
                        .update();
            }
        }
    }

    private static long day(long millis) {
        return TimeUnit.MILLISECONDS.toDays(millis);
    }
}
