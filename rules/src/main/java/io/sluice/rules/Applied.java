package io.sluice.rules;

import io.sluice.core.Limit;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.rules.internal.CountKey;
import io.sluice.rules.internal.CountKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
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

    static Applied of(RuleSet set, Attributes request, long permits, boolean withStore, CountKeys keys, Instant now) {
        return of(set, set.ready(request), request, permits, withStore, keys, now);
    }

    /** With the rules that the part names, after those that match its attributes. */
    static Applied of(RuleSet set, Part part, boolean withStore, CountKeys keys, Instant now) {
        List<ReadyRule> rules = set.hasScopes() ? new ArrayList<>(set.ready(part.request())) : new ArrayList<>(2);
        part.named().forEach(named -> rules.add(new ReadyRule(named.rule(), named.numbers())));
        return of(set, rules, part.request(), part.permits(), withStore, keys, now);
    }

    private static Applied of(
            RuleSet set,
            List<ReadyRule> rules,
            Attributes request,
            long permits,
            boolean withStore,
            CountKeys keys,
            Instant now) {
        long asked = Math.min(Limit.MAX_PERMITS, Math.max(1, permits));
        List<String> matched = new ArrayList<>(rules.size());
        List<Bound> live = new ArrayList<>();
        List<Group> shadows = new ArrayList<>();
        Rule verdictOf = null;
        PermitNonce nonce = new PermitNonce();
        for (ReadyRule ready : rules) {
            Rule rule = ready.rule();
            matched.add(rule.id());
            if (rule.action() != Action.LIMIT) {
                verdictOf = verdictOf == null || rule.action().compareTo(verdictOf.action()) > 0 ? rule : verdictOf;
                continue;
            }
            Binder binder = new Binder(ready, request, asked, withStore, keys, now, nonce);
            List<Bound> own = binder.limits();
            if (!rule.shadow()) {
                live.addAll(own);
            } else if (!own.isEmpty()) {
                shadows.add(Group.of(own).harmless());
            }
            List<Bound> candidates = binder.candidates();
            if (!candidates.isEmpty()) {
                shadows.add(Group.of(candidates).harmless());
            }
        }
        return new Applied(
                set, request, List.copyOf(matched), verdictOf, Group.of(live), List.copyOf(shadows), permits, nonce);
    }

    /** The first limit that can never hold what is asked for; limits that hold nothing at all simply refuse. */
    Ruling.@Nullable Impossible impossible() {
        for (Bound b : live.bound()) {
            long capacity = b.numbers().capacity();
            if (capacity >= 1 && permits > capacity) {
                return new Ruling.Impossible(b.rule().id(), b.limit().id(), permits, capacity);
            }
        }
        return null;
    }

    private record Binder(
            ReadyRule ready,
            Attributes request,
            long permits,
            boolean withStore,
            CountKeys keys,
            Instant now,
            PermitNonce nonce) {

        List<Bound> limits() {
            List<RuleLimit> limits = ready.rule().limits();
            List<Bound> bound = new ArrayList<>(limits.size());
            for (int i = 0; i < limits.size(); i++) {
                Optional<Limit> override = ready.override(i, request, now);
                bind(limits.get(i), override, ready.rule().shadow(), bound);
            }
            return bound;
        }

        List<Bound> candidates() {
            if (ready.rule().candidate().isEmpty()) {
                return List.of();
            }
            List<Bound> bound = new ArrayList<>();
            ready.rule().candidate().forEach(limit -> bind(limit, Optional.empty(), true, bound));
            return bound;
        }

        private void bind(RuleLimit limit, Optional<Limit> override, boolean shadow, List<Bound> bound) {
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
                            permits,
                            Bound.label(rule, limit, inStore),
                            inStore ? guard(rule) : Demand.UNGUARDED,
                            inStore ? ready.lease() : LeasePolicy.NONE)
                    : null;
            bound.add(new Bound(rule, limit, numbers, override.isPresent(), demand, inStore, shadow));
        }

        private String tagged(String key, RuleLimit limit) {
            return keys.tagged(key, ready.rule().scope(), limit.by(), limit.privacy(), request);
        }

        private static double guard(Rule rule) {
            return rule.handling().guard().orElse(Demand.UNGUARDED);
        }
    }
}
