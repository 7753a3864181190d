package io.sluice.center.command;

import io.sluice.center.audit.AuditRow;
import io.sluice.center.audit.AuditTables;
import io.sluice.center.audit.AuditTree;
import io.sluice.center.audit.LoggedRow;
import io.sluice.center.database.Database;
import io.sluice.center.database.Receipt;
import io.sluice.core.time.Clock;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The log of all commands that acted. A command is stored in the transaction in which it acts, so it is stored exactly if it acted. Each
 * row is a leaf of the Merkle tree over the log.
 */
public final class CommandLog {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SALT_BYTES = 16;

    private final Clock clock;

    public CommandLog(Clock clock) {
        this.clock = clock;
    }

    /** Stores a command that acted and returns its number. */
    public long add(JdbcClient client, Actor actor, Command command) {
        return add(client, actor, command, Map.of());
    }

    /**
     * Stores a command that acted, with its changes, and returns its number.
     *
     * @param more further fields of the body, such as the fields of {@link RuleDiff}
     */
    public long add(JdbcClient client, Actor actor, Command command, Map<String, ?> more) {
        return add(client, actor, command, more, AuditRow.DONE);
    }

    /** Stores a command that was refused and returns its number. */
    public long refuse(JdbcClient client, Actor actor, Command.Act command) {
        return add(client, actor, command, Map.of(), AuditRow.REFUSED);
    }

    private long add(JdbcClient client, Actor actor, Command command, Map<String, ?> more, String outcome) {
        long number = Database.next(client, "command");
        String salt = salt();
        String body = body(command, more);
        AuditRow row = new AuditRow(
                number,
                clock.epochMicros() / 1000,
                actor.name(),
                command.kind(),
                command.expected(),
                outcome,
                AuditRow.commitment(salt, actor.from(), command.reason(), body));
        client.sql("INSERT INTO command (number, at, actor, kind, expected, outcome, commitment, salt, origin, reason,"
                        + " body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .params(
                        row.number(),
                        row.at(),
                        row.actor(),
                        row.kind(),
                        row.expected(),
                        row.outcome(),
                        row.commitment(),
                        salt,
                        actor.from(),
                        command.reason(),
                        body,
                        AuditTree.add(client, row))
                .update();
        prove(client, row);
        return number;
    }

    /**
     * Makes the row the proof of its transaction. The first command of a request also stores the request under its key. A refusal does not,
     * so a repetition is decided again.
     */
    private static void prove(JdbcClient client, AuditRow row) {
        Optional<RequestTrace> trace =
                RequestTrace.current().filter(request -> row.outcome().equals(AuditRow.DONE));
        if (Database.prove(new LoggedReceipt(row, trace))) {
            trace.flatMap(RequestTrace::unusedKey)
                    .ifPresent(key -> AnsweredRequests.add(client, key, row.number(), row.at()));
        }
    }

    /** Checks by the added row whether a transaction was stored. */
    private record LoggedReceipt(AuditRow row, Optional<RequestTrace> trace) implements Receipt {

        @Override
        public boolean isStored(JdbcClient client) {
            // A transaction that has not ended locks the counter, so this statement waits for its end.
            client.sql("UPDATE counter SET value = value WHERE name = 'command'")
                    .update();
            return client.sql("SELECT COUNT(*) FROM command WHERE number = ? AND commitment = ?")
                            .params(row.number(), row.commitment())
                            .query(Long.class)
                            .single()
                    == 1;
        }

        @Override
        public void stored() {
            trace.ifPresent(request -> request.stored(row.number()));
        }
    }

    /**
     * Adds rows to the tree that were written before the log had a tree. A log with an id has no such rows: a row without a hash is then
     * forged, and stays outside the tree.
     */
    public void addOldRows(JdbcClient client) {
        if (!AuditTables.log(client).isEmpty()) {
            return;
        }
        long number = AuditTree.head(client).number();
        for (List<LoggedRow> rows = LoggedRow.above(client, number);
                !rows.isEmpty();
                rows = LoggedRow.above(client, number)) {
            for (LoggedRow old : rows) {
                AuditRow before = old.row();
                number = before.number();
                // Without a salt, the commitment would confirm a guess of the content, even after the content was
                // erased.
                String salt = old.salt().isEmpty() ? salt() : old.salt();
                AuditRow row = new AuditRow(
                        number,
                        before.at(),
                        before.actor(),
                        before.kind(),
                        before.expected(),
                        before.outcome(),
                        AuditRow.commitment(salt, old.origin(), old.reason(), old.body()));
                client.sql("UPDATE command SET salt = ?, commitment = ?, hash = ? WHERE number = ? AND hash = ''")
                        .params(salt, row.commitment(), AuditTree.add(client, row), number)
                        .update();
            }
        }
    }

    private static String salt() {
        byte[] bytes = new byte[SALT_BYTES];
        RANDOM.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the newest commands that acted, newest first. */
    public List<CommandEntry> newest(JdbcClient client, long below, int most) {
        return client.sql("SELECT number, at, actor, kind, reason, expected, body FROM command WHERE number < ?"
                        + " AND outcome = ? ORDER BY number DESC LIMIT " + most)
                .params(below, AuditRow.DONE)
                .query((row, index) -> new CommandEntry(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getLong(6),
                        json(row.getString(7))))
                .list();
    }

    /** Returns the body of a row; an empty object if it was erased. */
    private static JsonNode json(String body) {
        return body.isEmpty() ? JSON.createObjectNode() : JSON.readTree(body);
    }

    private static String body(Command command, Map<String, ?> more) {
        ObjectNode body = JSON.createObjectNode();
        command.write(body);
        more.forEach(body::putPOJO);
        return JSON.writeValueAsString(body);
    }
}
