package io.sluice.rules.snapshot;

import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleUse;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules in force, with a version, compiled for matching. Immutable. */
public final class RuleSet {

    private final long version;
    private final OptionalInt releasedTo;
    private final List<Rule> rules;

    /** The revision of the adjustments; 0 if there are none. */
    private final long adjustments;

    private final @Nullable CallerTrial trial;
    /** The enabled rules that match by attributes. */
    private final List<Rule> enabled;

    private final boolean hasProtocolScopes;
    private final Map<String, CompiledRule> byId;
    private final List<CompiledRule> ready;
    private final ScopeIndex index;
    private final EarlyIndex early;
    private final Set<String> bodyFields;
    private final BodyFieldIndex bodyRules;
    private final Set<String> headerFields;
    private final Set<String> queryFields;

    /** The digest, computed on first use, because decisions do not need it and it costs as much as writing all rules. */
    private volatile @Nullable String digest;

    /**
     * Creates a set.
     *
     * @param version the version: 0 if there are no rules yet, otherwise 1 or more, and higher with each change
     * @param rules the rules in document order, with unique ids
     */
    public RuleSet(long version, List<Rule> rules) {
        this(requireVersion(version), OptionalInt.empty(), List.copyOf(rules), 0, List.copyOf(rules), Map.of());
    }

    /**
     * Creates a set whose rules are adjusted.
     *
     * @param rules the rules as they were released
     * @param effective the rules that decide
     */
    private RuleSet(
            long version,
            OptionalInt releasedTo,
            List<Rule> rules,
            long adjustments,
            List<Rule> effective,
            Map<String, List<KeyedNumbers>> keyed) {
        this.version = version;
        this.releasedTo = releasedTo;
        this.rules = rules;
        this.adjustments = adjustments;
        this.trial = null;
        this.byId = byId(effective, keyed);
        this.enabled = effective.stream()
                .filter(rule -> rule.enabled() && rule.protocol().isEmpty() && rule.use() != RuleUse.CODE)
                .toList();
        this.hasProtocolScopes = effective.stream()
                .anyMatch(rule -> rule.enabled() && rule.protocol().isPresent());
        this.ready = enabled.stream().map(this::ready).toList();
        this.index = new ScopeIndex(enabled.stream().map(Rule::scope).toList());
        this.early = EarlyIndex.of(ready);
        Set<String> attributes = FieldNames.all(effective);
        this.bodyFields = FieldNames.of(attributes, List.of("json.", "form."));
        this.bodyRules = bodyFields.isEmpty() ? BodyFieldIndex.NONE : BodyFieldIndex.of(enabled);
        this.headerFields = FieldNames.of(attributes, List.of("header."));
        this.queryFields = FieldNames.of(attributes, List.of("query."));
    }

    private RuleSet(long version, OptionalInt releasedTo, @Nullable CallerTrial trial, RuleSet same) {
        this.version = version;
        this.releasedTo = releasedTo;
        this.trial = trial;
        this.rules = same.rules;
        this.adjustments = same.adjustments;
        this.enabled = same.enabled;
        this.hasProtocolScopes = same.hasProtocolScopes;
        this.byId = same.byId;
        this.ready = same.ready;
        this.index = same.index;
        this.early = same.early;
        this.bodyFields = same.bodyFields;
        this.bodyRules = same.bodyRules;
        this.headerFields = same.headerFields;
        this.queryFields = same.queryFields;
        this.digest = same.digest;
    }

    /** Returns a set without rules. It allows every request. */
    public static RuleSet none() {
        return new RuleSet(0, List.of());
    }

    public long version() {
        return version;
    }

    /** Returns the percentage of nodes to which a center released it; empty if the node itself counts the versions. */
    public OptionalInt releasedTo() {
        return releasedTo;
    }

    /** Returns every rule, including disabled ones, in document order. */
    public List<Rule> rules() {
        return rules;
    }

    /** Returns the rule with this id, enabled or not. Takes constant time. */
    public Optional<Rule> rule(String id) {
        CompiledRule known = byId.get(id);
        return known == null ? Optional.empty() : Optional.of(known.rule());
    }

