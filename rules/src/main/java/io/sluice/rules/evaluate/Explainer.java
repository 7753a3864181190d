package io.sluice.rules.evaluate;

import io.sluice.core.Decision;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.evaluate.Explanation.Standing;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.side.SideDecisions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Looks at every limit that applies to a request. Each request needs a new object. */
final class Explainer {

    private final MatchedRequest matched;
    private final CallerKeys keys;
    private final Look look;
    private final Map<Label, Verdict> verdicts = new HashMap<>();

    /** Asks the engines without charging. */
    @FunctionalInterface
    interface Look {
        CompletionStage<SideDecisions> at(MatchedRequest matched, LimitGroup group);
    }

    Explainer(MatchedRequest matched, CallerKeys keys, Look look) {
        this.matched = matched;
        this.keys = keys;
        this.look = look;
    }

    CompletionStage<Explanation> explain(String defaultMode) {
        CompletionStage<ShadowDecisions> shadows = CompletableFuture.completedFuture(ShadowDecisions.NONE);
        for (LimitGroup group : matched.shadows()) {
            shadows = shadows.thenCombine(look.at(matched, group), (before, decisions) -> {
                note(decisions);
                return before.and(group, decisions);
            });
        }
        CompletionStage<SideDecisions> usage = look.at(matched, matched.usage());
        return shadows.thenCombine(usage, (said, decisions) -> {
                    note(decisions);
                    return said;
                })
                .thenCombine(look.at(matched, matched.live()), (said, decisions) -> {
                    note(decisions);
                    return new Explanation(ruling(decisions, said, defaultMode), standings());
                });
    }

    private Ruling ruling(SideDecisions live, ShadowDecisions shadows, String defaultMode) {
        Rule rule = matched.verdictOf();
        if (rule != null) {
            return RulingWriter.byRule(matched, rule, defaultMode);
        }
        Ruling.Impossible impossible = matched.impossible();
        if (impossible != null) {
            return impossible;
        }
        BoundLimit lacking = matched.live().lacking();
        return lacking != null
                ? RulingWriter.lacking(matched, lacking, shadows)
                : RulingWriter.byLimits(matched, live, shadows, defaultMode, true);
    }

    private void note(SideDecisions decisions) {
        for (Decision decision : decisions) {
            List<Demand> demands = decision.ask().demands();
            List<Verdict> said = decision.outcome().verdicts();
            for (int i = 0; i < said.size(); i++) {
                verdicts.put(demands.get(i).label(), said.get(i));
            }
        }
    }

    private List<Standing> standings() {
        List<BoundLimit> all = new ArrayList<>(matched.live().limits());
        matched.shadows().forEach(group -> all.addAll(group.limits()));
        all.addAll(matched.usage().limits());
        all.sort(Comparator.comparing(BoundLimit::level)
                .thenComparingInt(b -> matched.ruleIds().indexOf(b.rule().id())));
        List<Standing> standings = new ArrayList<>();
        for (BoundLimit bound : all) {
            standings.add(standing(bound, bound.demand() == null ? null : verdicts.get(bound.label())));
        }
        return standings;
    }

    /**
     * Describes the state of one limit. If there is no verdict, because the store failed or the request lacks an attribute that
     * the limit counts by, the limit has no permits left.
     */
    private Standing standing(BoundLimit bound, @Nullable Verdict verdict) {
        RuleLimit limit = bound.limit();
        long remaining = verdict == null ? 0 : verdict.remaining();
        return new Standing(
                bound.rule().id(),
                limit.id(),
                bound.level(),
                bound.numbers(),
                limit.by().stream().map(By::attribute).toList(),
                keys.masked(limit.by(), limit.absent(), limit.privacy(), matched.request()),
                hash(limit),
                Math.max(0, bound.numbers().capacity() - remaining),
                remaining,
                span(verdict == null ? Verdict.NEVER : verdict.retryAfterMicros()),
                span(verdict == null ? Verdict.NEVER : verdict.resetAfterMicros()),
                verdict != null && (verdict.fits() || (bound.isUsage() && bound.permits() > 0)),
                bound.shadow(),
                bound.overridden());
    }

    private Optional<String> hash(RuleLimit limit) {
        boolean hashed = limit.privacy() == Privacy.HASH && !limit.by().isEmpty();
        return hashed
                        && keys.key(limit.by(), limit.absent(), limit.privacy(), matched.request())
                                instanceof CallerKey.Of key
                ? Optional.of(key.text().substring(CallerKeys.HASHED.length()))
                : Optional.empty();
    }

    private static Optional<Duration> span(long micros) {
        return micros == Verdict.NEVER ? Optional.empty() : Optional.of(Duration.of(micros, ChronoUnit.MICROS));
    }
}
