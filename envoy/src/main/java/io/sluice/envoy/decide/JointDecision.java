package io.sluice.envoy.decide;

import io.sluice.core.Decision;
import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.Verdict;
import io.sluice.envoy.decide.JointRuling.PartRuling;
import io.sluice.envoy.decide.JointRuling.Standing;
import io.sluice.rules.evaluate.BoundLimit;
import io.sluice.rules.evaluate.LimitGroup;
import io.sluice.rules.evaluate.MatchedRequest;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.evaluate.UsedLimit;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.side.Side;
import io.sluice.rules.side.SideDecisions;
import io.sluice.rules.snapshot.CallerPlace;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a decision about several requests together. For a single call; not thread-safe.
 *
 * <p>Parts that use the same count become one demand for the sum of their permits. Otherwise each part would find room for
 * itself. If the sum does not fit, the first parts that fit on their own are not reported as refused; the other parts are.
 */
final class JointDecision {

    /** Up to this number of limits, comparing each pair is faster than a table. */
    static final int FEW = 8;

    private final List<MatchedRequest> parts;

    /** Maps demands that share a count to their sum, and each sum to the permits that the parts have taken of it so far. */
    private @Nullable Sums sums;

    private final HeardVerdicts verdicts = new HeardVerdicts();
    private final List<Label> shadowRefused = new ArrayList<>(0);

    private final QuotaStandings quotas = new QuotaStandings();
    /** The usage that was charged in any case, by the part that reported it. */
    private @Nullable IdentityHashMap<MatchedRequest, List<UsedLimit>> usage;

    private SideDecisions decisions = SideDecisions.NONE;
    private boolean refusedByQuotas;
    private boolean tooMuch;
    private long atMicros;

    JointDecision(List<MatchedRequest> parts) {
        this.parts = parts;
    }

    List<MatchedRequest> parts() {
        return parts;
    }

    /** Returns whether the decision is a refusal before any engine is asked. */
    boolean isRefusedOutright() {
        for (MatchedRequest part : parts) {
            Rule rule = part.verdictOf();
            if (rule != null ? rule.action() == Action.DENY : part.live().lacking() != null || asksTooMuch(part)) {
                return true;
            }
        }
        return tooMuch;
    }

    private static boolean asksTooMuch(MatchedRequest part) {
        return part.permits() > Limit.MAX_PERMITS && !part.live().limits().isEmpty();
    }