    /**
     * Returns a digest of the rules, which depends neither on the version nor on how they were written: the SHA-256 of {@link
     * io.sluice.rules.document.RuleJson#document}, in 64 hexadecimal digits. The first call takes as long as writing that
     * document; later calls take no time.
     */
    public String digest() {
        String known = digest;
        if (known == null) {
            known = SetDigest.of(rules);
            digest = known;
        }
        return known;
    }

    /** Returns the same rules with another version, without compiling them again. */
    public RuleSet numbered(long version) {
        return new RuleSet(requireVersion(version), releasedTo, trial, this);
    }

    /**
     * Returns the same rules as released by a center.
     *
     * @param sharePercent the percentage of nodes, 1 to 100
     */
    public RuleSet releasedTo(int sharePercent) {
        if (sharePercent < 1 || sharePercent > 100) {
            throw new IllegalArgumentException("share: " + sharePercent + " (expected: 1..100, percent)");
        }
        return new RuleSet(version, OptionalInt.of(sharePercent), trial, this);
    }

    /**
     * Returns the same version with other rules in force for a limited time. {@link #rules}, {@link #digest} and {@link #stamp} still
     * return the values of the release. Compiles all rules again and drops the trial.
     *
     * @param revision the revision of the adjustments, 1 or more; 0 if there are none
     * @param effective the rules that decide, with the same ids in the same order
     * @param keyed numbers for single callers, by the id of the rule
     */
    public RuleSet adjusted(long revision, List<Rule> effective, Map<String, List<KeyedNumbers>> keyed) {
        RuleSet set = new RuleSet(version, releasedTo, rules, revision, List.copyOf(effective), Map.copyOf(keyed));
        set.digest = digest;
        return set;
    }

    /** Returns the revision of the adjustments in force; 0 if there are none. */
    public long adjustments() {
        return adjustments;
    }

    /**
     * Returns the same rules for most callers, and other rules for some callers. Requirements on a request before its caller is known, such
     * as its body fields, come from both.
     */
    public RuleSet trying(CallerTrial trial) {
        return new RuleSet(version, releasedTo, trial, this);
    }

    /** Returns the version that some callers try, or null if there is none. Every decision calls this. */
    public @Nullable CallerTrial trial() {
        return trial;
    }

    /** Returns the rule of another set that has the same id as a rule of this set, or the rule itself if there is none. */
    @SuppressWarnings("ReferenceEquality") // a rule from elsewhere may have the id of a rule of this set
    public Rule sameRule(Rule rule, RuleSet other) {
        CompiledRule own = byId.get(rule.id());
        return own != null && own.rule() == rule ? other.rule(rule.id()).orElse(rule) : rule;
    }

    /** Returns the version, the digest and whether the set was released. */
    public RuleStamp stamp() {
        return new RuleStamp(version, digest(), releasedTo.isPresent());
    }

    /**
     * Returns whether an enabled rule applies to requests of another protocol. No request matches such a rule by its attributes.
     */
    public boolean hasProtocolScopes() {
        return hasProtocolScopes || (trial != null && trial.rules().hasProtocolScopes());
    }

    /** Returns whether an enabled rule matches requests by their attributes. */
    public boolean hasScopes() {
        return !enabled.isEmpty() || (trial != null && trial.rules().hasScopes());
    }

    /**
     * Returns the enabled rules that match this request, in document order. If servers may read its path in several ways, rules that
     * exempt have to match in every reading, all others in any.
     */
    public List<Rule> matching(Attributes request) {
        return withoutDoubt(index.matching(request, enabled), request, Function.identity());
    }

    /**
     * Returns the rules, except rules that exempt the request only in some readings of its path. A slash at the end is a reading of its own
     * only if another rule applies to the empty name after it.
     */
    static <T> List<T> withoutDoubt(List<T> matching, Attributes request, Function<T, Rule> rule) {
        if (request.otherReadings().isEmpty()) {
            return matching;
        }
        boolean isName = matching.stream()
                .map(rule)
                .anyMatch(each -> each.action() != Action.EXEMPT && each.scope().matchesOnlyAnEmptyName(request));
        return matching.stream()
                .filter(each -> rule.apply(each).action() != Action.EXEMPT
                        || exempts(rule.apply(each).scope(), request, isName))
                .toList();
    }

    private static boolean exempts(Scope scope, Attributes request, boolean isName) {
        return scope.matchesEveryReading(request)
                && (!isName
                        || request.otherReadings().stream()
                                .filter(Attributes::isEmptyName)
                                .allMatch(scope::matches));
    }

