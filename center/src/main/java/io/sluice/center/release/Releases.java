package io.sluice.center.release;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.approval.Approvals;
import io.sluice.center.approval.Emergencies;
import io.sluice.center.approval.Emergency;
import io.sluice.center.approval.Protection;
import io.sluice.center.approval.Standing;
import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RuleDiff;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.people.People;
import io.sluice.center.plan.Target;
import io.sluice.center.reach.Coverage;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.changes.RuleChange;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.trial.Candidates;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Turns changes into versions. Thread-safe, even with other centers on the same database.
 *
 * <p>A release is one transaction: the version, its rollout, the state of its change and the command appear together or not at
 * all. {@link Reconciler} brings the version to the nodes afterwards.
 */
public final class Releases {

    private static final Duration LONGEST_AHEAD = Duration.ofDays(90);

    private final Database database;
    private final Versions versions;
    private final Changes changes;
    private final CommandLog log;
    private final Ledger ledger;
    private final RolloutTable rollouts;
    private final Trials trials;
    private final EmergencyReview emergencies;

    /**
     * Creates releases.
     *
     * @param highestElsewhere returns the highest version that is known from elsewhere; a new version must be above it
     */
    public Releases(
            Database database,
            Versions versions,
            Changes changes,
            CommandLog log,
            Clock clock,
            LongSupplier highestElsewhere) {
        this.database = database;
        this.versions = versions;
        this.changes = changes;
        this.log = log;
        this.ledger = new Ledger(versions, changes, clock, highestElsewhere);
        this.rollouts = ledger.rollouts();
        this.trials = new Trials(database, versions, changes, log, ledger);
        this.emergencies = new EmergencyReview(database, versions, changes, ledger, People.of(database, log, clock));
    }

    /** Returns the operations on trials. */
    public Trials trials() {
        return trials;
    }

    /** Returns the review of emergencies. */
    public EmergencyReview emergencies() {
        return emergencies;
    }

    /**
     * A checked change and the split of the callers that try it first.
     *
     * @param bypassed the missing approvals that an emergency bypasses
     */
    private record Checked(Change change, ChangeReview review, Split split, Optional<Standing> bypassed) {}

    /**
     * Releases a change if it results in the rules that the caller saw. If the command names a time, everything is checked now,
     * and the release is stored until then.
     */
    public Rollout release(Actor actor, ReleaseCommand.ReleaseChange command) {
        return release(actor, command, false);
    }

    /**
     * Releases a change.
     *
     * @param emergency whether it is released for a limited time although approvals are missing
     */
    public Rollout release(Actor actor, ReleaseCommand.ReleaseChange command, boolean emergency) {
        if (emergency) {
            requireAtOnce(command);
        }
        Rollout released = database.write(client -> {
            Checked checked = check(client, command, emergency);
            if (command.at() == 0) {
                trials.requireNone(client);
            } else {
                requireSoon(command.at());
            }
            log.add(client, actor, command, RuleDiff.of(checked.review().changes()));
            Rollout rollout = new Rollout(
                    Database.next(client, "rollout"),
                    1,
                    0,
                    RolloutState.SCHEDULED,
                    ledger.now(),
                    0,
                    "",
                    new ReleaseOrder(
                            command.change(),
                            actor.name(),
                            command.reason(),
                            command.digest(),
                            command.base(),
                            command.at(),
                            command.plan()),
                    Rollout.Progress.NONE);
            rollouts.add(client, rollout);
            if (command.at() != 0) {
                return rollout;
            }
            Rollout begun = begin(client, rollout, checked);
            checked.bypassed()
                    .ifPresent(missing -> emergencies.begin(
                            client,
                            actor,
                            new Emergencies.Deed(
                                    Emergency.Kind.RELEASE,
                                    begun.version(),
                                    checked.review().before(),
                                    checked.review().after(),
                                    command.change(),
                                    missing.why(),
                                    command.reason())));
            return begun;
        });
        if (emergency) {
            emergencies.tell(Emergency.Kind.RELEASE, released.version());
        }
        return released;
    }

    private static void requireAtOnce(ReleaseCommand.ReleaseChange command) {
        String unused = Changes.reason(command.reason());
        if (command.at() != 0 || !(command.plan().to() instanceof Target.All)) {
            throw RefusedException.invalid(
                    "emergency: with a schedule or a trial (expected: a release to all, at once)");
        }
    }

    private void requireSoon(long at) {
        Instant now = Instant.ofEpochMilli(ledger.now());
        Instant fires = Instant.ofEpochMilli(at);
        if (!fires.isAfter(now) || fires.isAfter(now.plus(LONGEST_AHEAD))) {
            throw RefusedException.invalid("at: " + fires + " (expected: after " + now + " and at most "
                    + LONGEST_AHEAD.toDays() + " days later)");
        }
    }

    /** Returns the schedules whose time has come. */
    List<Rollout> due() {
        return database.read(client -> rollouts.due(client, ledger.now()));
    }

