package io.sluice.center.command;

import io.sluice.center.database.Database;
import io.sluice.center.edit.EditsJson;
import io.sluice.center.plan.Target;
import io.sluice.core.time.Clock;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The log of all commands that acted. A command is stored in the transaction in which it acts, so it is stored exactly if it
 * acted.
 */
public final class CommandLog {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final Clock clock;

    public CommandLog(Clock clock) {
        this.clock = clock;
    }

    /** Stores a command and returns its number. */
    public long add(JdbcClient client, Actor actor, Command command) {
        long number = Database.next(client, "command");
        client.sql("INSERT INTO command (number, at, actor, kind, reason, expected, body) VALUES (?, ?, ?, ?, ?, ?, ?)")
                .params(
                        number,
                        clock.epochMicros() / 1000,
                        actor.name(),
                        kind(command),
                        command.reason(),
                        command.expected(),
                        body(command))
                .update();
        return number;
    }

    /** Returns the newest commands, newest first. */
    public List<CommandEntry> newest(JdbcClient client, long below, int most) {
        return client.sql("SELECT number, at, actor, kind, reason, expected, body FROM command WHERE number < ?"
                        + " ORDER BY number DESC LIMIT " + most)
                .param(below)
                .query((row, index) -> new CommandEntry(
                        row.getLong(1),
                        row.getLong(2),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5),
                        row.getLong(6),
                        JSON.readTree(row.getString(7))))
                .list();
    }

    /** Returns the name of a command in the log: {@code open_change}. */
    static String kind(Command command) {
        return command.getClass()
                .getSimpleName()
                .replaceAll("(?<=.)([A-Z])", "_$1")
                .toLowerCase(java.util.Locale.ROOT);
    }

    private static String body(Command command) {
        ObjectNode body = JSON.createObjectNode();
        if (command instanceof Command.OpenChange open) {
            body.put("title", open.title());
            body.set("content", JSON.readTree(EditsJson.write(open.edits())));
        } else if (command instanceof Command.EditChange edit) {
            body.put("change", edit.change()).put("title", edit.title()).put("base", edit.base());
            body.set("content", JSON.readTree(EditsJson.write(edit.edits())));
        } else if (command instanceof Command.RebaseChange rebase) {
            body.put("change", rebase.change()).put("base", rebase.base());
        } else if (command instanceof Command.CloseChange close) {
            body.put("change", close.change()).put("rejected", close.rejected());
        } else if (command instanceof Command.ReleaseChange release) {
            body.put("change", release.change()).put("digest", release.digest());
            plan(body, release);
        } else if (command instanceof Command.FireSchedule fire) {
            body.put("rollout", fire.rollout()).put("change", fire.change());
        } else if (command instanceof Command.PromoteTrial promote) {
            body.put("rollout", promote.rollout()).put("all", promote.all());
        } else if (command instanceof Command.AbortRollout abort) {
            body.put("rollout", abort.rollout());
        } else if (command instanceof Command.SetVerdict verdict) {
            body.put("rollout", verdict.rollout()).put("automatic", verdict.automatic());
        } else if (command instanceof Command.OverrideCaller override) {
            body.put("id", override.id()).put("rule", override.rule()).put("limit", override.limit());
            body.put("until", Instant.ofEpochMilli(override.until()).toString());
            body.set("numbers", JSON.readTree(override.numbers()));
        } else if (command instanceof Command.SwitchToShadow shadow) {
            body.put("id", shadow.id()).put("rule", shadow.rule());
            body.put("until", Instant.ofEpochMilli(shadow.until()).toString());
        } else if (command instanceof Command.EndAdjustment end) {
            body.put("id", end.id());
        } else if (command instanceof Command.RollBack back) {
            body.put("to", back.to());
        } else if (command instanceof Command.TakeOver take) {
            body.put("version", take.version()).put("digest", take.digest());
        }
        return JSON.writeValueAsString(body);
    }

    /** Named callers are only counted, because commands are never deleted. */
    private static void plan(ObjectNode body, Command.ReleaseChange release) {
        Target to = release.plan().to();
        if (to instanceof Target.All) {
            body.put("to", "all");
        } else if (to instanceof Target.Candidate) {
            body.put("to", "candidate");
        } else if (to instanceof Target.Named named) {
            body.putObject("to")
                    .put("by", named.attribute())
                    .put("callers", named.values().size());
        } else {
            var steps = body.putObject("to").putArray(to instanceof Target.Nodes ? "nodes" : "callers");
            to.steps().forEach(step -> steps.add(step + "%"));
        }
        if (release.plan().automatic()) {
            body.put("automatic", true);
        }
        if (release.at() != 0) {
            body.put("at", Instant.ofEpochMilli(release.at()).toString());
        }
    }
}
