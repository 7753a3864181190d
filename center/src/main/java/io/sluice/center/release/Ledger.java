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

/** Writes versions and their rollouts, always within a transaction of the caller. Thread-safe. */
final class Ledger {

    private final Versions versions;
    private final Changes changes;
    private final Clock clock;
    private final RolloutTable rollouts = new RolloutTable();

    /** The highest version that is known from elsewhere. A new version must be above it. */
    private final LongSupplier highestElsewhere;

    Ledger(Versions versions, Changes changes, Clock clock, LongSupplier highestElsewhere) {
        this.versions = versions;
        this.changes = changes;
        this.clock = clock;
        this.highestElsewhere = highestElsewhere;
    }

    /**
     * What a version is about.
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

    /** Adds a version that is not in force yet, or whose rollout exists. */
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
     * Fails if somebody else has added a version that this transaction does not see, because then its rules would be lost. The
     * number alone does not tell, because Redis may already have that version. A change of rows sees what reads do not.
     */
    private void requireAllSeen(JdbcClient client) {
        int unseen = client.sql("UPDATE rule_version SET trial = trial WHERE number > ?")
                .param(versions.highest(client))
                .update();
        if (unseen > 0) {
            throw new LostRaceException("another version was added meanwhile");
        }
    }

    /** Puts a version in force for all, with a rollout of its own. It replaces whatever goes on. */
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

    /** Ends whatever goes on, because another rollout puts a version in force. */
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
