package io.sluice.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Silences the loggers of classes during a test class that makes them fail on purpose. Only for classes that log to {@code
 * System.Logger}. Register it as a static field.
 */
public final class SilencedLog implements BeforeAllCallback, AfterAllCallback {

    private final List<Logger> loggers = new ArrayList<>();

    private SilencedLog() {}

    public static SilencedLog of(Class<?>... classes) {
        SilencedLog silenced = new SilencedLog();
        for (Class<?> each : classes) {
            silenced.loggers.add(Logger.getLogger(each.getName()));
        }
        return silenced;
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        loggers.forEach(logger -> logger.setLevel(Level.OFF));
    }

    @Override
    public void afterAll(ExtensionContext context) {
        loggers.forEach(logger -> logger.setLevel(null));
    }
}
