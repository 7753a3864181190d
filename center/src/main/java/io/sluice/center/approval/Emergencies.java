package io.sluice.center.approval;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.database.Database;
import io.sluice.center.log.LogText;
import io.sluice.center.people.People;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.version.Versions;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Emergencies: actions that took effect without waiting for approval. Every method runs within a transaction of the caller.
 *
 * <p>The settings bound how long an emergency holds. It is undone if enough people do not accept it by then, or if a reviewer
 * rejects it. The rules that needed approval count as protected until the review. This prevents a person from using an emergency
 * to remove a protection or add an exemption, and then changing the rule without approval. Accepting an emergency takes as many
 * people as approving a change. Neither the person who acted nor the authors of the change can review it.
 */
public final class Emergencies {

    private static final Logger LOG = LoggerFactory.getLogger(Emergencies.class);

    private final People people;
    private final Versions versions;
    private final Approvals approvals;
    private final Persons persons;
    private final EmergencyTable table = new EmergencyTable();
    private final ApprovalTable signatures = new ApprovalTable();

    public Emergencies(People people, Versions versions, Approvals approvals) {
        this.people = people;
        this.versions = versions;
        this.approvals = approvals;
        this.persons = new Persons(people);
    }

    /**
     * An action that is about to be stored as an emergency.
     *
     * @param subject the version, or the id of the adjustment
     * @param before the rules in force before the action
     * @param after the rules in force after the action
     * @param change the id of the released change; 0 if the action releases none
     * @param why the reasons why the action needs approval
     */
    public record Deed(
            Emergency.Kind kind,
            long subject,
            RuleSet before,
            RuleSet after,
            long change,
            List<Protection.Reason> why,
            String reason) {}

    /**
     * Returns the latest end of an emergency that starts now, in milliseconds since the epoch. It does not outlast an emergency
     * for the same rules that holds and waits for review.
     */
    public long latestEnd(JdbcClient client, List<Protection.Reason> why) {
        long now = now();
        long end = now + approvals.settings(client).emergency().toMillis();
        return waiting(client).stream()
                .filter(each -> each.endsAt() > now && overlap(each.why(), why))
                .mapToLong(Emergency::endsAt)
                .reduce(end, Math::min);
    }

    /**
     * Stores an action that was taken without approval. Once the time of an emergency has ended, the same person cannot repeat it
     * before another person has reviewed it.
     */
    public Emergency begin(JdbcClient client, Actor actor, Deed deed) {
        requireReviewed(client, actor, deed.why());
        Set<String> guarded = deed.why().stream()
                .map(Protection.Reason::rule)
                .filter(Protection.touched(deed.before(), deed.after())::contains)
                .collect(Collectors.toSet());
        Emergency emergency = new Emergency(
                Database.next(client, "emergency"),
                deed.kind(),
                deed.subject(),
                deed.before().version(),
                deed.change(),
                deed.why(),
                guarded,
                actor.name(),
                actor.identity(),
                deed.reason(),
                now(),
                latestEnd(client, deed.why()),
                Emergency.State.WAITING,
                "",
                0,
                "",
                0);
        table.add(client, emergency);
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("emergency", emergency.id());
        details.put("of", deed.kind().word());
        details.put("subject", deed.subject());
        details.put(
                "rules",
                deed.why().stream().map(Protection.Reason::rule).distinct().toList());
        details.put("ends_at", Instant.ofEpochMilli(emergency.endsAt()).toString());
        long unused = people.log().add(client, actor, new Command.Act("begin_emergency", deed.reason(), details));
        return emergency;
    }

    /** Refuses to prolong an earlier emergency of the same person beyond the time that the settings allow. */
    private void requireReviewed(JdbcClient client, Actor actor, List<Protection.Reason> why) {
        long now = now();
        unreviewed(client)
                .filter(each -> each.state() == Emergency.State.ENDED || each.endsAt() <= now)
                .filter(each -> overlap(each.why(), why))
                .filter(each -> persons.identities(client, each.actor(), each.identity())
                        .contains(actor.identity()))
                .findFirst()
                .ifPresent(each -> {
                    throw RefusedException.forbidden(
                            "emergency: the time of your emergency " + each.id()
                                    + " is over, and it waits for review (expected: the review of somebody else first, by POST"
                                    + " /api/emergencies/" + each.id() + "/accept or reject)",
                            Map.of("emergency", each.id()));
                });
    }

    /** Returns whether two emergencies concern the same rule, or both weaken all protected rules. */
    private static boolean overlap(List<Protection.Reason> some, List<Protection.Reason> others) {
        return some.stream().anyMatch(one -> others.stream()
                .anyMatch(other -> one.rule().equals(other.rule()) || (one.weakensOthers() && other.weakensOthers())));
    }

    /** Logs an emergency. Approvers also see it among their notices. */
    public static void tell(Emergency emergency) {
        LOG.warn(
                "emergency {}: {} changed what is protected without approval ({} {}): {}; it ends at {} unless somebody"
                        + " else accepts it",
                emergency.id(),
                emergency.actor(),
                emergency.kind().word(),
                emergency.subject(),
                LogText.line(emergency.why().stream()
                        .map(Protection.Reason::sentence)
                        .collect(Collectors.joining("; "))),
                Instant.ofEpochMilli(emergency.endsAt()));
    }

    public Optional<Emergency> find(JdbcClient client, long id) {
        return table.find(client, id);
    }

    /** Returns emergencies with an id below a number, newest first. */
    public List<Emergency> list(JdbcClient client, long below, int most) {
        return table.list(client, below, most);
    }

    /** Returns the emergencies that hold and wait for review. */
    public List<Emergency> waiting(JdbcClient client) {
        return table.in(client, Emergency.State.WAITING);
    }

