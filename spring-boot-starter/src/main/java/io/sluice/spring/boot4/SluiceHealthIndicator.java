package io.sluice.spring.boot4;

import io.sluice.spring.boot.HealthReport;
import io.sluice.spring.boot.SluiceState;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/** Reports the health of the limiter, as {@link HealthReport} defines it. */
final class SluiceHealthIndicator extends AbstractHealthIndicator {

    static final Status DEGRADED = new Status(HealthReport.DEGRADED, HealthReport.DEGRADED_MEANING);

    private final SluiceState state;

    SluiceHealthIndicator(SluiceState state) {
        this.state = state;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        HealthReport report = HealthReport.of(state);
        builder.status(report.status().equals(HealthReport.DEGRADED) ? DEGRADED : new Status(report.status()));
        report.details().forEach(builder::withDetail);
    }
}