    /** Returns the enabled rules that match this request and have this action. */
    public List<Rule> matching(Action action, Attributes request) {
        return matching(request).stream()
                .filter(rule -> rule.action() == action)
                .toList();
    }

    /** Returns whether an enabled rule counts by keyed hashes. All nodes that share counts then need the same key. */
    public boolean hashesKeys() {
        return rules.stream()
                .filter(Rule::enabled)
                .flatMap(rule -> Stream.concat(rule.limits().stream(), rule.candidate().stream()))
                .anyMatch(limit -> limit.privacy() == Privacy.HASH);
    }

    private static Set<String> both(Set<String> some, Set<String> others) {
        if (some.containsAll(others)) {
            return some;
        }
        Set<String> all = new LinkedHashSet<>(some);
        all.addAll(others);
        return all;
    }

    /** Returns the attributes {@code json.…} and {@code form.…} that enabled rules use. No other body fields need to be read. */
    public Set<String> bodyFields() {
        return trial == null ? bodyFields : both(bodyFields, trial.rules().bodyFields());
    }

    /**
     * Returns the body fields of rules that may apply to this request, by the attributes that are known without its body. If empty, the
     * body need not be read.
     */
    public Set<String> bodyFields(Attributes withoutBody) {
        Set<String> own = bodyRules.fields(withoutBody);
        return trial == null ? own : both(own, trial.rules().bodyFields(withoutBody));
    }

    /**
     * Returns the body fields that must be readable if the body has them. If one of them is not readable, the request must be refused,
     * because a rule that may apply to it could not be applied.
     */
    public Set<String> requiredFields(Attributes withoutBody) {
        return bodyRules.required(
                withoutBody, !matching(Action.EXEMPT, withoutBody).isEmpty());
    }

    /** Returns the attributes {@code header.…} that enabled rules use, in lower case. */
    public Set<String> headerFields() {
        return trial == null ? headerFields : both(headerFields, trial.rules().headerFields());
    }

    /** Returns the attributes {@code query.…} that enabled rules use. */
    public Set<String> queryFields() {
        return trial == null ? queryFields : both(queryFields, trial.rules().queryFields());
    }

    public List<CompiledRule> ready(Attributes request) {
        return withoutDoubt(index.matching(request, ready), request, CompiledRule::rule);
    }

    /** Returns whether rules act before callers are authenticated. If not, {@link #early} returns no rules. */
    public boolean hasEarly() {
        return !early.isEmpty() || (trial != null && trial.rules().hasEarly());
    }

    /**
     * Returns the rules that act on this request before its caller is authenticated, for any status of its answer: the rules for {@link
     * RuleUse#EARLY early}, and the rules that deny or exempt only by attributes that are already known.
     */
    public List<CompiledRule> early(Attributes request) {
        return early.matching(request);
    }

    /** Returns the rules that act on this request after its early rules: all rules except those whose limits were decided early. */
    public List<CompiledRule> afterEarly(Attributes request) {
        List<CompiledRule> matching = ready(request);
        return early.hasLimits()
                ? matching.stream()
                        .filter(each -> !EarlyIndex.isLimit(each.rule()))
                        .toList()
                : matching;
    }

    private static long requireVersion(long version) {
        if (version < 0) {
            throw new IllegalArgumentException("version: " + version + " (expected: 0 or more)");
        }
        return version;
    }

    /** Returns the compiled form of a rule. A rule of this set is looked up; any other rule is compiled. */
    @SuppressWarnings("ReferenceEquality") // comparing two different rules takes longer than compiling one
    public CompiledRule ready(Rule rule) {
        CompiledRule known = byId.get(rule.id());
        return known != null && known.rule() == rule ? known : new CompiledRule(rule);
    }

    private static Map<String, CompiledRule> byId(List<Rule> rules, Map<String, List<KeyedNumbers>> keyed) {
        Map<String, CompiledRule> all = new HashMap<>(rules.size() * 2);
        for (Rule rule : rules) {
            if (all.put(rule.id(), new CompiledRule(rule, keyed.getOrDefault(rule.id(), List.of()))) != null) {
                throw new IllegalArgumentException("rules: " + rule.id() + " is defined twice (expected: unique ids)");
            }
        }
        return all;
    }
}
