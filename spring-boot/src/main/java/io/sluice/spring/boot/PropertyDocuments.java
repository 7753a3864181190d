package io.sluice.spring.boot;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.SourceWords;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.spring.boot.founding.FoundingLimits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;

/** The rules in the application's own properties, {@code sluice.rules} and {@code rate.limit.configs}, which are read on demand. */
final class PropertyDocuments implements DocumentSource {

    private static final String RULES = "sluice.rules";
    private static final String ATTRIBUTES = "sluice.attributes";
    private static final ResolvableType RULE =
            ResolvableType.forClassWithGenerics(Map.class, String.class, Object.class);
    private static final Bindable<List<Map<String, Object>>> RULE_LIST =
            Bindable.of(ResolvableType.forClassWithGenerics(List.class, RULE));

    private final Environment environment;

    PropertyDocuments(Environment environment) {
        this.environment = environment;
    }

    /** Returns whether the application has such properties. */
    static boolean isConfigured(Environment environment) {
        Binder binder = Binder.get(environment);
        return binder.bind(RULES, Bindable.of(Object.class)).isBound()
                || binder.bind(RULES, RULE_LIST).isBound()
                || FoundingLimits.areIn(environment);
    }

    @Override
    public String name() {
        return "the application's properties";
    }

    @Override
    public SourceWords words() {
        return SourceWords.local(name());
    }

    @Override
    public Duration every() {
        return Duration.ZERO;
    }

    @Override
    public DocumentReading read(Known known) {
        RuleDocument document;
        try {
            document = document();
        } catch (BindException e) {
            if (!known.hasRules()) {
                throw e;
            }
            document = new RuleDocument.Refused(List.of(
                    DocumentError.of(e.getName().toString(), "unreadable (expected: rules as in a rule file)")));
        }
        return new DocumentReading.Documents(document, document);
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
