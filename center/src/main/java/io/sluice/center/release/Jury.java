package io.sluice.center.release;

import io.sluice.center.command.Actor;
import io.sluice.center.database.Database;
import io.sluice.center.duty.Duty;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.plan.Target;
import io.sluice.center.refusal.RefusedException;
import io.sluice.center.verdict.CallerChoice;
import io.sluice.center.verdict.Judge;
import io.sluice.center.verdict.Looks;
import io.sluice.center.verdict.Sample;
import io.sluice.center.verdict.Since;
import io.sluice.center.verdict.Verdict;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.trial.CallerTrials;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges the running trial, and acts on the verdict if the trial is automatic.
 *
 * <p>The jury counts in memory, from the reports of live nodes. After a restart or a change of the leader it starts counting
 * again, so that no verdict covers only a part of an interval. The number of looks continues, so that the risk of an error does
 * not rise. Used by one thread.
 */
public final class Jury implements Duty {

    private static final Logger LOG = LoggerFactory.getLogger(Jury.class);

    /** The time that nodes need to apply a step. Counts from this time belong to the step before. */
    private static final Duration APPLYING = Duration.ofSeconds(10);

    private final Database database;
    private final Versions versions;
    private final Trials trials;
    private final LiveNodes nodes;
    private final Clock clock;
    private @Nullable Counting counting;
    private @Nullable Before before;

    /** The last logged reason why a trial could not be promoted. */
    private String told = "";

    /** The counts from before any caller tried the version of a rollout. */
    private record Before(long rollout, Sample sample) {}

    /** The counts of one step of a trial. */
    private static final class Counting {

        private final long rollout;
        private final int step;
        private final long fromNanos;

        /** The time from which on a verdict may promote. */
        private final long settlesNanos;

        private final int looksBefore;
        private Since since = Since.BEGINNING;
        private int intervals;

        Counting(Rollout trial, long fromNanos, long settlesNanos) {
            this.rollout = trial.id();
            this.step = trial.progress().step();
            this.fromNanos = fromNanos;
            this.settlesNanos = settlesNanos;
            this.looksBefore =
                    trial.progress().verdict().map(TrialVerdict::look).orElse(0);
        }

        boolean isOf(Rollout trial) {
            return trial.id() == rollout && trial.progress().step() == step;
        }
    }

    public Jury(Database database, Versions versions, Trials trials, LiveNodes nodes, Clock clock) {
        this.database = database;
        this.versions = versions;
        this.trials = trials;
        this.nodes = nodes;
        this.clock = clock;
    }

    @Override
    public void turn(boolean leads) {
        Optional<Rollout> found = leads ? trials.underWay() : Optional.empty();
        if (found.isEmpty()) {
            counting = null;
            return;
        }
        Rollout trial = found.get();
        RuleSet rules = rules(trial.version());
        Optional<TrialVerdict> verdict = refusal(trial, rules).or(() -> look(trial, rules));
        if (verdict.isPresent() && trials.store(trial.id(), verdict.get())) {
            LOG.info(
                    "trial of version {}, step {}: {}{}: {}",
                    trial.version(),
                    trial.progress().step() + 1,
                    verdict.get().kind().word(),
                    trial.order().plan().automatic() ? "" : " (dry run)",
                    verdict.get().why());
        }
        if (trial.order().plan().automatic()) {
            verdict.or(() -> trial.progress().verdict()).ifPresent(last -> act(trial, last));
        }
    }

    /** Returns a verdict if a node refuses the version. One such node is enough, regardless of the counts. */
    private Optional<TrialVerdict> refusal(Rollout trial, RuleSet rules) {
        return Acknowledgement.of(nodes.followers(), trial, rules.digest()).stream()
                .filter(node -> node.state() == Acknowledgement.State.REFUSED)
                .findFirst()
                .map(node -> new TrialVerdict(
                        Verdict.Kind.ROLL_BACK,
                        "node " + node.name() + " refuses version " + trial.version() + ": "
                                + String.join("; ", node.errors()),
                        trial.progress().verdict().map(TrialVerdict::look).orElse(0),
                        trial.progress().step(),
                        clock.epochMicros() / 1000,
                        List.of()))
                .filter(verdict -> trial.progress()
                        .verdict()
                        .filter(last -> last.why().equals(verdict.why()))
                        .isEmpty());
    }

    private Optional<TrialVerdict> look(Rollout trial, RuleSet rules) {
        if (!trial.order().plan().to().isSplit()) {
            return Optional.empty();
        }
        Counting counts = counting;
        long now = clock.nanoTime();
        if (counts == null || !counts.isOf(trial)) {
            Duration settling = trial.isWatching() ? Duration.ZERO : settling(trial, rules);
            long from = now + left(trial, APPLYING).toNanos();
            counts = new Counting(
                    trial,
                    from,
                    settling.isZero() ? from : now + left(trial, settling).toNanos());
            counting = counts;
        } else if (counts.fromNanos - counts.settlesNanos < 0 && now - counts.settlesNanos >= 0) {
            // Changed limits start with fresh counts and refuse little at first. Results from that time must not
            // support a promotion.
            counts = new Counting(trial, now, now);
            counting = counts;
        }
        long counted = now - counts.fromNanos;
        if (counted < 0) {
            return Optional.empty();
        }
        collect(counts, trial, rules);
        if (trial.isWatching()) {
            watched(trial, counts, counted);
            return Optional.empty();
        }
        if (counted
                < (counts.intervals + 1)
                        * trial.order().plan().verdict().every().toNanos()) {
            return Optional.empty();
        }
        counts.intervals++;
        OptionalInt due = Looks.due(counts.intervals);
        if (due.isEmpty()) {
            return Optional.empty();
        }
        int look = counts.looksBefore + due.getAsInt();
        Verdict verdict = judge(trial, counts, look);
        if (verdict.kind() == Verdict.Kind.PROMOTE && now - counts.settlesNanos < 0) {
            verdict = new Verdict(
                    Verdict.Kind.HOLD,
                    verdict.comparisons(),
                    "hold: counts of changed limits start fresh and have refused little yet (expected: promote after "
                            + Instant.ofEpochMilli(settlesAt(trial, settling(trial, rules))) + ")");
        }
        return Optional.of(TrialVerdict.of(verdict, look, trial.progress().step(), clock.epochMicros() / 1000));
    }

