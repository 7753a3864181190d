package io.sluice.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;

/** Reads the rules in the properties again when Spring Cloud reports that the environment changed. */
final class RulesReloader implements GenericApplicationListener {

    /** The name of the event's class, because most applications do not have Spring Cloud on the class path. */
    private static final String CHANGED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private final SluiceRules rules;

    RulesReloader(SluiceRules rules) {
        this.rules = rules;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> type = eventType.resolve();
        return type != null && type.getName().equals(CHANGED);
    }

    @Override
    public boolean supportsSourceType(@Nullable Class<?> sourceType) {
        return true;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        rules.reload();
    }
}
