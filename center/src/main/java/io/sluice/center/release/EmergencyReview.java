package io.sluice.center.release;

import io.sluice.center.access.Access;
import io.sluice.center.approval.Emergencies;
import io.sluice.center.approval.Emergency;
import io.sluice.center.approval.Protection;
import io.sluice.center.approval.Standing;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.duty.Duty;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.people.People;
import io.sluice.center.version.Versions;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Reviews emergencies, and undoes emergencies that were not accepted in time. Thread-safe, even with other centers.
 *
 * <p>An emergency release is undone by a new version, in which the touched rules have their earlier content. Rules that were
 * changed in the meantime keep their content, because that change was approved. If the earlier content came from another
 * emergency that was not accepted, the content before that emergency is used.
 */
public final class EmergencyReview implements Duty {

    private static final Logger LOG = LoggerFactory.getLogger(EmergencyReview.class);

    private final Database database;
    private final Versions versions;
    private final Changes changes;
    private final Ledger ledger;
    private final CommandLog log;
    private final Emergencies emergencies;
    private volatile AdjustmentEnd adjustments = (client, actor, emergency, reason) -> {};

    /** Ends the switch or override of an emergency, if it still applies. */
    public interface AdjustmentEnd {
        void end(JdbcClient client, Actor actor, Emergency emergency, String reason);
    }

    EmergencyReview(Database database, Versions versions, Changes changes, Ledger ledger, People people) {
        this.database = database;
        this.versions = versions;
        this.changes = changes;
        this.ledger = ledger;
        this.log = people.log();
        this.emergencies = new Emergencies(people, versions, changes.approvals());
    }

    /** Sets the operation that ends switches and overrides. */
    public void endAdjustmentsBy(AdjustmentEnd end) {
        adjustments = end;
    }

    Emergency begin(JdbcClient client, Actor actor, Emergencies.Deed deed) {
        return emergencies.begin(client, actor, deed);
    }

    /** Returns the standing of an action that cannot be approved in advance. */
    Standing unapproved(JdbcClient client, List<Protection.Reason> why) {
        return why.isEmpty()
                ? Standing.FREE
                : new Standing(changes.approvals().settings(client).approvals(), why, List.of());
    }

    /** Logs an emergency after it was stored. Logs nothing if approval turned out not to be needed. */
    void tell(Emergency.Kind kind, long subject) {
        waiting().stream()
                .filter(each -> each.kind() == kind && each.subject() == subject)
                .forEach(Emergencies::tell);
    }

    /** Returns emergencies with an id below a number, newest first. */
    public List<Emergency> list(long below, int most) {
        return database.read(client -> emergencies.list(client, below, most));
    }

    /** Returns the emergencies that hold and wait for review. */
    public List<Emergency> waiting() {
        return database.read(emergencies::waiting);
    }

    /** Returns the emergencies that a caller may review. */
    public List<Emergency> awaiting(Access access) {
        return database.read(client -> emergencies.awaiting(client, access));
    }

    /** Accepts an emergency. It holds permanently as soon as enough people have accepted it. */
    public Emergency accept(Access access, long id, String reason) {
        return database.write(client -> emergencies.accept(client, access, id, Changes.reason(reason)));
    }

    /** Rejects an emergency and undoes it immediately. */
    public Emergency reject(Access access, long id, String reason) {
        return database.write(client -> {
            Emergency emergency = emergencies.reject(client, access, id, Changes.reason(reason));
            long version = emergency.state() == Emergency.State.WAITING
                    ? undo(client, access.actor(), emergency, Changes.reason(reason))
                    : 0;
            return emergencies.close(
                    client, emergency, Emergency.State.REJECTED, access.actor(), Changes.reason(reason), version);
        });
    }

    @Override
    public void turn(boolean leads) {
        if (leads) {
            database.read(emergencies::due).forEach(this::end);
        }
    }

    /** Ends an emergency in its own transaction, so that an emergency that cannot be ended does not keep others in force. */
    private void end(Emergency due) {
        try {
            database.write(client -> emergencies
                            .find(client, due.id())
                            .filter(found -> found.state() == Emergency.State.WAITING)
                            .map(found -> ended(client, found)))
                    .ifPresent(ended -> LOG.warn(
                            "emergency {} by {} ended without review{}",
                            ended.id(),
                            ended.actor(),
                            ended.undoneBy() == 0 ? "" : "; version " + ended.undoneBy() + " undoes it"));
        } catch (RuntimeException e) {
            if (Database.isUnavailable(e)) {
                throw e;
            }
            LOG.error(
                    "emergency {} is over and cannot be undone; reject it, or release the rules from before",
                    due.id(),
                    e);
        }
    }

    private Emergency ended(JdbcClient client, Emergency emergency) {
        String why = "the time of emergency " + emergency.id() + " is over, and nobody accepted it";
        long version = undo(client, Actor.CENTER, emergency, why);
        long unused = log.add(
                client, Actor.CENTER, new Command.Act("end_emergency", why, Map.of("emergency", emergency.id())));
        return emergencies.close(client, emergency, Emergency.State.ENDED, Actor.CENTER, why, version);
    }

    /** Undoes an emergency. Returns the version that undoes it; 0 if none is needed. */
    private long undo(JdbcClient client, Actor actor, Emergency emergency, String reason) {
        if (!emergency.kind().isVersion()) {
            adjustments.end(client, actor, emergency, reason);
            return 0;
        }
        RuleSet before = versions.rules(client, emergency.before()).orElseThrow();
        RuleSet after = versions.rules(client, emergency.subject()).orElseThrow();
        RuleSet current = versions.latestRules(client);
        List<Edit> edits = new ArrayList<>();
        for (String id : Protection.touched(before, after)) {
            if (current.rule(id).equals(after.rule(id))) {
                Optional<Rule> content = approved(client, emergency, id, before.rule(id));
                if (content.isPresent()) {
                    edits.add(new Edit.Put(content.get()));
                } else if (current.rule(id).isPresent()) {
                    edits.add(new Edit.Remove(id));
                }
            }
        }
        RuleSet result = new RuleSet(1, new Edits(edits).applyTo(current.rules()));
        if (result.digest().equals(current.digest())) {
            return 0;
        }
        return ledger.release(
                        client,
                        result,
                        ledger.next(client),
                        new Ledger.About(actor.name(), "Undo version " + emergency.subject(), reason, 0, 0))
                .version();
    }

    /** Returns the latest content of a rule that does not come from an unaccepted emergency. */
    private Optional<Rule> approved(JdbcClient client, Emergency emergency, String id, Optional<Rule> content) {
        Optional<Rule> found = content;
        for (Emergency earlier : emergencies.notAccepted(client)) {
            boolean heldThen = earlier.closedAt() == 0 || earlier.closedAt() > emergency.at();
            if (earlier.id() < emergency.id() && heldThen) {
                Optional<Rule> before =
                        versions.rules(client, earlier.before()).orElseThrow().rule(id);
                Optional<Rule> after =
                        versions.rules(client, earlier.subject()).orElseThrow().rule(id);
                if (!before.equals(after) && after.equals(found)) {
                    found = before;
                }
            }
        }
        return found;
    }
}
