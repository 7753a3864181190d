package io.sluice.center.release;

import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RefusedException;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.plan.Target;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
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
 * Makes changes to versions. Thread-safe, also together with other centers on the same database.
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
    }

    /** Returns what can be done with a trial. */
    public Trials trials() {
        return trials;
    }

    /** A change that may be released, and who tries it first. */
    private record Checked(Change change, ChangeReview review, Split split) {}

    /**
     * Releases a change, provided that the resulting rules are those that the caller saw. If the command names a time, everything
     * is checked, and the release is stored until then.
     */
    public Rollout release(Actor actor, Command.ReleaseChange command) {
        return database.write(client -> {
            Checked checked = check(client, command);
            if (command.at() == 0) {
                trials.requireNone(client);
            } else {
                requireSoon(command.at());
            }
            log.add(client, actor, command);
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
            return command.at() == 0 ? begin(client, rollout, checked) : rollout;
        });
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
     * Releases what was scheduled, as if its author asked for it now. If it is refused, it failed. Does nothing if another center
     * did it already.
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
                        new Command.ReleaseChange(
                                order.change(), order.reason(), order.digest(), order.base(), order.plan(), 0));
                trials.requireNone(client);
                log.add(client, new Actor(order.actor()), new Command.FireSchedule(id, order.change(), order.reason()));
                return begin(client, scheduled, checked);
            });
        } catch (RefusedException e) {
            return database.write(client -> {
                Rollout scheduled = rollouts.find(client, id).orElseThrow();
                return scheduled.state() == RolloutState.SCHEDULED
                        ? rollouts.replace(
                                client,
                                scheduled
                                        .with(
                                                RolloutState.FAILED,
                                                scheduled.progress().failed(String.valueOf(e.getMessage())))
                                        .ended(RolloutState.FAILED, ledger.now()))
                        : scheduled;
            });
        }
    }

    private Checked check(JdbcClient client, Command.ReleaseChange command) {
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
        return new Checked(change, review, Split.of(command.plan(), review));
    }

    /** Releases or begins to try what was checked. */
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

    /** Releases the content of an earlier version under the next number. A trial that goes on ends. */
    public Rollout rollBack(Actor actor, Command.RollBack command) {
        return database.write(client -> {
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
            log.add(client, actor, command);
            return ledger.release(
                    client,
                    content,
                    ledger.next(client),
                    new Ledger.About(
                            actor.name(),
                            "Roll back to version " + command.to(),
                            Changes.reason(command.reason()),
                            0,
                            command.to()));
        });
    }

    /** Makes rules the first version, unless there is one. Returns whether it did. */
    public boolean begin(RuleSet rules, String title, String reason) {
        return database.write(client -> {
            if (versions.latest(client) != 0) {
                return false;
            }
            log.add(client, Actor.CENTER, new Command.TakeOver(1, rules.digest(), reason));
            ledger.release(
                    client, rules, ledger.next(client), new Ledger.About(Actor.CENTER.name(), title, reason, 0, 0));
            return true;
        });
    }

    /** Takes over a released set with its number, after the loss of the database. The number must be above all others. */
    public Rollout takeOver(Actor actor, RuleSet rules, String reason) {
        return database.write(client -> {
            long highest = versions.highest(client);
            if (rules.version() <= highest) {
                throw RefusedException.conflict("version " + rules.version() + ": this center already has version "
                        + highest + " (expected: a higher one)");
            }
            log.add(client, actor, new Command.TakeOver(rules.version(), rules.digest(), reason));
            return ledger.release(
                    client, rules, rules.version(), new Ledger.About(actor.name(), "Rebuilt from Redis", reason, 0, 0));
        });
    }

    public Optional<Rollout> rollout(long id) {
        return database.read(client -> rollouts.find(client, id));
    }

    /** Returns rollouts with an id below a number, newest first. */
    public List<Rollout> rollouts(long below, int most) {
        return database.read(client -> rollouts.list(client, below, most));
    }
}
