package io.sluice.center.alert;

import java.time.Duration;

/**
 * The thresholds of an alert rule. Each kind of alert uses some of them. Immutable.
 *
 * @param refused the minimum number of refusals
 * @param share the minimum share of refused requests, in percent
 * @param factor the minimum factor by which the share exceeds that of the hour before
 * @param requests the minimum number of requests; with fewer there is no alert
 * @param within the span before now that is looked at
 * @param after the age below which a state is normal
 * @param rule the rule to look at; empty for the fleet, or for all rules
 */
record Thresholds(
        long refused, double share, double factor, long requests, Duration within, Duration after, String rule) {

    static final String REFUSED = "refused";
    static final String SHARE = "share";
    static final String FACTOR = "factor";
    static final String REQUESTS = "requests";
    static final String WITHIN = "within";
    static final String AFTER = "after";
    static final String RULE = "rule";

    static final Thresholds USUAL = new Thresholds(100, 50, 3, 100, Duration.ofMinutes(5), Duration.ofMinutes(1), "");

    Thresholds share(double percent) {
        return new Thresholds(refused, percent, factor, requests, within, after, rule);
    }

    Thresholds after(Duration time) {
        return new Thresholds(refused, share, factor, requests, within, time, rule);
    }
}
