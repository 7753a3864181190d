package io.sluice.node;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Gives every await of this module a bound that only ends a hanging test, because a busy machine may be slow, and lets it look soon:
 * many tests await one small step after the other.
 */
public final class PatientAwait implements BeforeAllCallback {

    private static final Duration AT_MOST = Duration.ofMinutes(1);

    @Override
    public void beforeAll(ExtensionContext tests) {
        Awaitility.setDefaultTimeout(AT_MOST);
        Awaitility.setDefaultPollInterval((looks, before) -> Duration.ofMillis(1L << Math.min(looks, 6)));
        Awaitility.setDefaultPollDelay(Duration.ZERO);
    }
}
