package io.sluice.cli.demo;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The mix of requests that the callers of the shop send over time. The traffic rises and falls within minutes, and so does the share of
 * callers that send too many requests. Not thread-safe.
 */
final class DemoMix {

    private static final double USUAL_PER_SECOND = 29;
    private static final double WAVE_PER_SECOND = 8;
    private static final double WAVE_SECONDS = 150;
    private static final double ATTACK_SECONDS = 240;

    /** An address that guesses passwords. */
    static final String GUESSER = "198.51.100.23";

    /** The user whose program sends requests without a pause. */
    private static final int SCRAPER = 6;

    private static final String IMPATIENT_PHONE = "+12025550123";

    private final List<DemoCaller> callers;
    private final SplittableRandom random = new SplittableRandom(28);

    DemoMix(List<DemoCaller> callers) {
        this.callers = List.copyOf(callers);
    }

    /** Returns the number of requests per second at a moment, in seconds since the start. */
    static double perSecond(double seconds) {
        return USUAL_PER_SECOND + WAVE_PER_SECOND * Math.sin(2 * Math.PI * seconds / WAVE_SECONDS);
    }

    /** Returns the next request at a moment, in seconds since the start. */
    DemoRequest next(double seconds) {
        double attack = Math.max(0, Math.sin(2 * Math.PI * seconds / ATTACK_SECONDS));
        double[] weights = {9, 8, 2, 3, 1 + 4 * attack * attack, 0.2, 0.3, 2, 3};
        return switch (pick(weights)) {
            case 0 -> DemoRequest.of("GET", "/api/search?q=item-" + random.nextInt(500), anybody());
            case 1 -> DemoRequest.of("GET", "/api/orders/" + random.nextInt(10_000), anybody());
            case 2 -> DemoRequest.of("GET", "/api/search?q=item-" + random.nextInt(500), callers.get(SCRAPER));
            case 3 -> DemoRequest.of("POST", "/api/login", "192.0.2." + random.nextInt(1, 255));
            case 4 -> DemoRequest.of("POST", "/api/login", GUESSER);
            case 5 -> sms(phone());
            case 6 -> sms(IMPATIENT_PHONE);
            case 7 -> DemoRequest.of("POST", "/api/payments", anybody());
            default -> DemoRequest.of("GET", "/api/users/me", anybody());
        };
    }

    private DemoRequest sms(String phone) {
        return DemoRequest.of("POST", "/api/sms", anybody()).with("x-phone", phone);
    }

    /** Returns a phone number. Numbers with 555-01 are not assigned in any area. */
    private String phone() {
        return "+1" + random.nextInt(201, 240) + "55501" + random.nextInt(10) + random.nextInt(10);
    }

    private DemoCaller anybody() {
        return callers.get(random.nextInt(callers.size()));
    }

    private int pick(double[] weights) {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        double rest = random.nextDouble() * sum;
        for (int i = 0; i < weights.length; i++) {
            rest -= weights[i];
            if (rest < 0) {
                return i;
            }
        }
        return weights.length - 1;
    }
}