    /** Lets callers try the version once both sides have been watched for long enough. */
    private void watched(Rollout trial, Counting counts, long countedNanos) {
        Duration watch = trial.order().plan().verdict().watch();
        if (countedNanos < watch.toNanos()) {
            return;
        }
        Sample sample = counts.since.ofCallers();
        before = new Before(trial.id(), sample);
        LOG.info(
                "trial of version {}: callers try it after both sides were watched; requests: {} and {}",
                trial.version(),
                sample.trial().total().requests(),
                sample.control().total().requests());
        promote(trial, "both sides were watched for " + watch.toSeconds() + " s");
    }

    /** Promotes a trial. A trial whose approvals no longer hold stays at its step until it is approved again. */
    private void promote(Rollout trial, String why) {
        try {
            var unused = trials.promote(
                    Actor.CENTER,
                    new ReleaseCommand.PromoteTrial(
                            trial.id(),
                            why,
                            false,
                            OptionalLong.of(trial.progress().step())));
        } catch (RefusedException e) {
            if (e.why() != RefusedException.Why.FORBIDDEN) {
                throw e;
            }
            String problem = "trial of version " + trial.version() + " stays where it is: " + e.getMessage();
            if (!problem.equals(told)) {
                told = problem;
                LOG.warn("{}", problem);
            }
        }
    }

    /**
     * Returns the counts from before any caller tried the version, for the first step only. A later step splits callers
     * differently, so these counts do not apply to it.
     */
    private Sample before(Rollout trial) {
        Before known = before;
        return known != null
                        && known.rollout() == trial.id()
                        && trial.progress().step() == 0
                ? known.sample()
                : Sample.NONE;
    }

    private Verdict judge(Rollout trial, Counting counts, int look) {
        var settings = trial.order().plan().verdict().settings();
        if (trial.scope().orElseThrow() instanceof TrialScope.Nodes share) {
            Sample sample = counts.since.ofNodes(node -> new NodeShare(node).isWithin(share.percent()));
            return Judge.judge(settings, new CallerChoice.Nodes(), Sample.NONE, sample, look);
        }
        CallerChoice split = trial.order().plan().to() instanceof Target.Named
                ? new CallerChoice.Named()
                : new CallerChoice.Callers(trial.share() / 100.0);
        return Judge.judge(settings, split, before(trial), counts.since.ofCallers(), look);
    }

    /** Returns the rest of a span that started with the step. */
    private Duration left(Rollout trial, Duration span) {
        long passed = clock.epochMicros() / 1000 - trial.progress().stepAt();
        return passed < 0 ? span : span.minusMillis(Math.min(passed, span.toMillis()));
    }

    private Duration settling(Rollout trial, RuleSet rules) {
        return CallerTrials.settling(rules(trial.progress().replaces()), rules);
    }

    private static long settlesAt(Rollout trial, Duration settling) {
        return trial.progress().stepAt() + settling.toMillis();
    }

    private void collect(Counting counts, Rollout trial, RuleSet rules) {
        String digest = rules.digest();
        if (trial.scope().orElseThrow() instanceof TrialScope.Nodes share) {
            RuleSet before = rules(trial.progress().replaces());
            for (NodeState node : nodes.followers()) {
                boolean tries = new NodeShare(node.report().node()).isWithin(share.percent());
                if (tries ? node.runs(trial.version(), digest) : node.runs(before.version(), before.digest())) {
                    counts.since = counts.since.plus(NodeCounts.ofNode(node.report()));
                }
            }
        } else if (trial.scope().orElseThrow() instanceof TrialScope.Callers callers) {
            for (NodeState node : nodes.followers()) {
                if (node.tries(trial.version(), digest, callers.split())) {
                    counts.since = counts.since.plus(NodeCounts.ofCallers(node.report()));
                }
            }
        }
    }

    private void act(Rollout trial, TrialVerdict verdict) {
        if (verdict.step() != trial.progress().step()) {
            return;
        }
        if (verdict.kind() == Verdict.Kind.PROMOTE) {
            promote(trial, verdict.why());
        } else if (verdict.kind() == Verdict.Kind.ROLL_BACK) {
            var unused = trials.abort(Actor.CENTER, new ReleaseCommand.AbortRollout(trial.id(), verdict.why()));
        }
    }

    private RuleSet rules(long version) {
        return database.read(client -> versions.rules(client, version)).orElseThrow();
    }
}