    /**
     * Carries out a scheduled release as if its author requested it now. If the release is refused, the schedule has failed. Does
     * nothing if another center has already carried it out.
     */
    Rollout fire(long id) {
        try {
            return database.write(client -> {
                Rollout scheduled = rollouts.find(client, id).orElseThrow();
                if (scheduled.state() != RolloutState.SCHEDULED) {
                    return scheduled;
                }
                ReleaseOrder order = scheduled.order();
                Checked checked = check(
                        client,
                        new ReleaseCommand.ReleaseChange(
                                order.change(), order.reason(), order.digest(), order.base(), order.plan(), 0),
                        false);
                requireStillAllowed(client, order.actor(), checked.change());
                trials.requireNone(client);
                log.add(
                        client,
                        new Actor(order.actor()),
                        new ReleaseCommand.FireSchedule(id, order.change(), order.reason()),
                        RuleDiff.of(checked.review().changes()));
                return begin(client, scheduled, checked);
            });
        } catch (RefusedException e) {
            return database.write(client -> {
                Rollout scheduled = rollouts.find(client, id).orElseThrow();
                if (scheduled.state() != RolloutState.SCHEDULED) {
                    return scheduled;
                }
                String why = String.valueOf(e.getMessage());
                ReleaseOrder order = scheduled.order();
                log.refuse(
                        client,
                        new Actor(order.actor()),
                        new Command.Act(
                                "fire_schedule",
                                order.reason(),
                                Map.of("rollout", id, "change", order.change(), "why", why)));
                return rollouts.replace(
                        client,
                        scheduled
                                .with(RolloutState.FAILED, scheduled.progress().failed(why))
                                .ended(RolloutState.FAILED, ledger.now()));
            });
        }
    }

    /** Refuses the release if the author of the schedule has lost the right in the meantime. */
    private void requireStillAllowed(JdbcClient client, String actor, Change change) {
        Optional<Access> access = changes.approvals().holding(client, actor);
        boolean allowed = access.filter(each -> each.may(Right.RELEASE)
                        && Coverage.missing(each, Right.RELEASE, change.edits(), changes.sets(client, change))
                                .isEmpty()
                        && (each.mayEverywhere(Right.RELEASE)
                                || Coverage.unconfined(each, change.edits()).isEmpty()))
                .isPresent();
        if (!allowed) {
            throw RefusedException.forbidden(
                    actor + (access.isEmpty() ? " is disabled or unknown" : " may no longer release it")
                            + " (expected: somebody who may release it now; schedule it again)");
        }
    }

    private Checked check(JdbcClient client, ReleaseCommand.ReleaseChange command, boolean emergency) {
        Change change = changes.requireOpen(client, command.change());
        ChangeReview review = changes.review(client, change);
        long current = review.before().version();
        if (command.base().isPresent() && command.base().getAsLong() != current) {
            throw RefusedException.conflict(
                    "base: version " + current + " is in force (expected: "
                            + command.base().getAsLong() + "); look at the change again",
                    Map.of("version", current));
        }
        Changes.requireNoCollision(change, review);
        if (review.changes().isEmpty()) {
            throw RefusedException.conflict("change " + change.id() + ": version " + current
                    + " already has this content (expected: a difference; withdraw the change)");
        }
        if (!review.digest().equals(command.digest())) {
            throw RefusedException.conflict(
                    "digest: the change would now result in " + review.digest() + " (expected: " + command.digest()
                            + "); something else was released or the change was edited, look at it again",
                    Map.of("digest", review.digest(), "version", current));
        }
        Split split = Split.of(command.plan(), review);
        if (emergency) {
            Standing standing = changes.standing(client, change);
            return new Checked(
                    change, review, split, standing.isSatisfied() ? Optional.empty() : Optional.of(standing));
        }
        changes.requireApproved(client, change);
        return new Checked(change, review, split, Optional.empty());
    }

    /** Starts the release or the trial of a checked change. */
    private Rollout begin(JdbcClient client, Rollout rollout, Checked checked) {
        Target to = rollout.order().plan().to();
        Change change = checked.change();
        ReleaseOrder order = rollout.order();
        long number = ledger.next(client);
        String reason = order.reason().isBlank() ? change.reason() : order.reason();
        Ledger.About about = new Ledger.About(order.actor(), change.title(), reason, change.id(), 0);
        if (!to.isSplit()) {
            ledger.replaceAll(client, rollout.id());
        }
        RuleSet rules = to instanceof Target.Candidate
                ? candidates(checked.review())
                : checked.review().after();
        ledger.add(client, rules, number, about, rollout.id(), to.isSplit());
        if (to instanceof Target.All) {
            changes.released(client, change, number);
        } else {
            changes.tried(client, change, number);
        }
        Split split = checked.split();
        Rollout begun = new Rollout(
                rollout.id(),
                rollout.revision(),
                number,
                to instanceof Target.All ? RolloutState.RELEASING : RolloutState.TRIAL,
                ledger.now(),
                0,
                "",
                order,
                to instanceof Target.All
                        ? Rollout.Progress.NONE
                        : Rollout.Progress.of(
                                checked.review().before().version(),
                                split.attribute(),
                                split.key(),
                                !order.plan().verdict().watch().isZero(),
                                ledger.now()));
        return rollouts.replace(client, begun);
    }

