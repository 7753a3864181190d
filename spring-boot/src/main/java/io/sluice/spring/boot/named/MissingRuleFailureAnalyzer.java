package io.sluice.spring.boot.named;

import io.sluice.spring.named.MissingRuleException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains missing rules: their names, the places that name them, and the existing rules. */
public final class MissingRuleFailureAnalyzer extends AbstractFailureAnalyzer<MissingRuleException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingRuleException cause) {
        return new FailureAnalysis(
                "The application names rules that are not in force:\n\n"
                        + String.valueOf(cause.getMessage()).indent(4),
                "Add the rules or correct their names. If they are loaded later, set sluice.missing-rule to warn or"
                        + " allow.",
                cause);
    }
}
