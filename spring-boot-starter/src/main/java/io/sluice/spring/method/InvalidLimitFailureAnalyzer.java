package io.sluice.spring.method;

import io.sluice.spring.method.plan.InvalidLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says where the annotation is and what to type instead. */
final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        boolean missing = cause.what().startsWith("rule: ");
        return new FailureAnalysis(
                cause.where() + " cannot be applied:\n\n    " + cause.what(),
                missing
                        ? "Add the rule, correct its name, or set sluice.annotations.missing-rule to warn or allow if it"
                                + " comes later."
                        : "Correct the attribute of the annotation.",
                cause);
    }
}
