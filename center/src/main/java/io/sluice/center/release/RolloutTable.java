package io.sluice.center.release;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of rollouts. */
final class RolloutTable {

    private static final String SELECT = "SELECT id, version, state, started_at, ended_at, nodes FROM rollout ";

    void add(JdbcClient client, Rollout rollout) {
        client.sql("INSERT INTO rollout (id, version, state, started_at, ended_at, nodes) VALUES (?, ?, ?, ?, ?, ?)")
                .params(
                        rollout.id(),
                        rollout.version(),
                        rollout.state().word(),
                        rollout.startedAt(),
                        rollout.endedAt(),
                        rollout.nodes())
                .update();
    }

    Optional<Rollout> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(RolloutTable::row)
                .optional();
    }

    List<Rollout> list(JdbcClient client, long below, int most) {
        return client.sql(SELECT + "WHERE id < ? ORDER BY id DESC LIMIT " + most)
                .param(below)
                .query(RolloutTable::row)
                .list();
    }

    /** Returns the rollout of the newest version, if it goes on. */
    Optional<Rollout> underWay(JdbcClient client) {
        return client.sql(SELECT + "WHERE state = ? ORDER BY id DESC LIMIT 1")
                .param(RolloutState.RELEASING.word())
                .query(RolloutTable::row)
                .optional();
    }

    /** Ends the rollouts that go on, because a newer version replaces theirs. */
    void supersede(JdbcClient client, long at) {
        client.sql("UPDATE rollout SET state = ?, ended_at = ? WHERE state = ?")
                .params(RolloutState.SUPERSEDED.word(), at, RolloutState.RELEASING.word())
                .update();
    }

    /** Ends a rollout that goes on. Returns whether it did. */
    boolean finish(JdbcClient client, long id, long at, String nodes) {
        return client.sql("UPDATE rollout SET state = ?, ended_at = ?, nodes = ? WHERE id = ? AND state = ?")
                        .params(RolloutState.DONE.word(), at, nodes, id, RolloutState.RELEASING.word())
                        .update()
                == 1;
    }

    private static Rollout row(ResultSet row, int index) throws SQLException {
        return new Rollout(
                row.getLong(1),
                row.getLong(2),
                RolloutState.of(row.getString(3)),
                row.getLong(4),
                row.getLong(5),
                row.getString(6));
    }
}
