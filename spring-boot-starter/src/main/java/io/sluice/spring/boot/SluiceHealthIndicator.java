package io.sluice.spring.boot;

import java.time.Instant;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports the health of the limiter.
 * <ul>
 *   <li>{@code UP}: decisions are made as configured.
 *   <li>{@code DEGRADED}: Redis is unavailable and the rules' {@code on_failure} policies decide, or Redis has unsafe settings.
 *   <li>{@code DOWN}: Redis is unavailable and every rule that counts in Redis is {@code on_failure: closed}, so these rules let
 *       nothing pass.
 * </ul>
 *
 * <p>A single closed rule among others does not report {@code DOWN}. The application still serves everything else, and all
 * applications that share the Redis would go down together.
 */
final class SluiceHealthIndicator extends AbstractHealthIndicator {

    /** Between up and down: requests are served, but with weaker guarantees than configured. */
    static final Status DEGRADED = new Status("DEGRADED", "decisions are made with weaker guarantees than configured");

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
