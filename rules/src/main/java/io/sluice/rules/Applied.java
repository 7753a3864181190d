package io.sluice.rules;

import io.sluice.core.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.rules.internal.CountKey;
import io.sluice.rules.internal.CountKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rule set applied to one request: who denies or exempts it, and every limit of every matching rule bound to its count.
 * Immutable.
 *
 * @param matched the ids of all matching rules, in document order
 * @param verdictOf the rule that denies the request, else the one that exempts it; null if the limits decide
 * @param live the limits that decide
 * @param shadows the limits of a shadow rule, and the candidates of any, each rule's by themselves
 * @param nonce what the permits of this request are known by
 */
record Applied(
        RuleSet set,
        Attributes request,
        List<String> matched,
        @Nullable Rule verdictOf,
        Group live,
        List<Group> shadows,
        long permits,
        PermitNonce nonce) {

    private static final Attributes NOTHING = Attributes.of(Map.of());

    Applied {
        matched = List.copyOf(matched);
        shadows = List.copyOf(shadows);
    }

    static Applied of(RuleSet set, Attributes request, long permits, boolean withStore, CountKeys keys, Clock clock) {
        return of(set, set.ready(request), request, permits, withStore, keys, clock);
    }

    /** With the rules that the part names, after those that match its attributes. */
    static Applied of(RuleSet set, Part part, boolean withStore, CountKeys keys, Clock clock) {
        List<ReadyRule> rules = set.hasScopes() ? new ArrayList<>(set.ready(part.request())) : new ArrayList<>(2);
        part.named().forEach(named -> rules.add(new ReadyRule(named.rule(), named.numbers())));
        return of(set, rules, part.request(), part.permits(), withStore, keys, clock);
    }

    /** With the rules that are named, and no others. */
    static Applied of(RuleSet set, List<Claim> claims, boolean withStore, CountKeys keys, Clock clock) {
        Gathering all = new Gathering(withStore, keys, clock, claims.size());
        long permits = 0;
        for (Claim claim : claims) {
            if (claim.rule().enabled()) {
                all.add(set.ready(claim.rule()), claim.request(), claim.permits());
                permits += claim.permits();
            }
        }
        Attributes request = claims.isEmpty() ? NOTHING : claims.get(0).request();
        return all.applied(set, request, Math.min(permits, Limit.MAX_PERMITS), claims.size() > 1);
    }

    private static Applied of(
            RuleSet set,
            List<ReadyRule> rules,
            Attributes request,
            long permits,
            boolean withStore,
            CountKeys keys,
            Clock clock) {
        Gathering all = new Gathering(withStore, keys, clock, rules.size());
        for (ReadyRule rule : rules) {
            all.add(rule, request, permits);
        }
        return all.applied(set, request, permits, false);
    }

    /** The first limit that can never hold what is asked for; limits that hold nothing at all simply refuse. */
    Ruling.@Nullable Impossible impossible() {
        for (Bound b : live.bound()) {
            long capacity = b.numbers().capacity();
            if (capacity >= 1 && b.permits() > Math.min(capacity, Limit.MAX_PERMITS)) {
                return new Ruling.Impossible(b.rule().id(), b.limit().id(), b.permits(), capacity);
            }
        }
        return null;
    }

    /** What applies so far. */
    private static final class Gathering {

        private final boolean withStore;
        private final CountKeys keys;
        private final Clock clock;
        private final PermitNonce nonce = new PermitNonce();
        private final List<String> matched;
        private final List<Bound> live = new ArrayList<>(4);
        private List<Group> shadows = List.of();
        private @Nullable Rule verdictOf;

        Gathering(boolean withStore, CountKeys keys, Clock clock, int rules) {
            this.withStore = withStore;
            this.keys = keys;
            this.clock = clock;
            this.matched = new ArrayList<>(rules);
        }

        void add(ReadyRule ready, Attributes request, long permits) {
            Rule rule = ready.rule();
            matched.add(rule.id());
            if (rule.action() != Action.LIMIT) {
                verdictOf = verdictOf == null || rule.action().compareTo(verdictOf.action()) > 0 ? rule : verdictOf;
                return;
            }
            Binder binder = new Binder(ready, request, permits, withStore, keys, clock, nonce);
            if (rule.shadow()) {
                inShadow(binder.limits());
            } else {
                live.addAll(binder.limits());
            }
            inShadow(binder.candidates());
        }

        private void inShadow(List<Bound> limits) {
            if (!limits.isEmpty()) {
                shadows = shadows.isEmpty() ? new ArrayList<>() : shadows;
                shadows.add(Group.of(limits).harmless());
            }
        }

        Applied applied(RuleSet set, Attributes request, long permits, boolean merge) {
            List<Bound> counts = merge ? merged() : live;
            return new Applied(set, request, matched, verdictOf, Group.of(counts), shadows, permits, nonce);
        }

        /** Each count once: who asks twice of the same asks for the sum, by the smaller numbers. */
        private List<Bound> merged() {
            List<Bound> counts = new ArrayList<>(live.size());
            for (Bound next : live) {
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

        private Bound sum(Bound a, Bound b) {
            Bound least = b.numbers().capacity() < a.numbers().capacity() ? b : a;
            long permits = a.permits() + b.permits();
            Demand one = Objects.requireNonNull(least.demand());
            Demand all = nonce.demand(
                    one.limit(),
                    one.key(),
                    Math.min(permits, Limit.MAX_PERMITS),
                    one.label(),
                    one.guard(),
                    one.lease());
            return least.with(all, permits);
        }
    }

    private record Binder(
            ReadyRule ready,
            Attributes request,
            long permits,
            boolean withStore,
            CountKeys keys,
            Clock clock,
            PermitNonce nonce) {

        private static final int CANDIDATE = -1;

        List<Bound> limits() {
            List<RuleLimit> limits = ready.rule().limits();
            List<Bound> bound = new ArrayList<>(limits.size());
            for (int i = 0; i < limits.size(); i++) {
                Optional<Limit> override = ready.override(i, request, clock);
                bind(limits.get(i), i, override, ready.rule().shadow(), bound);
            }
            return bound;
        }

        List<Bound> candidates() {
            if (ready.rule().candidate().isEmpty()) {
                return List.of();
            }
            List<Bound> bound = new ArrayList<>();
            ready.rule().candidate().forEach(limit -> bind(limit, CANDIDATE, Optional.empty(), true, bound));
            return bound;
        }

        private void bind(RuleLimit limit, int position, Optional<Limit> override, boolean shadow, List<Bound> bound) {
            CountKey key = keys.key(limit.by(), limit.absent(), limit.privacy(), request);
            if (key instanceof CountKey.Skipped) {
                return;
            }
            Rule rule = ready.rule();
            boolean inStore = withStore && rule.handling().mode() != Mode.LOCAL;
            Limit numbers = override.orElse(limit.limit());
            Demand demand = key instanceof CountKey.Of of
                    ? nonce.demand(
                            numbers,
                            inStore ? tagged(of.text(), limit) : of.text(),
                            Math.min(Limit.MAX_PERMITS, Math.max(1, permits)),
                            position == CANDIDATE ? Bound.label(rule, limit, inStore) : ready.label(position, inStore),
                            inStore ? guard(rule) : Demand.UNGUARDED,
                            inStore ? ready.lease() : LeasePolicy.NONE)
                    : null;
            bound.add(new Bound(rule, limit, numbers, override.isPresent(), permits, demand, inStore, shadow));
        }

        private String tagged(String key, RuleLimit limit) {
            return keys.tagged(key, ready.rule().scope(), limit.by(), limit.privacy(), request);
        }

        private static double guard(Rule rule) {
            return rule.handling().guard().orElse(Demand.UNGUARDED);
        }
    }
}
