package io.sluice.spring.boot;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health of the limiter.
 * <ul>
 *   <li>{@code UP}: decisions are made as configured.
 *   <li>{@code DEGRADED}: Redis is unavailable and the rules' {@code on_failure} policies decide, or Redis has unsafe settings.
 *   <li>{@code DOWN}: Redis is unavailable and every rule that counts in Redis is {@code on_failure: closed}, so these rules let no request
 *       pass.
 * </ul>
 *
 * <p>A single closed rule among other rules does not cause {@code DOWN}. The application still serves all other requests, and all
 * applications that share the Redis would go down together.
 *
 * @param status {@code UP}, {@code DEGRADED} or {@code DOWN}
 */
public record HealthReport(String status, Map<String, Object> details) {

    /** The status between up and down: requests are served, but with weaker guarantees than configured. */
    public static final String DEGRADED = "DEGRADED";

    /** The meaning of {@link #DEGRADED}, in words. */
    public static final String DEGRADED_MEANING = "decisions are made with weaker guarantees than configured";

    /** Reports the present health. */
    public static HealthReport of(SluiceState state) {
        String degraded = state.degraded();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("engine", state.engine());
        details.put("rules", state.rules().rules().size());
        details.put("version", state.rules().version());
        if (degraded != null) {
            details.put("degraded", degraded);
        }
        state.degradedSince().map(Instant::toString).ifPresent(since -> details.put("degraded_since", since));
        if (!state.findings().isEmpty()) {
            details.put("findings", state.findings());
        }
        return new HealthReport(degraded == null ? "UP" : state.isClosed() ? "DOWN" : DEGRADED, details);
    }
}
