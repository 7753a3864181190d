package io.sluice.spring.boot.method;

import io.sluice.spring.method.plan.InvalidLimitException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains an invalid annotation and how to fix it. */
public final class InvalidLimitFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLimitException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLimitException cause) {
        return new FailureAnalysis(
                cause.where() + " cannot be applied:\n\n    " + cause.what(),
                "Correct this attribute of the annotation.",
                cause);
    }
}
