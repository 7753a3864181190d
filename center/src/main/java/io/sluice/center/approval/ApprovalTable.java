package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.command.Actor;
import io.sluice.center.database.Database;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The tables of approvals and of the authors of changes. */
final class ApprovalTable {

    private static final String COLUMNS =
            "id, kind, subject, revision, digest, base, account, actor, identity, remark, at";

    /** A person or token that opened or edited a change. */
    record Author(long revision, String actor, String identity) {}

    void add(JdbcClient client, Approval approval) {
        client.sql("INSERT INTO approval (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        approval.id(),
                        approval.kind(),
                        approval.subject(),
                        approval.revision(),
                        approval.digest(),
                        approval.base(),
                        approval.account(),
                        approval.actor(),
                        approval.identity(),
                        approval.remark(),
                        approval.at())
                .update();
    }

    /** Adds the approval of a subject that has no content of its own. */
    void add(JdbcClient client, long id, String kind, long subject, long base, Access by, String remark, long at) {
        add(
                client,
                new Approval(
                        id,
                        kind,
                        subject,
                        0,
                        "",
                        base,
                        by.account(),
                        by.actor().name(),
                        by.actor().identity(),
                        remark,
                        at));
    }

    List<Approval> of(JdbcClient client, String kind, long subject) {
        return client.sql("SELECT " + COLUMNS + " FROM approval WHERE kind = ? AND subject = ? ORDER BY id")
                .params(kind, subject)
                .query((row, index) -> new Approval(
                        row.getLong(1),
                        row.getString(2),
                        row.getLong(3),
                        row.getLong(4),
                        row.getString(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getString(8),
                        row.getString(9),
                        row.getString(10),
                        row.getLong(11)))
                .list();
    }

    void addAuthor(JdbcClient client, long change, long revision, Actor actor, long at) {
        client.sql("INSERT INTO change_author (id, change_id, revision, actor, identity, at) VALUES (?, ?, ?, ?, ?, ?)")
                .params(Database.next(client, "change_author"), change, revision, actor.name(), actor.identity(), at)
                .update();
    }

    List<Author> authors(JdbcClient client, long change) {
        return client.sql("SELECT revision, actor, identity FROM change_author WHERE change_id = ? ORDER BY revision")
                .param(change)
                .query((row, index) -> new Author(row.getLong(1), row.getString(2), row.getString(3)))
                .list();
    }
}
