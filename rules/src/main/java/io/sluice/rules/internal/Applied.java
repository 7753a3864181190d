package io.sluice.rules.internal;

import io.sluice.core.Limiter;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.core.spi.Label;
import io.sluice.rules.Attributes;
import io.sluice.rules.By;
import io.sluice.rules.Handling;
import io.sluice.rules.Mode;
import io.sluice.rules.Rule;
import io.sluice.rules.RuleLimit;
import io.sluice.rules.RuleSet;
import io.sluice.rules.Ruling;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule set applied to one request: every limit of every matching rule, bound to its count, in the order of reports. Immutable.
 *
 * @param bound in report order: global, service, resource, caller, then document order
 * @param deadline the shortest of the rules that go to the store
 * @param onFailure the strictest of them
 * @param localShare the smallest of them
 * @param defaultMode what answers say when no limit did
 */
public record Applied(
        List<Bound> bound,
        List<String> matched,
        Duration deadline,
        FailurePolicy onFailure,
        double localShare,
        long version,
        long permits,
        String defaultMode) {

    private static final Comparator<Bound> REPORT_ORDER =
            Comparator.comparing(b -> b.rule().level(b.limit()));

    public Applied {
        bound = List.copyOf(bound);
        matched = List.copyOf(matched);
    }

    /** A limit, whose count it is, and where it is decided. */
    public record Bound(Rule rule, RuleLimit limit, Demand demand, boolean inStore) {}

    public static Applied of(RuleSet set, Attributes request, long permits, boolean withStore) {
        List<Rule> rules = set.matching(request);
        List<Bound> bound = new ArrayList<>();
        Duration deadline = null;
        FailurePolicy onFailure = FailurePolicy.OPEN;
        double localShare = 1;
        for (Rule rule : rules) {
            Handling handling = rule.handling();
            boolean inStore = withStore && handling.mode() != Mode.LOCAL;
            if (inStore) {
                deadline = deadline == null || handling.deadline().compareTo(deadline) < 0
                        ? handling.deadline()
                        : deadline;
                onFailure = handling.onFailure().compareTo(onFailure) > 0 ? handling.onFailure() : onFailure;
                localShare = Math.min(localShare, handling.localShare().orElse(Handling.DEFAULT_LOCAL_SHARE));
            }
            for (RuleLimit limit : rule.limits()) {
                bound.add(bind(rule, limit, request, Math.max(1, permits), inStore));
            }
        }
        bound.sort(REPORT_ORDER);
        return new Applied(
                bound,
                rules.stream().map(Rule::id).toList(),
                deadline == null ? Limiter.DEFAULT_DEADLINE : deadline,
                onFailure,
                localShare,
                set.version(),
                permits,
                mode(withStore));
    }

    /** The first limit that can never hold what is asked for; limits that hold nothing at all simply refuse. */
    public Ruling.@Nullable Impossible impossible() {
        for (Bound b : bound) {
            long capacity = b.limit().limit().capacity();
            if (capacity >= 1 && permits > capacity) {
                return new Ruling.Impossible(b.rule().id(), b.limit().id(), permits, capacity);
            }
        }
        return null;
    }

    public List<Bound> inStore() {
        return bound.stream().filter(Bound::inStore).toList();
    }

    public List<Bound> inProcess() {
        return bound.stream().filter(b -> !b.inStore()).toList();
    }

    private static Bound bind(Rule rule, RuleLimit limit, Attributes request, long permits, boolean inStore) {
        Demand demand = Demand.of(limit.limit(), CountKeys.key(attributes(limit), request), permits)
                .labelled(new Label(rule.id(), limit.id(), mode(inStore)));
        return new Bound(rule, limit, demand, inStore);
    }

    private static List<String> attributes(RuleLimit limit) {
        return limit.by().stream().map(By::attribute).toList();
    }

    private static String mode(boolean inStore) {
        return (inStore ? Mode.DISTRIBUTED : Mode.LOCAL).word();
    }
}