    /** Returns whether only limits of this process decide, and every part charges. */
    boolean isPlain() {
        for (MatchedRequest part : parts) {
            if (part.verdictOf() != null
                    || part.permits() == 0
                    || !part.usage().limits().isEmpty()
                    || !part.shadows().isEmpty()) {
                return false;
            }
            for (BoundLimit bound : part.live().limits()) {
                if (bound.side().remote()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns the limits of the parts that charge, or of the parts that only look. Each count appears once. */
    LimitGroup group(boolean looking) {
        if (parts.size() == 1
                && isIn(parts.get(0), looking)
                && isDistinct(parts.get(0).live().limits())) {
            return parts.get(0).live();
        }
        List<BoundLimit> all = new ArrayList<>();
        for (MatchedRequest part : parts) {
            if (isIn(part, looking)) {
                all.addAll(part.live().limits());
            }
        }
        return LimitGroup.of(isDistinct(all) ? all : merge(all));
    }

    private static boolean isIn(MatchedRequest part, boolean looking) {
        return part.verdictOf() == null && (part.permits() == 0) == looking;
    }

    /** Returns true if these are few limits and no two of them use the same count. {@link #merge} compares many limits. */
    private static boolean isDistinct(List<BoundLimit> limits) {
        if (limits.size() > FEW) {
            return false;
        }
        for (int i = 1; i < limits.size(); i++) {
            for (int j = 0; j < i; j++) {
                if (limits.get(i).sharesCountWith(limits.get(j))) {
                    return false;
                }
            }
        }
        return true;
    }

    private List<BoundLimit> merge(List<BoundLimit> all) {
        Map<CountId, List<BoundLimit>> counts = new HashMap<>();
        List<List<BoundLimit>> ordered = new ArrayList<>();
        List<BoundLimit> result = new ArrayList<>();
        for (BoundLimit bound : all) {
            Demand demand = bound.demand();
            if (demand == null) {
                result.add(bound);
            } else {
                CountId id = new CountId(demand.limit().name(), demand.limit().shape(), demand.key(), bound.side());
                List<BoundLimit> same = counts.computeIfAbsent(id, i -> {
                    List<BoundLimit> first = new ArrayList<>(1);
                    ordered.add(first);
                    return first;
                });
                same.add(bound);
            }
        }
        ordered.forEach(same -> result.add(sum(same)));
        return result;
    }

    private BoundLimit sum(List<BoundLimit> same) {
        BoundLimit least = same.get(0);
        long permits = 0;
        long keep = 0;
        for (BoundLimit bound : same) {
            permits += permits(bound.demand());
            keep = Math.max(keep, bound.keep());
            least = bound.numbers().capacity() < least.numbers().capacity() ? bound : least;
        }
        Demand one = least.demand();
        if (same.size() == 1 || one == null) {
            return least;
        }
        tooMuch |= permits > Limit.MAX_PERMITS;
        Demand all = permits == 0
                ? one.keeping(Math.max(1, keep)).permits(0)
                : (keep == 0 ? one : one.keeping(keep)).permits(Math.min(permits, Limit.MAX_PERMITS));
        same.forEach(bound -> {
            if (bound.demand() != null) {
                sums().of.put(bound.demand(), all);
            }
        });
        return least.with(all, permits, keep);
    }

    private static long permits(@Nullable Demand demand) {
        return demand == null ? 0 : demand.permits();
    }

    /** Adds the decisions of the engines about limits in force. */
    void heard(SideDecisions said) {
        decisions = decisions.and(said);
        note(said);
    }

    /** Adds the decisions of the engines about shadow limits. */
    void heardShadow(LimitGroup group, SideDecisions said) {
        shadowRefused.addAll(group.refusing(said));
        note(said);
    }

    /** Adds the decisions of the engines about a quota of a part. */
    void heardQuota(MatchedRequest part, LimitGroup group, SideDecisions said) {
        heardShadow(group, said);
        boolean tooMany = part.permits() > Limit.MAX_PERMITS;
        quotas.add(group.limits(), said, bound -> standing(bound, tooMany));
    }

    /** Refuses the request if it has quotas and all of them are used up. Call it after all quotas have been added. */
    boolean refusesByQuotas() {
        refusedByQuotas = quotas.areUsedUp();
        return refusedByQuotas;
    }

    /** Adds the usage of a part that was charged. */
    void heardUsage(MatchedRequest part, List<UsedLimit> used) {
        IdentityHashMap<MatchedRequest, List<UsedLimit>> all = usage == null ? new IdentityHashMap<>() : usage;
        usage = all;
        all.put(part, used);
    }

    private List<UsedLimit> used() {
        List<UsedLimit> all = new ArrayList<>();
        parts.forEach(part -> all.addAll(used(part)));
        return all;
    }

    private List<UsedLimit> used(MatchedRequest part) {
        return usage == null ? List.of() : usage.getOrDefault(part, List.of());
    }

    /** Returns the decisions about limits in force. */
    SideDecisions decisions() {
        return decisions;
    }

    private void note(SideDecisions said) {
        for (Decision decision : said) {
            atMicros = Math.max(atMicros, decision.outcome().atMicros());
            verdicts.add(decision);
        }
    }

    private Sums sums() {
        Sums known = sums;
        if (known == null) {
            known = new Sums(new IdentityHashMap<>(), new IdentityHashMap<>());
            sums = known;
        }
        return known;
    }

    /** @param charged whether the request as a whole was allowed and charged; if not, at least one part refuses */
    JointRuling ruling(boolean charged, String mode, long nowMicros) {
        List<PartRuling> rulings = new ArrayList<>(parts.size());
        Reporting reporting = new Reporting();
        for (MatchedRequest part : parts) {
            rulings.add(part(part, reporting));
        }
        boolean allowed = true;
        for (PartRuling ruling : rulings) {
            allowed &= ruling.allowed();
        }
        if (allowed && !charged && !refusedByQuotas) {
            rulings.replaceAll(ruling ->
                    new PartRuling(ruling.byRule() != null, ruling.byRule(), ruling.limits(), ruling.usedUp()));
        }
        Ruling.Settled whole = reporting.whole(mode, allowed && charged);
        return new JointRuling(
                usage == null ? whole : whole.with(used()), rulings, atMicros == 0 ? nowMicros : atMicros);
    }

    private PartRuling part(MatchedRequest part, Reporting reporting) {
        Rule rule = part.verdictOf();
        if (rule != null) {
            reporting.byRule(rule);
            return new PartRuling(rule.action() == Action.EXEMPT, rule, List.of(), null);
        }
        boolean allowed = true;
        List<Standing> standings = new ArrayList<>(part.live().limits().size());
        for (BoundLimit bound : part.live().limits()) {
            Standing standing = standing(bound, asksTooMuch(part));
            allowed &= standing.fits();
            reporting.add(bound, standing);
            standings.add(standing);
        }
        Standing usedUp = null;
        for (LimitGroup shadow : part.shadows()) {
            for (BoundLimit bound : shadow.limits()) {
                Standing quota = quotas.of(bound);
                standings.add(quota == null ? standing(bound, false) : quota);
                if (quota != null && !quota.fits()) {
                    reporting.usedUp(bound, quota);
                    usedUp = usedUp == null ? quota : usedUp;
                }
            }
        }
        for (UsedLimit used : used(part)) {
            BoundLimit bound = used.bound();
            standings.add(new Standing(
                    bound.rule(),
                    bound.numbers(),
                    bound.shadow(),
                    true,
                    used.reported().remaining(),
                    used.reported().resetAfter()));
        }
        return new PartRuling(allowed, null, standings, usedUp);
    }

    private Standing standing(BoundLimit bound, boolean asksTooMuch) {
        Demand demand = bound.demand();
        if (demand == null) {
            return new Standing(bound.rule(), bound.numbers(), bound.shadow(), bound.shadow(), 0, Optional.empty());
        }
        Demand sum = sums == null ? null : sums.of.get(demand);
        Demand asked = sum == null ? demand : sum;
        Verdict verdict = verdicts.of(asked);
        if (verdict == null) {
            boolean fits = bound.shadow() || (verdicts.allows(asked) && !asksTooMuch);
            long remaining = fits ? bound.numbers().capacity() : 0;
            return new Standing(bound.rule(), bound.numbers(), bound.shadow(), fits, remaining, Optional.empty());
        }
        long before = sum == null ? demand.permits() : sums().taken.merge(sum, demand.permits(), Long::sum);
        boolean fits = !asksTooMuch
                && before <= Limit.MAX_PERMITS
                && (verdict.fits() || (asked.permits() > before && before + asked.keep() <= verdict.remaining()));
        return new Standing(
                bound.rule(),
                bound.numbers(),
                bound.shadow(),
                fits,
                remaining(bound, verdict),
                verdict.resetAfterMicros() == Verdict.NEVER
                        ? Optional.empty()
                        : Optional.of(Duration.of(verdict.resetAfterMicros(), ChronoUnit.MICROS)));
    }

    /**
     * Returns the remaining permits. If its quotas refuse a request, the permits that other limits had granted are given back.
     */
    private long remaining(BoundLimit bound, Verdict verdict) {
        return refusedByQuotas
                ? Math.min(bound.numbers().capacity(), verdict.remaining() + verdict.granted())
                : verdict.remaining();
    }

    private record Sums(IdentityHashMap<Demand, Demand> of, IdentityHashMap<Demand, Long> taken) {}

    private record CountId(String name, String shape, String key, Side side) {}

    /**
     * Finds the limit that the whole decision reports: the first limit that refuses, otherwise the limit with the fewest
     * remaining permits.
     */
    private final class Reporting {

        private @Nullable Rule byRule;
        private @Nullable BoundLimit bound;
        private @Nullable Standing standing;
        private @Nullable BoundLimit quota;
        private @Nullable Standing quotaStanding;

        void usedUp(BoundLimit next, Standing how) {
            if (quota == null) {
                quota = next;
                quotaStanding = how;
            }
        }

        void byRule(Rule rule) {
            byRule = byRule == null || rule.action().compareTo(byRule.action()) > 0 ? rule : byRule;
        }

        void add(BoundLimit next, Standing how) {
            Standing best = standing;
            boolean better = best == null
                    || (best.fits() && !how.fits())
                    || (best.fits() == how.fits() && how.fits() && how.remaining() < best.remaining());
            if (better) {
                bound = next;
                standing = how;
            }
        }

        private List<String> matched() {
            if (parts.size() == 1) {
                return parts.get(0).ruleIds();
            }
            Set<String> matched = new LinkedHashSet<>();
            parts.forEach(part -> matched.addAll(part.ruleIds()));
            return List.copyOf(matched);
        }

        Ruling.Settled whole(String mode, boolean allowed) {
            if (refusedByQuotas) {
                bound = quota;
                standing = quotaStanding;
                decisions = decisions.and(quotas.decisions());
            }
            MatchedRequest first = parts.get(0);
            Rule rule = byRule;
            boolean denied = rule != null && rule.action() == Action.DENY;
            boolean exempt = rule != null && bound == null;
            BoundLimit limit = denied || exempt ? null : bound;
            Standing how = standing;
            long permits = 0;
            for (MatchedRequest part : parts) {
                permits = Math.min(Limit.MAX_PERMITS, permits + Math.min(part.permits(), Limit.MAX_PERMITS));
            }
            Ruling.Reported reported =
                    limit == null || how == null ? null : limit.reported(how.remaining(), how.resetAfter());
            return new Ruling.Settled(
                    allowed,
                    rule != null && limit == null ? rule.action() : Action.LIMIT,
                    limit != null ? limit.rule() : denied || exempt ? rule : null,
                    reported,
                    reported,
                    allowed
                            ? Optional.of(Duration.ZERO)
                            : refusedByQuotas ? quotas.retryAfter() : decisions.retryAfter(),
                    decisions.waitFor(),
                    limit == null ? mode : limit.label().mode(),
                    decisions.degraded(),
                    first.set().version(),
                    matched(),
                    shadowRefused,
                    permits,
                    decisions,
                    null,
                    place(),
                    List.of(),
                    false,
                    null);
        }

        /** Returns the place of the caller in a trial; null if the requests are of several callers. */
        private @Nullable CallerPlace place() {
            CallerPlace place = null;
            for (MatchedRequest part : parts) {
                CallerPlace own = part.place();
                if (place != null && own != null && !place.equals(own)) {
                    return null;
                }
                place = own == null ? place : own;
            }
            return place;
        }
    }
}
