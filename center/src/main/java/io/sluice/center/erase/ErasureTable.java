package io.sluice.center.erase;

import io.sluice.center.database.Database;
import io.sluice.runtime.erasure.ErasureResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.RowCallbackHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** The tables of erasures and of the answers of nodes. */
final class ErasureTable {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String COLUMNS =
            "id, attribute, subject_hash, sealed, reason, actor, at, state, ended_at, result";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM erasure ";

    /**
     * The answer of a node.
     *
     * @param at the time in milliseconds since the epoch
     */
    record Answer(long at, ErasureResult result) {}

    void add(JdbcClient client, Erasure erasure) {
        client.sql("INSERT INTO erasure (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        erasure.id(),
                        erasure.attribute(),
                        erasure.subject(),
                        erasure.sealed(),
                        erasure.reason(),
                        erasure.actor(),
                        erasure.at(),
                        erasure.state().word(),
                        erasure.endedAt(),
                        erasure.removal().json())
                .update();
    }

    Optional<Erasure> find(JdbcClient client, long id) {
        return client.sql(SELECT + "WHERE id = ?")
                .param(id)
                .query(ErasureTable::row)
                .optional();
    }

    /** Returns the erasures below a number, newest first. */
    List<Erasure> list(JdbcClient client, long below, int most) {
        return client.sql(SELECT + "WHERE id < ? ORDER BY id DESC LIMIT " + most)
                .param(below)
                .query(ErasureTable::row)
                .list();
    }

    /** Returns the erasures above a number and all erasures that wait for nodes, in their order. */
    List<Erasure> news(JdbcClient client, long above) {
        return client.sql(SELECT + "WHERE id > ? OR state = ? ORDER BY id")
                .params(above, Erasure.State.PENDING.word())
                .query(ErasureTable::row)
                .list();
    }

    long pending(JdbcClient client) {
        return client.sql("SELECT COUNT(*) FROM erasure WHERE state = ?")
                .param(Erasure.State.PENDING.word())
                .query(Long.class)
                .single();
    }

    /** Returns whether the database contains an erasure of a subject from this time or later. */
    boolean covers(JdbcClient client, String subject, long at) {
        return client.sql("SELECT COUNT(*) FROM erasure WHERE subject_hash = ? AND at >= ?")
                        .params(subject, at)
                        .query(Long.class)
                        .single()
                > 0;
    }

    void update(JdbcClient client, long id, Removal removal) {
        client.sql("UPDATE erasure SET result = ? WHERE id = ?")
                .params(removal.json(), id)
                .update();
    }

    /** Ends an erasure and forgets its subject. Returns false if it had already ended. */
    boolean end(JdbcClient client, long id, Erasure.State state, long at) {
        return client.sql("UPDATE erasure SET state = ?, ended_at = ?, sealed = '' WHERE id = ? AND state = ?")
                        .params(state.word(), at, id, Erasure.State.PENDING.word())
                        .update()
                == 1;
    }

    /** Stores the answer of a node. Returns false if the node has answered before. */
    boolean answer(JdbcClient client, long erasure, String node, Answer answer) {
        if (answers(client, erasure).containsKey(node)) {
            return false;
        }
        client.sql("INSERT INTO erasure_answer (id, erasure, node, at, result) VALUES (?, ?, ?, ?, ?)")
                .params(
                        Database.next(client, "erasure_answer"),
                        erasure,
                        node,
                        answer.at(),
                        JSON.writeValueAsString(answer.result()))
                .update();
        return true;
    }

    /** Returns the answers of nodes by the ids of the nodes. */
    Map<String, Answer> answers(JdbcClient client, long erasure) {
        Map<String, Answer> answers = new LinkedHashMap<>();
        client.sql("SELECT node, at, result FROM erasure_answer WHERE erasure = ? ORDER BY id")
                .param(erasure)
                .query((RowCallbackHandler) row -> answers.put(
                        row.getString(1),
                        new Answer(row.getLong(2), JSON.readValue(row.getString(3), ErasureResult.class))));
        return answers;
    }

    private static Erasure row(ResultSet row, int index) throws SQLException {
        return new Erasure(
                row.getLong(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                Erasure.State.of(row.getString(8)),
                row.getLong(9),
                Removal.parse(row.getString(10)));
    }
}
