package io.sluice.envoy.descriptor;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The rules for descriptors in a rule set, arranged by domain, key and value. Immutable once built.
 *
 * <p>At each level an exact value takes precedence, then wildcards in the order of the rules, then the key without a value. The
 * search does not backtrack if the chosen branch contains no rule. A rule is found only if its path is as long as the
 * descriptor.
 */
public final class DescriptorTree {

    private final RuleSet set;
    private final Map<String, Branch> domains = new HashMap<>();

    public DescriptorTree(RuleSet set) {
        this.set = set;
        for (Rule rule : set.rules()) {
            if (rule.enabled()) {
                EnvoyDescriptor.of(rule).ifPresent(descriptor -> add(rule, descriptor));
            }
        }
    }

    /** Returns the rule set that the tree was built from. */
    public RuleSet set() {
        return set;
    }

    public boolean knows(String domain) {
        return domains.containsKey(domain);
    }

    /** Returns the rule for a descriptor, or null if there is none. */
    @Nullable
    public Rule find(String domain, RateLimitDescriptor descriptor) {
        Branch branch = domains.get(domain);
        for (int i = 0; branch != null && i < descriptor.getEntriesCount(); i++) {
            RateLimitDescriptor.Entry entry = descriptor.getEntries(i);
            branch = branch.next(entry.getKey(), entry.getValue());
        }
        return branch == null ? null : branch.rule;
    }

    private void add(Rule rule, EnvoyDescriptor descriptor) {
        Branch branch = domains.computeIfAbsent(descriptor.domain(), domain -> new Branch());
        for (EnvoyDescriptor.Entry entry : descriptor.path()) {
            branch = branch.grow(entry);
        }
        if (branch.rule == null) {
            branch.rule = rule;
        }
    }

    private static final class Branch {

        private final Map<String, Choice> byKey = new HashMap<>(4);
        private @Nullable Rule rule;

        Branch grow(EnvoyDescriptor.Entry entry) {
            return byKey.computeIfAbsent(entry.key(), key -> new Choice()).grow(entry);
        }

        @Nullable
        Branch next(String key, String value) {
            Choice choice = byKey.get(key);
            return choice == null ? null : choice.of(value);
        }
    }

    /** The branches under one key. */
    private static final class Choice {

        private final Map<String, Branch> exact = new HashMap<>(4);
        private final List<Wild> wild = new ArrayList<>(0);
        private @Nullable Branch any;

        Branch grow(EnvoyDescriptor.Entry entry) {
            if (entry.value().isEmpty()) {
                Branch branch = any == null ? new Branch() : any;
                any = branch;
                return branch;
            }
            String value = entry.value().get();
            Branch known = exact.get(value);
            if (known == null) {
                known = new Branch();
                exact.put(value, known);
                if (Wildcard.is(value)) {
                    wild.add(new Wild(new Wildcard(value), known));
                }
            }
            return known;
        }

        @Nullable
        Branch of(String value) {
            Branch branch = exact.get(value);
            for (int i = 0; branch == null && i < wild.size(); i++) {
                branch = wild.get(i).wildcard.matches(value) ? wild.get(i).branch : null;
            }
            return branch == null ? any : branch;
        }
    }

    private record Wild(Wildcard wildcard, Branch branch) {}
}
