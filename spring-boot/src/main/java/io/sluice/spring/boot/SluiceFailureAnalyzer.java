package io.sluice.spring.boot;

import io.sluice.spring.boot.store.SluiceStartException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a configuration error and how to fix it, instead of showing a stack trace. */
final class SluiceFailureAnalyzer extends AbstractFailureAnalyzer<SluiceStartException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SluiceStartException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.action(), cause);
    }
}
