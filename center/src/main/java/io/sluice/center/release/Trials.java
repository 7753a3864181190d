package io.sluice.center.release;

import io.sluice.center.change.Change;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.plan.Target;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.verdict.Verdict;
import io.sluice.center.version.Versions;
import io.sluice.rules.snapshot.RuleSet;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Promotes and ends trials. At most one trial runs at a time. Thread-safe, even with other centers on the same database. */
public final class Trials {

    private final Database database;
    private final Versions versions;
    private final Changes changes;
    private final CommandLog log;
    private final Ledger ledger;
    private final RolloutTable rollouts;

    Trials(Database database, Versions versions, Changes changes, CommandLog log, Ledger ledger) {
        this.database = database;
        this.versions = versions;
        this.changes = changes;
        this.log = log;
        this.ledger = ledger;
        this.rollouts = ledger.rollouts();
    }

    /** Refuses while a trial is running. */
    void requireNone(JdbcClient client) {
        Optional<Rollout> trial = rollouts.trial(client);
        if (trial.isPresent()) {
            long id = trial.get().id();
            throw RefusedException.conflict(
                    "version " + trial.get().version() + " is on trial (expected: no trial; promote it with POST"
                            + " /api/rollouts/" + id + "/promote, or end it with POST /api/rollouts/" + id + "/abort)",
                    Map.of("rollout", id, "version", trial.get().version()));
        }
    }

    /** Moves a trial to its next step, or releases the version to all after the last step. */
    public Rollout promote(Actor actor, ReleaseCommand.PromoteTrial command) {
        return database.write(client -> {
            Rollout trial = requireTrial(client, command.rollout());
            int step = trial.progress().step();
            if (command.step().isPresent() && command.step().getAsLong() != step) {
                throw RefusedException.conflict(
                        "step: " + step + " (expected: " + command.step().getAsLong() + "); somebody else promoted it",
                        Map.of("step", step));
            }
            changes.requireApproved(
                    client, changes.onTrial(client, trial.order().change()).orElseThrow());
            log.add(client, actor, command, Map.of("before", Map.of("step", step)));
            return trial.hasNextStep() && !command.all()
                    ? rollouts.replace(
                            client,
                            trial.with(RolloutState.TRIAL, trial.progress().nextStep(ledger.now())))
                    : promoteToAll(client, actor, trial, command.reason());
        });
    }

    private Rollout promoteToAll(JdbcClient client, Actor actor, Rollout trial, String reason) {
        Change change = changes.onTrial(client, trial.order().change()).orElseThrow();
        ledger.replaceAll(client, trial.id());
        Rollout released = trial.with(RolloutState.RELEASING, trial.progress());
        if (trial.order().plan().to() instanceof Target.Candidate) {
            RuleSet before = versions.rules(client, trial.progress().replaces()).orElseThrow();
            RuleSet after = new RuleSet(1, change.edits().applyTo(before.rules()));
            released = released.numbered(ledger.next(client));
            ledger.add(
                    client,
                    after,
                    released.version(),
                    new Ledger.About(
                            actor.name(), change.title(), reason.isBlank() ? change.reason() : reason, change.id(), 0),
                    trial.id(),
                    false);
        } else {
            versions.promote(client, trial.version());
        }
        changes.released(client, change, released.version());
        return rollouts.replace(client, released);
    }

    /** Ends a trial immediately and releases the rules before it again, or cancels a schedule. */
    public Rollout abort(Actor actor, ReleaseCommand.AbortRollout command) {
        return database.write(client -> {
            Rollout rollout = require(client, command.rollout());
            if (rollout.state() == RolloutState.SCHEDULED) {
                log.add(client, actor, command);
                return rollouts.replace(client, rollout.ended(RolloutState.CANCELLED, ledger.now()));
            }
            Rollout trial = requireTrial(client, command.rollout());
            long before = trial.progress().replaces();
            log.add(client, actor, command, Map.of("version", trial.version(), "back_to", before));
            ledger.release(
                    client,
                    versions.rules(client, before).orElseThrow(),
                    ledger.next(client),
                    new Ledger.About(
                            actor.name(),
                            "End of the trial of version " + trial.version(),
                            Changes.reason(command.reason()),
                            0,
                            before));
            return require(client, trial.id());
        });
    }

    /** Sets whether the verdicts on a trial take effect or are only displayed. */
    public Rollout setVerdict(Actor actor, ReleaseCommand.SetVerdict command) {
        return database.write(client -> {
            Rollout rollout = require(client, command.rollout());
            if (rollout.state() != RolloutState.SCHEDULED && !rollout.isTrial()) {
                throw notOnTrial(rollout);
            }
            Rollout changed = rollout.automatic(command.automatic());
            Split.requireFair(changed.order().plan());
            log.add(
                    client,
                    actor,
                    command,
                    Map.of("before", Map.of("automatic", rollout.order().plan().automatic())));
            return rollouts.replace(client, changed);
        });
    }

    /** Returns the running trial. */
    Optional<Rollout> underWay() {
        return database.read(rollouts::trial);
    }

    /** Stores a verdict. Returns false if the trial has ended or reached another step in the meantime. */
    boolean store(long id, TrialVerdict verdict) {
        return database.write(client -> {
            Rollout trial = require(client, id);
            if (!trial.isTrial() || trial.progress().step() != verdict.step()) {
                return false;
            }
            rollouts.replace(
                    client,
                    trial.with(
                            verdict.kind() == Verdict.Kind.HOLD ? RolloutState.HOLDING : RolloutState.TRIAL,
                            trial.progress().with(verdict)));
            return true;
        });
    }

    private Rollout require(JdbcClient client, long id) {
        return rollouts.find(client, id).orElseThrow(() -> RefusedException.missing("rollout " + id + ": unknown"));
    }

    private Rollout requireTrial(JdbcClient client, long id) {
        Rollout rollout = require(client, id);
        if (!rollout.isTrial()) {
            throw notOnTrial(rollout);
        }
        return rollout;
    }

    private static RefusedException notOnTrial(Rollout rollout) {
        return RefusedException.conflict(
                "rollout " + rollout.id() + ": " + rollout.state().word()
                        + " (expected: a trial that goes on; to go back after a release, POST /api/rollback)",
                Map.of("state", rollout.state().word()));
    }
}
