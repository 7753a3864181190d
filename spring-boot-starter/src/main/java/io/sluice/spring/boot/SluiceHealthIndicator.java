package io.sluice.spring.boot;

import java.time.Instant;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Up while decisions are made as configured; degraded while Redis does not decide and the rules' {@code on_failure} does; down only if
 * every rule that counts in Redis is {@code on_failure: closed}, so that nothing they are for passes. One closed rule among others does
 * not take an application down that serves everything else: all that share the Redis would go with it.
 */
final class SluiceHealthIndicator extends AbstractHealthIndicator {

    /** Between up and down: it serves, with less than was promised. */
    static final Status DEGRADED = new Status("DEGRADED", "decides without the shared store");

    private final SluiceState state;

    SluiceHealthIndicator(SluiceState state) {
        this.state = state;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        String degraded = state.degraded();
        if (degraded == null) {
            builder.up();
        } else if (state.isClosed()) {
            builder.down();
        } else {
            builder.status(DEGRADED);
        }
        builder.withDetail("engine", state.engine())
                .withDetail("rules", state.rules().rules().size())
                .withDetail("version", state.rules().version());
        if (degraded != null) {
            builder.withDetail("degraded", degraded);
        }
        state.degradedSince().map(Instant::toString).ifPresent(since -> builder.withDetail("degraded_since", since));
        if (!state.findings().isEmpty()) {
            builder.withDetail("findings", state.findings());
        }
    }
}
