package io.sluice.replay.run;

import io.sluice.core.limit.Limit;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.core.spi.LeasePolicy;
import io.sluice.core.time.Clock;
import io.sluice.rules.caller.CallerKey;
import io.sluice.rules.caller.CallerKeys;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Level;
import io.sluice.rules.model.Mode;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CompiledRule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Asks the in-process engine the same question as the evaluator, but faster: the parts that do not depend on the caller are prepared once
 * for all requests with the same path. Not thread-safe.
 *
 * <p>It prepares only rules whose limits simply allow or refuse. If any other rule applies to a request, the evaluator decides the request.
 * Other rules are rules that deny or exempt, are in shadow, try candidates or hold permits, and rules with a limit that refuses requests
 * without its attribute.
 *
 * <p>No data of callers is kept. A version that kept their keys and demands allocated half as much as the evaluator, but was no faster,
 * probably because there are too many callers for the processor's cache.
 */
final class PreparedRules {

    private static final int ROUTES = 1_024;
    private static final Demand[] NOTHING = {};

    private final RuleSet set;
    private final CallerKeys keys;
    private final Clock clock;
    private final String[] scopeNames;
    private final @Nullable Route[] routes = new @Nullable Route[ROUTES];
    private final @Nullable String[] values;

    /** The rules that apply to requests with certain values of the attributes that scopes use. */
    static final class Route {

        /** The ids of the rules, in document order. */
        final List<String> ids;

        private final @Nullable String[] values;

        /** The limits, in report order. */
        private final List<PreparedLimit> limits;

        /** True if the limits can be decided here. */
        private final boolean simple;

        private Route(@Nullable String[] values, List<String> ids, List<PreparedLimit> limits, boolean simple) {
            this.values = values;
            this.ids = ids;
            this.limits = limits;
            this.simple = simple;
        }
    }

    /** @param constant the demand of every request; null if it depends on the request */
    private record PreparedLimit(
            CompiledRule ready,
            RuleLimit limit,
            int position,
            Label label,
            @Nullable Demand constant) {

        Level level() {
            return ready.rule().level(limit);
        }
    }

    PreparedRules(RuleSet set, CallerKeys keys, Clock clock) {
        this.set = set;
        this.keys = keys;
        this.clock = clock;
        Set<String> names = new LinkedHashSet<>();
        set.rules().stream().filter(Rule::enabled).forEach(rule -> addNames(rule, names));
        this.scopeNames = names.toArray(String[]::new);
        this.values = new @Nullable String[scopeNames.length];
    }

    /** Returns whether requests of a set can be prepared. Early rules and rules on trial are selected in a different way. */
    static boolean canPrepare(RuleSet set) {
        return !set.hasEarly() && set.trial() == null && set.adjustments() == 0;
    }

    private static void addNames(Rule rule, Set<String> names) {
        if (rule.scope().service() != null) {
            names.add("service");
        }
        if (rule.scope().resource() != null) {
            names.add("path");
        }
        if (!rule.scope().methods().isEmpty()) {
            names.add("method");
        }
        names.addAll(rule.scope().match().keySet());
    }

    /** Returns the rules that apply to a request. */
    Route route(Attributes request) {
        int hash = 0;
        for (int i = 0; i < scopeNames.length; i++) {
            String value = request.get(scopeNames[i]);
            values[i] = value;
            hash = 31 * hash + (value == null ? 0 : value.hashCode());
        }
        int mixed = hash * 0x9e3779b9;
        int place = (mixed ^ (mixed >>> 16)) & (ROUTES - 1);
        Route known = routes[place];
        if (known != null && Arrays.equals(known.values, values)) {
            return known;
        }
        Route found = find(request);
        routes[place] = found;
        return found;
    }

    private Route find(Attributes request) {
        List<CompiledRule> matching = set.ready(request);
        List<String> ids = new ArrayList<>(matching.size());
        List<PreparedLimit> limits = new ArrayList<>(matching.size());
        boolean simple = true;
        for (CompiledRule ready : matching) {
            Rule rule = ready.rule();
            ids.add(rule.id());
            simple &= rule.action() == Action.LIMIT
                    && !rule.shadow()
                    && rule.candidate().isEmpty()
                    && rule.overrides().stream()
                            .allMatch(override -> override.keep().isEmpty());
            for (int i = 0; i < rule.limits().size(); i++) {
                limits.add(prepared(ready, i));
                RuleLimit limit = rule.limits().get(i);
                simple &= !limit.limit().kind().holds() && limit.cost().isEmpty();
            }
        }
        limits.sort(Comparator.comparing(PreparedLimit::level));
        return new Route(values.clone(), List.copyOf(ids), simple ? List.copyOf(limits) : List.of(), simple);
    }

    private static PreparedLimit prepared(CompiledRule ready, int position) {
        Rule rule = ready.rule();
        RuleLimit limit = rule.limits().get(position);
        Label label = new Label(rule.id(), limit.id(), Mode.LOCAL.word());
        boolean constant = limit.by().isEmpty()
                && rule.overrides().isEmpty()
                && !limit.limit().kind().holds();
        return new PreparedLimit(ready, limit, position, label, constant ? demand(limit.limit(), "", label) : null);
    }

    /** Returns the question for one permit, or null if the evaluator has to decide the request. */
    @Nullable
    Ask ask(Route route, Attributes request) {
        if (!route.simple) {
            return null;
        }
        int size = route.limits.size();
        Demand[] demands = size == 0 ? NOTHING : new Demand[size];
        int count = 0;
        for (int i = 0; i < size; i++) {
            PreparedLimit limit = route.limits.get(i);
            Demand demand = limit.constant;
            if (demand == null) {
                CallerKey key = keys.key(limit.limit.by(), limit.limit.absent(), limit.limit.privacy(), request);
                if (key instanceof CallerKey.Skipped) {
                    continue;
                }
                if (!(key instanceof CallerKey.Of of)) {
                    return null;
                }
                demand = demand(numbers(limit, request), of.text(), limit.label);
            }
            demands[count++] = demand;
        }
        return count == 0
                ? null
                : new Ask(
                        List.of(count == size ? demands : Arrays.copyOf(demands, count)),
                        Ask.Purpose.CHARGE,
                        Ask.NO_DEADLINE,
                        FailurePolicy.LOCAL,
                        1,
                        set.version());
    }

    private Limit numbers(PreparedLimit limit, Attributes request) {
        return limit.ready.rule().overrides().isEmpty()
                ? limit.limit.limit()
                : limit.ready
                        .override(limit.position, request, clock)
                        .map(CompiledRule.InForce::numbers)
                        .orElse(limit.limit.limit());
    }

    private static Demand demand(Limit limit, String key, Label label) {
        return new Demand(limit, key, 1, 1, limit.maxWaitMicros(), "", label, Demand.UNGUARDED, LeasePolicy.NONE);
    }
}
