package io.sluice.rules.snapshot;

import io.sluice.rules.internal.match.ScopeIndex;
import io.sluice.rules.model.Action;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rules in force: immutable, numbered, compiled for matching. */
public final class RuleSet {

    private final long version;
    private final OptionalInt releasedTo;
    private final List<Rule> rules;
    /** Those that attributes can reach. */
    private final List<Rule> enabled;

    private final boolean hasProtocolScopes;
    private final Map<String, CompiledRule> byId;
    private final List<CompiledRule> ready;
    private final ScopeIndex index;
    private final Set<String> bodyFields;
    private final BodyFieldIndex bodyRules;
    private final Set<String> headerFields;
    private final Set<String> queryFields;

    /** Computed by whoever asks first: deciding does not need it, and it costs as much as writing all rules. */
    private volatile @Nullable String digest;

    /**
     * A set.
     *
     * @param version 0 if there are no rules yet, else from 1, higher for each change
     * @param rules in document order, with ids that differ
     */
    public RuleSet(long version, List<Rule> rules) {
        this.version = requireVersion(version);
        this.releasedTo = OptionalInt.empty();
        this.rules = List.copyOf(rules);
        this.byId = byId(this.rules);
        this.enabled = this.rules.stream()
                .filter(rule -> rule.enabled() && rule.protocol().isEmpty())
                .toList();
        this.hasProtocolScopes = this.rules.stream()
                .anyMatch(rule -> rule.enabled() && rule.protocol().isPresent());
        this.ready = enabled.stream().map(this::ready).toList();
        this.index = new ScopeIndex(enabled.stream().map(Rule::scope).toList());
        this.bodyFields = FieldNames.of(this.rules, List.of("json.", "form."));
        this.bodyRules = bodyFields.isEmpty() ? BodyFieldIndex.NONE : BodyFieldIndex.of(enabled);
        this.headerFields = FieldNames.of(this.rules, List.of("header."));
        this.queryFields = FieldNames.of(this.rules, List.of("query."));
    }

    private RuleSet(long version, OptionalInt releasedTo, RuleSet same) {
        this.version = version;
        this.releasedTo = releasedTo;
        this.rules = same.rules;
        this.enabled = same.enabled;
        this.hasProtocolScopes = same.hasProtocolScopes;
        this.byId = same.byId;
        this.ready = same.ready;
        this.index = same.index;
        this.bodyFields = same.bodyFields;
        this.bodyRules = same.bodyRules;
        this.headerFields = same.headerFields;
        this.queryFields = same.queryFields;
        this.digest = same.digest;
    }

    /** No rules: everything is allowed. */
    public static RuleSet none() {
        return new RuleSet(0, List.of());
    }

    public long version() {
        return version;
    }

    /** The share of the nodes, in percent, that a center released it to; empty if the version is the node's own count. */
    public OptionalInt releasedTo() {
        return releasedTo;
    }

    /** Every rule, the disabled ones too, in document order. */
    public List<Rule> rules() {
        return rules;
    }

    /** The rule of this id, be it enabled or not. Takes the same time however many there are. */
    public Optional<Rule> rule(String id) {
        CompiledRule known = byId.get(id);
        return known == null ? Optional.empty() : Optional.of(known.rule());
    }

    /**
     * What tells the rules from others, whatever their version and however they were written: the SHA-256, in 64 hexadecimal
     * digits, of {@link io.sluice.rules.document.RuleJson#document}. The first call takes as long as writing it, later ones nothing.
     */
    public String digest() {
        String known = digest;
        if (known == null) {
            known = SetDigest.of(rules);
            digest = known;
        }
        return known;
    }

    /** The same rules under another number; nothing is compiled again. */
    public RuleSet numbered(long version) {
        return new RuleSet(requireVersion(version), releasedTo, this);
    }

    /**
     * The same, as a center released it.
     *
     * @param sharePercent of the nodes, 1 to 100
     */
    public RuleSet releasedTo(int sharePercent) {
        if (sharePercent < 1 || sharePercent > 100) {
            throw new IllegalArgumentException("share: " + sharePercent + " (expected: 1..100, percent)");
        }
        return new RuleSet(version, OptionalInt.of(sharePercent), this);
    }

    /** Number, digest, and whether it was released. */
    public RuleStamp stamp() {
        return new RuleStamp(version, digest(), releasedTo.isPresent());
    }

    /** Whether an enabled rule is for requests of another protocol; no request matches it by its attributes. */
    public boolean hasProtocolScopes() {
        return hasProtocolScopes;
    }

    /** Whether an enabled rule matches requests by their attributes. */
    public boolean hasScopes() {
        return !enabled.isEmpty();
    }

    /** The enabled rules that are for this request, in document order. */
    public List<Rule> matching(Attributes request) {
        return index.matching(request, enabled);
    }

    /** Of these, the ones that do this with the request. */
    public List<Rule> matching(Action action, Attributes request) {
        return matching(request).stream()
                .filter(rule -> rule.action() == action)
                .toList();
    }

    /** Whether an enabled rule counts by keyed hashes: then all who count together need the same key. */
    public boolean hashesKeys() {
        return rules.stream()
                .filter(Rule::enabled)
                .flatMap(rule -> Stream.concat(rule.limits().stream(), rule.candidate().stream()))
                .anyMatch(limit -> limit.privacy() == Privacy.HASH);
    }

    /** The attributes {@code json.…} and {@code form.…} that enabled rules name: the only fields of bodies that need to be read. */
    public Set<String> bodyFields() {
        return bodyFields;
    }

    /**
     * The body fields named by rules that may be for this request, as far as it is known without its body. Empty if there are
     * none: then its body need not be read.
     */
    public Set<String> bodyFields(Attributes withoutBody) {
        return bodyRules.fields(withoutBody);
    }

    /** The attributes {@code header.…} that enabled rules name, in small letters. */
    public Set<String> headerFields() {
        return headerFields;
    }

    /** The attributes {@code query.…} that enabled rules name. */
    public Set<String> queryFields() {
        return queryFields;
    }

    public List<CompiledRule> ready(Attributes request) {
        return index.matching(request, ready);
    }

    private static long requireVersion(long version) {
        if (version < 0) {
            throw new IllegalArgumentException("version: " + version + " (expected: not negative)");
        }
        return version;
    }

    /** One of this set is looked up, any other laid out again. */
    @SuppressWarnings("ReferenceEquality") // to compare rules that are not the same takes longer than to lay one out
    public CompiledRule ready(Rule rule) {
        CompiledRule known = byId.get(rule.id());
        return known != null && known.rule() == rule ? known : new CompiledRule(rule);
    }

    private static Map<String, CompiledRule> byId(List<Rule> rules) {
        Map<String, CompiledRule> all = new HashMap<>(rules.size() * 2);
        for (Rule rule : rules) {
            if (all.put(rule.id(), new CompiledRule(rule)) != null) {
                throw new IllegalArgumentException("rules: " + rule.id() + " twice (expected: ids that differ)");
            }
        }
        return all;
    }
}
