package io.sluice.center.release;

import io.sluice.center.change.Changes;
import io.sluice.center.database.Database;
import io.sluice.center.database.LostRaceException;
import io.sluice.center.version.Version;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.RuleSet;
import java.util.function.LongSupplier;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Writes versions and their rollouts. Every method runs within a transaction of the caller. Thread-safe. */
final class Ledger {

    private final Versions versions;
    private final Changes changes;
    private final Clock clock;
    private final RolloutTable rollouts = new RolloutTable();

    /** Returns the highest version that is known from elsewhere. A new version must have a higher number. */
    private final LongSupplier highestElsewhere;

    Ledger(Versions versions, Changes changes, Clock clock, LongSupplier highestElsewhere) {
        this.versions = versions;
        this.changes = changes;
        this.clock = clock;
        this.highestElsewhere = highestElsewhere;
    }

    /**
     * The description of a version.
     *
     * @param change the change that it releases; 0 if none
     * @param contentOf the version whose content it repeats; 0 if none
     */
    record About(String actor, String title, String reason, long change, long contentOf) {}

    RolloutTable rollouts() {
        return rollouts;
    }

    long now() {
        return clock.epochMicros() / 1000;
    }

    /** Returns the number of the next version. */
    long next(JdbcClient client) {
        return Math.max(versions.highest(client), highestElsewhere.getAsLong()) + 1;
    }

    /** Adds a version that is not in force yet, or whose rollout already exists. */
    void add(JdbcClient client, RuleSet rules, long number, About about, long rollout, boolean trial) {
        requireAllSeen(client);
        versions.add(
                client,
                new Version(
                        number,
                        rules.digest(),
                        rules.rules().size(),
                        now(),
                        about.actor(),
                        about.title(),
                        about.reason(),
                        about.change(),
                        about.contentOf(),
                        rollout,
                        trial),
                rules.numbered(number));
    }

    /**
     * Fails if another transaction has added a version that this transaction does not see, because the rules of that version
     * would be lost. The number does not reveal it, because Redis may already have that version. An update sees rows that a read
     * does not.
     */
    private void requireAllSeen(JdbcClient client) {
        int unseen = client.sql("UPDATE rule_version SET trial = trial WHERE number > ?")
                .param(versions.highest(client))
                .update();
        if (unseen > 0) {
            throw new LostRaceException("another version was added meanwhile");
        }
    }

    /** Puts a version in force everywhere, with its own rollout. It replaces every running rollout. */
    Rollout release(JdbcClient client, RuleSet rules, long number, About about) {
        Rollout rollout = new Rollout(
                Database.next(client, "rollout"),
                1,
                number,
                RolloutState.RELEASING,
                now(),
                0,
                "",
                ReleaseOrder.of(about.actor(), about.reason(), rules.digest()),
                Rollout.Progress.NONE);
        replaceAll(client, rollout.id());
        rollouts.add(client, rollout);
        add(client, rules, number, about, rollout.id(), false);
        return rollout;
    }

    /** Ends all running rollouts and trials, because another rollout puts a version in force. */
    void replaceAll(JdbcClient client, long successor) {
        rollouts.supersede(client, now());
        rollouts.trial(client).filter(trial -> trial.id() != successor).ifPresent(trial -> {
            rollouts.replace(
                    client,
                    trial.with(trial.state(), trial.progress().endedBy(successor))
                            .ended(RolloutState.ROLLED_BACK, now()));
            changes.onTrial(client, trial.order().change()).ifPresent(change -> changes.reopened(client, change));
        });
    }
}
