package io.sluice.rules.evaluate;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.side.Sides;
import io.sluice.rules.snapshot.CallerPlace;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule set applied to one request: the rule that denies or exempts it, and every limit of every matching rule, bound to its
 * count. Immutable.
 *
 * @param ruleIds the ids of all matching rules, in document order
 * @param verdictOf the rule that denies the request, otherwise the rule that exempts it; null if the limits decide
 * @param live the limits that decide
 * @param shadows the shadow groups: one group for the limits of each shadow rule, and one for the candidates of each rule
 * @param usage the limits that are charged in any case if the request passes; empty if the request only looks
 * @param reserves whether the reservation contains every limit that can be settled, instead of only the limits whose cost has a settlement
 * @param nonce identifies the permits of this request
 * @param place the place of the caller in a trial; null if there is no trial
 * @param requests the request of each rule, by the id of the rule, if the rules have different requests; otherwise empty
 */
public record MatchedRequest(
        RuleSet set,
        Attributes request,
        List<String> ruleIds,
        @Nullable Rule verdictOf,
        LimitGroup live,
        List<LimitGroup> shadows,
        LimitGroup usage,
        boolean reserves,
        long permits,
        PermitNonce nonce,
        @Nullable CallerPlace place,
        Map<String, Attributes> requests) {

    private static final Attributes NOTHING = Attributes.of(Map.of());

    public MatchedRequest {
        ruleIds = List.copyOf(ruleIds);
        shadows = List.copyOf(shadows);
        requests = Map.copyOf(requests);
    }

    /** Returns the request that a ruling is about: the request of the rule that it reports. */
    Attributes requestOf(Ruling.Settled ruling) {
        Rule rule = requests.isEmpty() ? null : ruling.rule();
        return rule == null ? request : requests.getOrDefault(rule.id(), request);
    }

    static MatchedRequest of(RuleSet set, Attributes request, long permits, Sides sides, CallerKeys keys, Clock clock) {
        return of(set, set.ready(request), request, permits, sides, keys, clock);
    }

    /** Applies the rules that match. Every limit that can be settled is in the reservation of the request. */
    static MatchedRequest reserving(
            RuleSet set, Attributes request, long permits, Sides sides, CallerKeys keys, Clock clock) {
        return of(set, set.ready(request), request, permits, true, sides, keys, clock);
    }

    /** Applies the rules that match the attributes, then the named rules. */
    static MatchedRequest of(
            RuleSet set,
            Attributes request,
            long permits,
            List<NamedRule> named,
            Sides sides,
            CallerKeys keys,
            Clock clock) {
        if (named.isEmpty()) {
            return of(set, set.hasScopes() ? set.ready(request) : List.of(), request, permits, sides, keys, clock);
        }
        List<CompiledRule> rules = set.hasScopes() ? new ArrayList<>(set.ready(request)) : new ArrayList<>(2);
        named.forEach(each -> rules.add(new CompiledRule(each.rule(), each.numbers())));
        return of(set, rules, request, permits, sides, keys, clock);
    }

    /** Returns the same request of a caller in a trial. */
    MatchedRequest at(@Nullable CallerPlace place) {
        return place == null
                ? this
                : new MatchedRequest(
                        set, request, ruleIds, verdictOf, live, shadows, usage, reserves, permits, nonce, place,
                        requests);
    }

    /** Returns a copy with the request of each rule. */
    private MatchedRequest asking(List<RuleCall> claims) {
        if (claims.size() < 2) {
            return this;
        }
        Map<String, Attributes> own = new HashMap<>();
        claims.forEach(claim -> own.putIfAbsent(claim.rule().id(), claim.request()));
        return new MatchedRequest(
                set, request, ruleIds, verdictOf, live, shadows, usage, reserves, permits, nonce, place, own);
    }

    /** Applies only the named rules. */
    static MatchedRequest of(RuleSet set, List<RuleCall> claims, Sides sides, CallerKeys keys, Clock clock) {
        Gathering all = new Gathering(sides, keys, clock, claims.size());
        long permits = 0;
        for (RuleCall claim : claims) {
            if (claim.rule().enabled()) {
                all.add(set.ready(claim.rule()), claim.request(), claim.permits(), claim.reserves());
                permits += claim.permits();
            }
        }
        Attributes request = claims.isEmpty() ? NOTHING : claims.get(0).request();
        return all.request(set, request, Math.min(permits, Limit.MAX_PERMITS), claims.size() > 1)
                .asking(claims);
    }

    /** Applies these rules. */
    static MatchedRequest of(
            RuleSet set,
            List<CompiledRule> rules,
            Attributes request,
            long permits,
            Sides sides,
            CallerKeys keys,
            Clock clock) {
        return of(set, rules, request, permits, false, sides, keys, clock);
    }

    private static MatchedRequest of(
            RuleSet set,
            List<CompiledRule> rules,
            Attributes request,
            long permits,
            boolean reserves,
            Sides sides,
            CallerKeys keys,
            Clock clock) {
        Gathering all = new Gathering(sides, keys, clock, rules.size());
        for (CompiledRule rule : rules) {
            all.add(rule, request, permits, reserves);
        }
        return all.request(set, request, permits, false);
    }

    /**
     * Returns the first limit that can never hold as many permits as requested. Limits with a capacity of zero and limits with a cost of
     * their own are left out; they simply refuse. No limit can be asked for more than {@link Limit#MAX_PERMITS}, which several claims on
     * one count can exceed.
     */
    Ruling.@Nullable Impossible impossible() {
        for (BoundLimit b : live.limits()) {
            long capacity = b.numbers().capacity();
            long most = b.limit().cost().isEmpty() ? Math.min(capacity, Limit.MAX_PERMITS) : Limit.MAX_PERMITS;
            if (capacity >= 1 && b.permits() > most) {
                return new Ruling.Impossible(b.rule().id(), b.limit().id(), b.permits(), most);
            }
        }
        return null;
    }

    /** Collects the rules and limits that apply. */
    private static final class Gathering {

        private final Sides sides;
        private final CallerKeys keys;
        private final Clock clock;
        private final PermitNonce nonce = new PermitNonce();
        private final List<String> ruleIds;
        private final List<BoundLimit> live = new ArrayList<>(4);
        private List<ShadowLimits> shadows = List.of();
        private List<BoundLimit> usage = List.of();
        private @Nullable Rule verdictOf;
        private boolean anyReserves;

        Gathering(Sides sides, CallerKeys keys, Clock clock, int rules) {
            this.sides = sides;
            this.keys = keys;
            this.clock = clock;
            this.ruleIds = new ArrayList<>(rules);
        }

        /** @param reserves whether the caller settles every limit that can be settled */
        void add(CompiledRule ready, Attributes request, long permits, boolean reserves) {
            anyReserves |= reserves;
            Rule rule = ready.rule();
            ruleIds.add(rule.id());
            if (rule.action() != Action.LIMIT) {
                verdictOf = verdictOf == null || rule.action().compareTo(verdictOf.action()) > 0 ? rule : verdictOf;
                return;
            }
            LimitBinder binder = new LimitBinder(ready, request, permits, reserves, sides, keys, clock, nonce);
            if (rule.shadow()) {
                inShadow(rule, false, deciding(binder.limits(), permits));
            } else {
                live.addAll(deciding(binder.limits(), permits));
            }
            inShadow(rule, true, deciding(binder.candidates(), permits));
        }

        /** Returns the limits that can refuse, and sets aside the limits that are charged in any case. A look charges no permits. */
        private List<BoundLimit> deciding(List<BoundLimit> limits, long permits) {
            List<BoundLimit> rest = limits;
            for (BoundLimit bound : limits) {
                if (permits > 0 && bound.isUsage()) {
                    rest = rest == limits ? new ArrayList<>(limits) : rest;
                    rest.remove(bound);
                    usage = usage.isEmpty() ? new ArrayList<>() : usage;
                    usage.add(bound);
                }
            }
            return rest;
        }

        private void inShadow(Rule rule, boolean candidates, List<BoundLimit> limits) {
            if (!limits.isEmpty()) {
                shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
                shadows.add(new ShadowLimits(rule.id(), candidates, limits));
            }
        }

        /** Returns one group for the limits of each shadow rule, and one for the candidates of each rule. */
        private List<LimitGroup> shadowGroups(boolean merge) {
            List<LimitGroup> groups = new ArrayList<>(shadows.size());
            for (ShadowLimits some : merge ? ShadowLimits.joined(shadows) : shadows) {
                groups.add(LimitGroup.of(merge ? merged(some.limits()) : some.limits())
                        .harmless());
            }
            return groups;
        }

        MatchedRequest request(RuleSet set, Attributes request, long permits, boolean merge) {
            List<BoundLimit> counts = merge ? merged(live) : live;
            List<BoundLimit> used = merge ? merged(usage) : usage;
            return new MatchedRequest(
                    set,
                    request,
                    ruleIds,
                    verdictOf,
                    LimitGroup.of(counts),
                    shadows.isEmpty() ? List.of() : shadowGroups(merge),
                    used.isEmpty() ? LimitGroup.NONE : LimitGroup.of(used).harmless(),
                    anyReserves,
                    permits,
                    nonce,
                    null,
                    Map.of());
        }

        /** Merges limits that share a count: the permits are added up, and the smaller capacity and the larger {@code keep} apply. */
        private List<BoundLimit> merged(List<BoundLimit> limits) {
            List<BoundLimit> counts = new ArrayList<>(limits.size());
            for (BoundLimit next : limits) {
                int same = 0;
                while (same < counts.size() && !counts.get(same).sharesCountWith(next)) {
                    same++;
                }
                if (same == counts.size()) {
                    counts.add(next);
                } else {
                    counts.set(same, sum(counts.get(same), next));
                }
            }
            return counts;
        }

        private BoundLimit sum(BoundLimit a, BoundLimit b) {
            BoundLimit least = b.numbers().capacity() < a.numbers().capacity() ? b : a;
            long permits = a.permits() + b.permits();
            Demand one = Objects.requireNonNull(least.demand());
            long keep = Math.max(a.keep(), b.keep());
            if (permits == 0) {
                return least.with(one.keeping(Math.max(keep, one.keep())), 0, keep);
            }
            Demand all = nonce.demand(
                    one.limit(),
                    one.key(),
                    Math.min(permits, Limit.MAX_PERMITS),
                    keep,
                    one.label(),
                    one.guard(),
                    one.lease());
            return least.with(all, permits, keep);
        }
    }

    /**
     * The limits of a shadow rule, or the candidates of a rule.
     *
     * @param limits the limits, at least one
     */
    private record ShadowLimits(String rule, boolean candidates, List<BoundLimit> limits) {

        /** Joins the limits of the same rule, which several claims may name. */
        static List<ShadowLimits> joined(List<ShadowLimits> all) {
            List<ShadowLimits> joined = new ArrayList<>(all.size());
            for (ShadowLimits next : all) {
                int same = 0;
                while (same < joined.size() && !joined.get(same).isLike(next)) {
                    same++;
                }
                if (same == joined.size()) {
                    joined.add(new ShadowLimits(next.rule, next.candidates, new ArrayList<>(next.limits)));
                } else {
                    joined.get(same).limits.addAll(next.limits);
                }
            }
            return joined;
        }

        private boolean isLike(ShadowLimits other) {
            return rule.equals(other.rule) && candidates == other.candidates;
        }
    }
}