    /** Returns the emergencies whose time has ended and which still hold. */
    public List<Emergency> due(JdbcClient client) {
        return waiting(client).stream().filter(each -> each.endsAt() <= now()).toList();
    }

    /** Returns the emergencies that a caller may review and has not accepted yet, newest first. */
    public List<Emergency> awaiting(JdbcClient client, Access access) {
        return unreviewed(client)
                .filter(each ->
                        access.isPerson() && refusal(client, access, each).isEmpty())
                .filter(each -> accepted(client, each).stream().noneMatch(approval -> approval.identity()
                        .equals(access.actor().identity())))
                .toList();
    }

    private Stream<Emergency> unreviewed(JdbcClient client) {
        return Stream.concat(waiting(client).stream(), table.in(client, Emergency.State.ENDED).stream());
    }

    /** Returns the emergencies that released a version and were not accepted, newest first. */
    public List<Emergency> notAccepted(JdbcClient client) {
        return table.notAccepted(client);
    }

    /** Accepts an emergency. It holds permanently as soon as enough people have accepted it. */
    public Emergency accept(JdbcClient client, Access access, long id, String reason) {
        long number = approvals.next(client);
        Emergency emergency = requireReviewable(client, access, id);
        List<Approval> before = accepted(client, emergency);
        if (before.stream()
                .noneMatch(each -> each.identity().equals(access.actor().identity()))) {
            signatures.add(client, number, Approval.EMERGENCY, id, 0, access, reason, now());
            log(client, access, "accept_emergency", id, reason);
        }
        long persons = accepted(client, emergency).stream()
                .map(Approval::identity)
                .distinct()
                .count();
        if (persons < approvals.settings(client).approvals()) {
            table.hold(client, emergency);
        } else {
            table.close(
                    client,
                    emergency,
                    Emergency.State.ACCEPTED,
                    access.actor().name(),
                    now(),
                    reason,
                    emergency.undoneBy());
        }
        return table.find(client, id).orElseThrow();
    }

    /** Rejects an emergency. The caller undoes it in the same transaction, unless it has ended. */
    public Emergency reject(JdbcClient client, Access access, long id, String reason) {
        Emergency emergency = requireReviewable(client, access, id);
        log(client, access, "reject_emergency", id, reason);
        return emergency;
    }

    /** Stores that an emergency has ended, in the transaction that undoes it. */
    public Emergency close(
            JdbcClient client, Emergency old, Emergency.State state, Actor by, String reason, long version) {
        table.close(client, old, state, by.name(), now(), reason, version == 0 ? old.undoneBy() : version);
        return table.find(client, old.id()).orElseThrow();
    }

    private Emergency requireReviewable(JdbcClient client, Access access, long id) {
        Emergency emergency = table.find(client, id)
                .filter(found -> access.seesAll() || covers(client, access, found))
                .orElseThrow(() ->
                        RefusedException.missing("emergency " + id + ": unknown (expected: the id of an emergency)"));
        refusal(client, access, emergency).ifPresent(why -> {
            throw RefusedException.forbidden("emergency " + id + ": " + why);
        });
        if (!emergency.isUnreviewed()) {
            throw RefusedException.conflict(
                    "emergency " + id + ": " + emergency.state().word() + " by " + emergency.closedBy()
                            + " (expected: one that waits for review)",
                    Map.of("state", emergency.state().word()));
        }
        return emergency;
    }

    /** Returns the reason why a caller cannot review an emergency; empty if they can. */
    private Optional<String> refusal(JdbcClient client, Access access, Emergency emergency) {
        Persons.requirePerson(access);
        if (isOwn(client, access, emergency)) {
            return Optional.of("you are one of those who did it (expected: the review of somebody else)");
        }
        return covers(client, access, emergency)
                ? Optional.empty()
                : Optional.of("you may not approve every rule that it touches (expected: an approver of all of them)");
    }

    private boolean isOwn(JdbcClient client, Access access, Emergency emergency) {
        return persons.identities(client, emergency.actor(), emergency.identity())
                        .contains(access.actor().identity())
                || (emergency.change() != 0 && approvals.isAuthor(client, access, emergency.change()));
    }

    private boolean covers(JdbcClient client, Access access, Emergency emergency) {
        RuleSet before = versions.rules(client, emergency.before()).orElseThrow();
        RuleSet after = emergency.kind().isVersion()
                ? versions.rules(client, emergency.subject()).orElseThrow()
                : before;
        List<Rule> named = emergency.why().stream()
                .flatMap(reason -> before.rule(reason.rule()).stream())
                .toList();
        // The owners of a rule that exists only on trial are unknown here.
        boolean ofAll = emergency.why().stream()
                .map(Protection.Reason::rule)
                .anyMatch(
                        rule -> before.rule(rule).isEmpty() && after.rule(rule).isEmpty());
        return access.may(Right.APPROVE)
                && (!ofAll || access.mayEverywhere(Right.APPROVE))
                && named.stream().allMatch(rule -> access.may(Right.APPROVE, rule))
                && Approvals.covers(access, new Approvals.Proposal(0, before, after), emergency.why());
    }

    /** Returns the acceptances by people who could still review the emergency. */
    private List<Approval> accepted(JdbcClient client, Emergency emergency) {
        return signatures.of(client, Approval.EMERGENCY, emergency.id()).stream()
                .filter(approval -> approvals
                        .lost(client, approval, Set.of(), access -> covers(client, access, emergency))
                        .isEmpty())
                .toList();
    }

    private void log(JdbcClient client, Access access, String kind, long id, String reason) {
        long unused = people.log().add(client, access.actor(), new Command.Act(kind, reason, Map.of("emergency", id)));
    }

    private long now() {
        return people.clock().epochMicros() / 1000;
    }
}
