package io.sluice.center.govern.reply;

import io.sluice.center.adjust.Adjustment;
import io.sluice.center.http.ReplyTime;
import io.sluice.center.plan.Target;
import io.sluice.center.release.Rollout;
import io.sluice.center.release.TrialVerdict;
import io.sluice.center.verdict.Comparison;
import io.sluice.center.verdict.Measure;
import io.sluice.rules.yaml.Spans;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The trial of a rollout.
 *
 * @param scope {@code nodes}, {@code callers}, {@code named} or {@code candidate}
 * @param by the attribute that distinguishes callers
 * @param named the first two characters of the values on trial
 * @param steps the shares of all steps, in percent
 * @param step the position of the current step, starting with 0
 * @param watching whether both sides are only counted and no caller tries the version yet
 * @param share the current share, in percent
 * @param settlesAt the time before which no verdict promotes, because counts of changed limits started fresh; missing if none did
 * @param replaces the version in force during the trial
 * @param compare the measures that verdicts compare
 * @param automatic whether verdicts take effect; otherwise they are only displayed
 * @param verdict the last verdict
 */
public record TrialReply(
        String scope,
        @Nullable String by,
        List<String> named,
        List<Integer> steps,
        int step,
        boolean watching,
        @Nullable Integer share,
        @Nullable Instant stepAt,
        @Nullable Instant settlesAt,
        @Nullable Long replaces,
        List<String> compare,
        String every,
        boolean automatic,
        @Nullable VerdictReply verdict) {

    /**
     * A verdict.
     *
     * @param verdict {@code promote}, {@code roll_back} or {@code hold}
     * @param look the number of the look at this step
     */
    public record VerdictReply(
            String verdict, String why, int look, int step, Instant at, List<ComparisonReply> comparisons) {

        /** Returns the same verdict without node names. Only a verdict without a look names a node. */
        VerdictReply withoutNodes() {
            return look != 0
                    ? this
                    : new VerdictReply(verdict, "a node refuses the version", look, step, at, comparisons);
        }

        static VerdictReply of(TrialVerdict verdict) {
            return new VerdictReply(
                    verdict.kind().word(),
                    verdict.why(),
                    verdict.look(),
                    verdict.step(),
                    Instant.ofEpochMilli(verdict.at()),
                    verdict.comparisons().stream().map(ComparisonReply::of).toList());
        }
    }

    /**
     * One measure of a verdict. Shares are from 0 to 1, latencies in microseconds.
     *
     * @param low the lower bound of how much the trial exceeds the control, according to the counts
     * @param high the upper bound of how much the trial exceeds the control, according to the counts
     * @param tolerance how much the trial may exceed the control
     */
    public record ComparisonReply(
            String measure,
            String verdict,
            String why,
            @Nullable Double trial,
            @Nullable Double control,
            @Nullable Double low,
            @Nullable Double high,
            @Nullable Double tolerance) {

        static ComparisonReply of(Comparison comparison) {
            return new ComparisonReply(
                    comparison.measure().word(),
                    comparison.says().word(),
                    comparison.why(),
                    finite(comparison.trial()),
                    finite(comparison.control()),
                    finite(comparison.low()),
                    finite(comparison.high()),
                    finite(comparison.tolerance()));
        }

        private static @Nullable Double finite(double number) {
            return Double.isFinite(number) ? number : null;
        }
    }

    TrialReply withoutNodes() {
        return new TrialReply(
                scope,
                by,
                named,
                steps,
                step,
                watching,
                share,
                stepAt,
                settlesAt,
                replaces,
                compare,
                every,
                automatic,
                verdict == null ? null : verdict.withoutNodes());
    }

    static @Nullable TrialReply of(Rollout rollout, @Nullable Instant settlesAt) {
        Target to = rollout.order().plan().to();
        if (to instanceof Target.All) {
            return null;
        }
        Rollout.Progress progress = rollout.progress();
        boolean judged = to.isSplit();
        return new TrialReply(
                scope(to),
                progress.attribute().isEmpty() ? null : progress.attribute(),
                to instanceof Target.Named named
                        ? named.values().stream().map(Adjustment::mask).toList()
                        : List.of(),
                to.steps(),
                Math.max(0, progress.step()),
                rollout.isWatching(),
                to.steps().isEmpty() ? null : rollout.share(),
                ReplyTime.of(progress.stepAt()),
                settlesAt,
                VersionReply.orNull(progress.replaces()),
                judged
                        ? rollout.order().plan().verdict().settings().tolerances().keySet().stream()
                                .map(Measure::word)
                                .toList()
                        : List.of(),
                Spans.text(rollout.order().plan().verdict().every()),
                rollout.order().plan().automatic(),
                progress.verdict().map(VerdictReply::of).orElse(null));
    }

    private static String scope(Target to) {
        if (to instanceof Target.Nodes) {
            return "nodes";
        }
        if (to instanceof Target.Callers) {
            return "callers";
        }
        return to instanceof Target.Named ? "named" : "candidate";
    }
}
