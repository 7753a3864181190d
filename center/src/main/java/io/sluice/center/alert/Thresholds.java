package io.sluice.center.alert;

import java.time.Duration;

/**
 * What has to be reached. Each kind of alert uses some of these. Immutable.
 *
 * @param refused at least this many refusals
 * @param share at least this share of the requests, in percent
 * @param factor at least this many times the share of the hour before
 * @param requests nothing is said about fewer requests
 * @param within the last time that is looked at
 * @param after what is younger is normal
 * @param rule the rule that it is about; empty for the fleet, or for all rules
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
