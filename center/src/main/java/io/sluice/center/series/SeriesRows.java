package io.sluice.center.series;

import io.sluice.center.database.LostRaceException;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The blocks in the database. Every method runs within a transaction of the caller. */
final class SeriesRows {

    private static final Logger LOG = LoggerFactory.getLogger(SeriesRows.class);

    private SeriesRows() {}

    /** The two kinds of blocks. */
    enum Kind {
        /** One hour of minutes. */
        MINUTES("minute", 60, 60),
        /** One day of hours. */
        HOURS("hour", 3_600, 24);

        private final String word;
        private final long stepSeconds;
        private final int slots;

        Kind(String word, long stepSeconds, int slots) {
            this.word = word;
            this.stepSeconds = stepSeconds;
            this.slots = slots;
        }

        String word() {
            return word;
        }

        int slots() {
            return slots;
        }

        long stepSeconds() {
            return stepSeconds;
        }

        long seconds() {
            return stepSeconds * slots;
        }

        /** Returns the start of the block that contains a second. */
        long start(long second) {
            return Math.floorDiv(second, seconds()) * seconds();
        }

        /** Returns the position in its block of the step that contains a second. */
        int slot(long second) {
            return (int) (Math.floorMod(second, seconds()) / stepSeconds);
        }
    }

    /** A stored block. */
    record Row(Kind kind, int part, long start, String center, long revision, Block block) {

        /** Returns the start of a step, in seconds since 1970. */
        long at(int slot) {
            return start + slot * kind.stepSeconds();
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // read once
    private record Raw(int part, long start, String center, long revision, byte[] data) {

        Row row(Kind kind) {
            return new Row(kind, part, start, center, revision, Block.of(data, kind.slots()));
        }
    }

    /** Returns the blocks of all centers that start from one second until before another. */
    static List<Row> read(JdbcClient client, Kind kind, int part, long from, long until) {
        return client
                .sql("SELECT part, start_at, center, revision, data FROM series_block"
                        + " WHERE step = ? AND part = ? AND start_at >= ? AND start_at < ? ORDER BY start_at, center")
                .params(kind.word(), part, from, until)
                .query((result, index) -> raw(result))
                .list()
                .stream()
                .map(raw -> raw.row(kind))
                .toList();
    }

    /** Returns a block of one center. */
    static Optional<Row> find(JdbcClient client, Kind kind, int part, long start, String center) {
        return client.sql("SELECT part, start_at, center, revision, data FROM series_block"
                        + " WHERE step = ? AND part = ? AND start_at = ? AND center = ?")
                .params(kind.word(), part, start, center)
                .query((result, index) -> raw(result))
                .optional()
                .map(raw -> raw.row(kind));
    }

    /**
     * Returns blocks of minutes that are not yet in a block of hours: blocks of a center, or older blocks of any center that may
     * be gone.
     */
    static List<Row> unrolled(JdbcClient client, String center, long before, long beforeOfOthers, int most) {
        return client
                .sql("SELECT part, start_at, center, revision, data FROM series_block WHERE rolled = 0"
                        + " AND (start_at < ? OR (center = ? AND start_at < ?)) ORDER BY start_at LIMIT " + most)
                .params(beforeOfOthers, center, before)
                .query((result, index) -> raw(result))
                .list()
                .stream()
                .flatMap(raw -> readable(client, raw).stream())
                .toList();
    }

    /** Returns a block if it is readable. An unreadable block must not prevent the roll-up of other blocks. */
    private static Optional<Row> readable(JdbcClient client, Raw raw) {
        try {
            return Optional.of(raw.row(Kind.MINUTES));
        } catch (IllegalArgumentException e) {
            LOG.error(
                    "figures of an hour cannot be read, so they are not in the figures of the year: {}",
                    e.getMessage());
            client.sql("UPDATE series_block SET rolled = 1 WHERE step = ? AND part = ? AND start_at = ? AND center = ?")
                    .params(Kind.MINUTES.word(), raw.part, raw.start, raw.center)
                    .update();
            return Optional.empty();
        }
    }

    /**
     * Returns blocks of minutes that are not yet in a block of hours, of all centers for a part, from one second until before
     * another.
     */
    static List<Row> unrolled(JdbcClient client, int part, long from, long until) {
        return client
                .sql("SELECT part, start_at, center, revision, data FROM series_block"
                        + " WHERE step = 'minute' AND rolled = 0 AND part = ? AND start_at >= ? AND start_at < ?")
                .params(part, from, until)
                .query((result, index) -> raw(result))
                .list()
                .stream()
                .map(raw -> raw.row(Kind.MINUTES))
                .toList();
    }

    private static Raw raw(java.sql.ResultSet result) throws java.sql.SQLException {
        return new Raw(result.getInt(1), result.getLong(2), result.getString(3), result.getLong(4), result.getBytes(5));
    }

    /** Stores a new block. */
    static void insert(JdbcClient client, Kind kind, int part, long start, String center, Block block) {
        client.sql("INSERT INTO series_block (step, part, start_at, center, revision, rolled, data)"
                        + " VALUES (?, ?, ?, ?, 1, ?, ?)")
                .params(kind.word(), part, start, center, kind == Kind.HOURS ? 1 : 0, block.toBytes())
                .update();
    }

    /** Stores a changed block. */
    static void update(JdbcClient client, Row row) {
        requireOne(client.sql("UPDATE series_block SET data = ?, rolled = ?, revision = revision + 1"
                        + " WHERE step = ? AND part = ? AND start_at = ? AND center = ? AND revision = ?")
                .params(
                        row.block.toBytes(),
                        row.kind == Kind.HOURS ? 1 : 0,
                        row.kind.word(),
                        row.part,
                        row.start,
                        row.center,
                        row.revision)
                .update());
    }

    /** Marks a block of minutes as contained in a block of hours. */
    static void rolled(JdbcClient client, Row row) {
        requireOne(client.sql("UPDATE series_block SET rolled = 1, revision = revision + 1"
                        + " WHERE step = ? AND part = ? AND start_at = ? AND center = ? AND revision = ?")
                .params(row.kind.word(), row.part, row.start, row.center, row.revision)
                .update());
    }

    private static void requireOne(int changed) {
        if (changed != 1) {
            throw new LostRaceException("another center has changed a block of figures");
        }
    }
}