    private static RuleSet candidates(ChangeReview review) {
        Candidates.Answer answer = Candidates.of(review.before(), review.after());
        if (answer instanceof Candidates.Answer.Made made) {
            return new RuleSet(1, made.rules());
        }
        throw RefusedException.unprocessable(
                ((Candidates.Answer.Impossible) answer).why(), List.of(((Candidates.Answer.Impossible) answer).why()));
    }

    /** Releases the content of an earlier version under the next number. Ends a running trial. */
    public Rollout rollBack(Actor actor, ReleaseCommand.RollBack command) {
        return rollBack(actor, command, false);
    }

    /**
     * Releases the content of an earlier version under the next number. Ends a running trial. A rollback that changes protected
     * rules is refused, because rollbacks cannot be approved; a change with the content of that version can be approved.
     *
     * @param emergency whether the rollback holds for a limited time although it needs approval
     */
    public Rollout rollBack(Actor actor, ReleaseCommand.RollBack command, boolean emergency) {
        Rollout released = database.write(client -> {
            long current = versions.latest(client);
            RuleSet content = versions.rules(client, command.to())
                    .filter(set -> set.version() != 0)
                    .orElseThrow(() -> RefusedException.missing(
                            "to: version " + command.to() + " is unknown (expected: a released version)"));
            if (command.current().isPresent() && command.current().getAsLong() != current) {
                throw RefusedException.conflict(
                        "expected: version " + current + " is in force (expected: "
                                + command.current().getAsLong() + ")",
                        Map.of("version", current));
            }
            if (versions.latestRules(client).digest().equals(content.digest())
                    && rollouts.trial(client).isEmpty()) {
                throw RefusedException.conflict(
                        "to: version " + current + " already has the content of version " + command.to()
                                + " (expected: a version with other content)",
                        Map.of("version", current));
            }
            RuleSet before = versions.latestRules(client);
            Standing standing = emergencies.unapproved(
                    client, Protection.of(before, content, changes.approvals().guarded(client)));
            if (standing.isRequired() && !emergency) {
                throw Approvals.missing(
                        "to: version " + command.to(),
                        "a change with that content, which can be approved: POST /api/changes with \"base\": " + current
                                + " and \"content_of\": " + command.to()
                                + "; in an emergency roll back with \"emergency\": true",
                        standing);
            }
            log.add(client, actor, command, RuleDiff.of(RuleChange.between(before, content)));
            Rollout rollout = ledger.release(
                    client,
                    content,
                    ledger.next(client),
                    new Ledger.About(
                            actor.name(),
                            "Roll back to version " + command.to(),
                            Changes.reason(command.reason()),
                            0,
                            command.to()));
            if (standing.isRequired()) {
                emergencies.begin(
                        client,
                        actor,
                        new Emergencies.Deed(
                                Emergency.Kind.ROLLBACK,
                                rollout.version(),
                                before,
                                content,
                                0,
                                standing.why(),
                                command.reason()));
            }
            return rollout;
        });
        if (emergency) {
            emergencies.tell(Emergency.Kind.ROLLBACK, released.version());
        }
        return released;
    }

    /** Releases the first version. Returns false if a version already exists. */
    public boolean begin(RuleSet rules, String title, String reason) {
        return database.write(client -> {
            if (versions.latest(client) != 0) {
                return false;
            }
            log.add(client, Actor.CENTER, new ReleaseCommand.TakeOver(1, rules.digest(), reason), diff(client, rules));
            ledger.release(
                    client, rules, ledger.next(client), new Ledger.About(Actor.CENTER.name(), title, reason, 0, 0));
            return true;
        });
    }

    /** Takes over a released rule set with its number, after the database was lost. The number must be higher than all others. */
    public Rollout takeOver(Actor actor, RuleSet rules, String reason) {
        return database.write(client -> {
            long highest = versions.highest(client);
            if (rules.version() <= highest) {
                throw RefusedException.conflict("version " + rules.version() + ": this center already has version "
                        + highest + " (expected: a higher one)");
            }
            log.add(
                    client,
                    actor,
                    new ReleaseCommand.TakeOver(rules.version(), rules.digest(), reason),
                    diff(client, rules));
            return ledger.release(
                    client, rules, rules.version(), new Ledger.About(actor.name(), "Rebuilt from Redis", reason, 0, 0));
        });
    }

    private Map<String, Object> diff(JdbcClient client, RuleSet rules) {
        return RuleDiff.of(RuleChange.between(versions.latestRules(client), rules));
    }

    public Optional<Rollout> rollout(long id) {
        return database.read(client -> rollouts.find(client, id));
    }

    /** Returns rollouts with an id below a number, newest first. */
    public List<Rollout> rollouts(long below, int most) {
        return database.read(client -> rollouts.list(client, below, most));
    }
}
