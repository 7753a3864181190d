package io.sluice.center.release;

import io.sluice.center.database.LostRaceException;
import io.sluice.center.plan.PlanText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The table of rollouts. */
final class RolloutTable {

    private static final String COLUMNS = "id, revision, version, state, started_at, ended_at, nodes, change_id, actor,"
            + " reason, digest, expected_base, fires_at, plan, automatic, replaces, attribute, split_key, step, step_at,"
            + " verdict, problem, successor";

    private static final String SELECT = "SELECT " + COLUMNS + " FROM rollout ";

    void add(JdbcClient client, Rollout rollout) {
        ReleaseOrder order = rollout.order();
        Rollout.Progress progress = rollout.progress();
        client.sql("INSERT INTO rollout (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                        + " ?, ?, ?, ?, ?)")
                .params(
                        rollout.id(),
                        rollout.revision(),
                        rollout.version(),
                        rollout.state().word(),
                        rollout.startedAt(),
                        rollout.endedAt(),
                        rollout.nodes(),
                        order.change(),
                        order.actor(),
                        order.reason(),
                        order.digest(),
                        order.base().orElse(-1),
                        order.firesAt(),
                        PlanText.write(order.plan()),
                        order.plan().automatic() ? 1 : 0,
                        progress.replaces(),
                        progress.attribute(),
                        progress.key(),
                        progress.step(),
                        progress.stepAt(),
                        progress.verdict().map(TrialVerdict::json).orElse(""),
                        progress.problem(),
                        progress.successor())
                .update();
    }

    /**
     * Replaces a rollout of the same revision. Returns it with the next revision.
     *
     * @throws LostRaceException if it was changed in the meantime
     */
    Rollout replace(JdbcClient client, Rollout rollout) {
        Rollout.Progress progress = rollout.progress();
        int rows = client.sql("UPDATE rollout SET revision = ?, version = ?, state = ?, started_at = ?, ended_at = ?,"
                        + " nodes = ?, automatic = ?, replaces = ?, attribute = ?, split_key = ?, step = ?, step_at = ?,"
                        + " verdict = ?, problem = ?, successor = ? WHERE id = ? AND revision = ?")
                .params(
                        rollout.revision() + 1,
                        rollout.version(),
                        rollout.state().word(),
                        rollout.startedAt(),
                        rollout.endedAt(),
                        rollout.nodes(),
                        rollout.order().plan().automatic() ? 1 : 0,
                        progress.replaces(),
                        progress.attribute(),
                        progress.key(),
                        progress.step(),
                        progress.stepAt(),
                        progress.verdict().map(TrialVerdict::json).orElse(""),
                        progress.problem(),
                        progress.successor(),
                        rollout.id(),
                        rollout.revision())
                .update();
        if (rows != 1) {
            throw new LostRaceException("rollout " + rollout.id() + ": changed by somebody else");
        }
        return find(client, rollout.id()).orElseThrow();
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

    /** Returns the running rollout of the newest version. */
    Optional<Rollout> underWay(JdbcClient client) {
        return client.sql(SELECT + "WHERE state = ? ORDER BY id DESC LIMIT 1")
                .param(RolloutState.RELEASING.word())
                .query(RolloutTable::row)
                .optional();
    }

    /** Returns the running trial. */
    Optional<Rollout> trial(JdbcClient client) {
        return client.sql(SELECT + "WHERE state IN (?, ?) ORDER BY id DESC LIMIT 1")
                .params(RolloutState.TRIAL.word(), RolloutState.HOLDING.word())
                .query(RolloutTable::row)
                .optional();
    }

    /** Returns the schedules whose time has come, in the order of their times. */
    List<Rollout> due(JdbcClient client, long nowMillis) {
        return client.sql(SELECT + "WHERE state = ? AND fires_at <= ? ORDER BY fires_at, id")
                .params(RolloutState.SCHEDULED.word(), nowMillis)
                .query(RolloutTable::row)
                .list();
    }

    /** Ends the running rollouts because a newer version replaces theirs. */
    void supersede(JdbcClient client, long at) {
        client.sql("UPDATE rollout SET state = ?, ended_at = ?, revision = revision + 1 WHERE state = ?")
                .params(RolloutState.SUPERSEDED.word(), at, RolloutState.RELEASING.word())
                .update();
    }

    /** Ends a running rollout. Returns false if it had already ended. */
    boolean finish(JdbcClient client, long id, long at, String nodes) {
        return client.sql("UPDATE rollout SET state = ?, ended_at = ?, nodes = ?, revision = revision + 1"
                                + " WHERE id = ? AND state = ?")
                        .params(RolloutState.DONE.word(), at, nodes, id, RolloutState.RELEASING.word())
                        .update()
                == 1;
    }

    private static Rollout row(ResultSet row, int index) throws SQLException {
        long base = row.getLong("expected_base");
        return new Rollout(
                row.getLong("id"),
                row.getLong("revision"),
                row.getLong("version"),
                RolloutState.of(row.getString("state")),
                row.getLong("started_at"),
                row.getLong("ended_at"),
                row.getString("nodes"),
                new ReleaseOrder(
                        row.getLong("change_id"),
                        row.getString("actor"),
                        row.getString("reason"),
                        row.getString("digest"),
                        base < 0 ? OptionalLong.empty() : OptionalLong.of(base),
                        row.getLong("fires_at"),
                        PlanText.read(row.getString("plan"), row.getLong("automatic") != 0)),
                new Rollout.Progress(
                        row.getLong("replaces"),
                        row.getString("attribute"),
                        row.getString("split_key"),
                        row.getInt("step"),
                        row.getLong("step_at"),
                        TrialVerdict.parse(row.getString("verdict")),
                        row.getString("problem"),
                        row.getLong("successor")));
    }
}
