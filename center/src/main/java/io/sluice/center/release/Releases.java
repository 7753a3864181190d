package io.sluice.center.release;

import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.Command;
import io.sluice.center.command.CommandLog;
import io.sluice.center.command.RefusedException;
import io.sluice.center.database.Database;
import io.sluice.center.edit.ChangeReview;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
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

    private final Database database;
    private final Versions versions;
    private final Changes changes;
    private final CommandLog log;
    private final Clock clock;
    private final RolloutTable rollouts = new RolloutTable();

    /** The highest version that is known from elsewhere. A new version must be above it. */
    private final LongSupplier highestElsewhere;

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
        this.clock = clock;
        this.highestElsewhere = highestElsewhere;
    }

    /** Releases a change to all nodes, provided that the resulting rules are those that the caller saw. */
    public Rollout release(Actor actor, Command.ReleaseChange command) {
        return database.write(client -> {
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
            log.add(client, actor, command);
            String reason = command.reason().isBlank() ? change.reason() : command.reason();
            Rollout rollout = add(client, actor, review.after(), change.title(), reason, change.id(), 0);
            changes.released(client, change, rollout.version());
            return rollout;
        });
    }

    /** Releases the content of an earlier version under the next number. */
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
            if (versions.latestRules(client).digest().equals(content.digest())) {
                throw RefusedException.conflict(
                        "to: version " + current + " already has the content of version " + command.to()
                                + " (expected: a version with other content)",
                        Map.of("version", current));
            }
            log.add(client, actor, command);
            return add(
                    client,
                    actor,
                    content,
                    "Roll back to version " + command.to(),
                    Changes.reason(command.reason()),
                    0,
                    command.to());
        });
    }

    /** Makes rules the first version, unless there is one. Returns whether it did. */
    public boolean begin(RuleSet rules, String title, String reason) {
        return database.write(client -> {
            if (versions.latest(client) != 0) {
                return false;
            }
            log.add(client, Actor.CENTER, new Command.TakeOver(1, rules.digest(), reason));
            add(client, Actor.CENTER, rules, title, reason, 0, 0);
            return true;
        });
    }

    /** Takes over a released set with its number, after the loss of the database. The number must be above all others. */
    public Rollout takeOver(Actor actor, RuleSet rules, String reason) {
        return database.write(client -> {
            long current = versions.latest(client);
            if (rules.version() <= current) {
                throw RefusedException.conflict("version " + rules.version() + ": this center already has version "
                        + current + " (expected: a higher one)");
            }
            log.add(client, actor, new Command.TakeOver(rules.version(), rules.digest(), reason));
            return add(client, actor, rules, rules.version(), "Rebuilt from Redis", reason, 0, 0);
        });
    }

    public Optional<Rollout> rollout(long id) {
        return database.read(client -> rollouts.find(client, id));
    }

    /** Returns rollouts with an id below a number, newest first. */
    public List<Rollout> rollouts(long below, int most) {
        return database.read(client -> rollouts.list(client, below, most));
    }

    private Rollout add(
            JdbcClient client, Actor actor, RuleSet rules, String title, String reason, long change, long contentOf) {
        long number = Math.max(versions.latest(client), highestElsewhere.getAsLong()) + 1;
        return add(client, actor, rules, number, title, reason, change, contentOf);
    }

    private Rollout add(
            JdbcClient client,
            Actor actor,
            RuleSet rules,
            long number,
            String title,
            String reason,
            long change,
            long contentOf) {
        long now = clock.epochMicros() / 1000;
        Rollout rollout = new Rollout(Database.next(client, "rollout"), number, RolloutState.RELEASING, now, 0, "");
        rollouts.supersede(client, now);
        rollouts.add(client, rollout);
        versions.add(
                client,
                new Version(
                        number,
                        rules.digest(),
                        rules.rules().size(),
                        now,
                        actor.name(),
                        title,
                        reason,
                        change,
                        contentOf,
                        rollout.id()),
                rules.numbered(number));
        return rollout;
    }
}
