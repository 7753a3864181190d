package io.sluice.spring.boot;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleSource;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.source.RulesRefusedException;
import io.sluice.rules.source.WarningMemory;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.spring.boot.founding.FoundingLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/**
 * The rules in the application's own properties, {@code sluice.rules} and {@code rate.limit.configs}. They are read again on
 * {@link #reload}. Thread-safe.
 */
final class PropertyRuleSource implements RuleSource {

    private static final Logger LOG = LoggerFactory.getLogger(PropertyRuleSource.class);
    private static final String RULES = "sluice.rules";
    private static final String ATTRIBUTES = "sluice.attributes";
    private static final ResolvableType RULE =
            ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class);
    private static final Bindable<List<Map<String, Object>>> RULE_LIST =
            Bindable.of(ResolvableType.forClassWithGenerics(List.class, RULE));

    private final Environment environment;
    private final WarningMemory warnings = new WarningMemory();
    private final RuleVet vet;
    private final PublishedRules rules = new PublishedRules();

    private PropertyRuleSource(Environment environment, RuleVet vet) {
        this.environment = environment;
        this.vet = vet;
    }

    /** Returns whether the application has such properties. */
    static boolean isConfigured(Environment environment) {
        Binder binder = Binder.get(environment);
        return binder.bind(RULES, Bindable.of(Object.class)).isBound()
                || binder.bind(RULES, RULE_LIST).isBound()
                || FoundingLimits.areIn(environment);
    }

    /** @param vet checks later changes; the caller checks the initial rules */
    static PropertyRuleSource open(Environment environment, RuleVet vet) throws RulesRefusedException {
        PropertyRuleSource source = new PropertyRuleSource(environment, vet);
        RuleDocument document = source.document();
        if (document instanceof RuleDocument.Refused refused) {
            throw new RulesRefusedException(refused.errors());
        }
        source.warn(document);
        source.rules.publish(new RuleSet(1, ((RuleDocument.Accepted) document).rules()));
        return source;
    }

    /** Reads the properties again and returns their errors. If there is any error, the rules in force stay in force. */
    synchronized List<DocumentError> reload() {
        RuleDocument document;
        try {
            document = document();
        } catch (BindException e) {
            document = new RuleDocument.Refused(List.of(
                    DocumentError.of(e.getName().toString(), "unreadable (expected: rules as in a rule file)")));
        }
        if (document instanceof RuleDocument.Refused refused) {
            return refuse(refused.errors());
        }
        warn(document);
        List<Rule> next = ((RuleDocument.Accepted) document).rules();
        RuleSet before = latest();
        if (next.equals(before.rules())) {
            rules.settle();
            return List.of();
        }
        RuleSet set = new RuleSet(before.version() + 1, next);
        List<DocumentError> faults = vet.faults(set);
        if (!faults.isEmpty()) {
            return refuse(faults);
        }
        rules.publish(set);
        LOG.info("rules changed, version {} is in force: {} rules", set.version(), next.size());
        return List.of();
    }

    @Override
    public RuleSet latest() {
        return rules.latest();
    }

    @Override
    public CompletionStage<RuleSet> first() {
        return rules.first();
    }

    @Override
    public List<DocumentError> refused() {
        return rules.refused();
    }

    @Override
    public void listen(RuleListener listener) {
        rules.listen(listener);
    }

    @Override
    public void close() {
        rules.close();
    }

    private List<DocumentError> refuse(List<DocumentError> errors) {
        rules.refuse(errors);
        LOG.warn(
                "rules refused, version {} stays in force: {}{}",
                latest().version(),
                errors.get(0),
                errors.size() == 1 ? "" : " (and " + (errors.size() - 1) + " more)");
        return errors;
    }

    private void warn(RuleDocument document) {
        warnings.fresh(document).forEach(LOG::warn);
    }

    private RuleDocument document() {
        Binder binder = Binder.get(environment);
        PropertyDocument document = new PropertyDocument();
        document.declare(binder.bind(ATTRIBUTES, Bindable.listOf(String.class)).orElse(List.of()));
        List<Map<String, Object>> inline = binder.bind(RULES, RULE_LIST).orElse(List.of());
        for (int i = 0; i < inline.size(); i++) {
            document.add(RULES + "[" + i + "]", inline.get(i));
        }
        FoundingLimits founding = FoundingLimits.read(environment);
        founding.rules().forEach((name, rule) -> document.add(FoundingLimits.PREFIX + "." + name, rule));
        RuleDocument read = document.read();
        if (founding.errors().isEmpty()) {
            return read;
        }
        List<DocumentError> errors = new ArrayList<>(founding.errors());
        if (read instanceof RuleDocument.Refused refused) {
            errors.addAll(refused.errors());
        }
        return new RuleDocument.Refused(errors);
    }
}
