package io.sluice.benchmarks.keep;

import io.sluice.benchmarks.goals.Figures;
import io.sluice.benchmarks.processes.Checkout;
import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/**
 * Shows what {@code keep} does: at five times the limit, with a top class that asks for up to 80 % of it. In process the run is computed on
 * a manual clock and is the same each time. On Redis it takes as long as the requests come.
 */
public final class KeepRun {

    /** The picture of the documentation, seen from the checkout. */
    static final String PICTURE = "docs/images/keep.svg";

    /** The requests of the picture: the top class asks for 20, 50 and then 80 % of the limit. */
    static final Overload MINUTE = new Overload(10_000, 60, List.of(0.2, 0.5, 0.8, 0.8, 0.8, 0.8));

    private static final String BUCKET = "rate: 10000/s";
    private static final String NONE = "0";
    private static final List<Double> HIGH = List.of(0.8);

    private KeepRun() {}

    /** Returns tables of what passed, and draws the picture if the program was started by ./sluice. */
    public static String table(int secondsOnRedis, Figures figures) throws InterruptedException {
        Checkout.root().ifPresent(root -> write(root.resolve(PICTURE)));
        try (Formatter out = new Formatter(Locale.ROOT)) {
            out.format(
                    "Five times the limit of 10,000/s, of which the top class asks for 80 %%. Requests per second that pass:\n\n");
            out.format(
                    "| run                                | top wants | top gets | top loses | free gets | batch gets |\n");
            out.format(
                    "|------------------------------------|-----------|----------|-----------|-----------|------------|\n");
            Overload high = new Overload(10_000, 10, HIGH);
            row(out, "in process, without keep", without().onManualClock(high), 1);
            row(out, "in process, keep 20 % and 50 %", with().onManualClock(high), 1);
            Overload real = new Overload(10_000, Math.max(3, secondsOnRedis), HIGH);
            try (RedisServer redis = RedisServer.start()) {
                row(out, "Redis, without keep", without().onRedis(redis.uri(), real), 1);
            }
            try (RedisServer redis = RedisServer.start()) {
                Shares shares = with().onRedis(redis.uri(), real);
                row(out, "Redis, keep 20 % and 50 %", shares, 1);
                figures.add("lost by the top class", (double) lost(shares, 0));
            }
            byAlgorithm(out, high);
            return out.toString();
        }
    }

    /** A window does not refill while it lasts, so the share that is kept must be what the top class needs. */
    private static void byAlgorithm(Formatter out, Overload high) {
        for (String numbers : List.of(
                "algorithm: fixed_window, limit: 10000, window: 1s",
                "algorithm: sliding_window, limit: 10000, window: 1s")) {
            String name = numbers.contains("fixed") ? "fixed_window" : "sliding_window";
            row(
                    out,
                    name + ", keep 20 % and 50 %",
                    SharedLimit.of(numbers, "20%", "50%").onManualClock(high),
                    1);
            row(
                    out,
                    name + ", keep 85 % and 95 %",
                    SharedLimit.of(numbers, "85%", "95%").onManualClock(high),
                    1);
        }
    }

    static SharedLimit without() {
        return SharedLimit.of(BUCKET, NONE, NONE);
    }

    static SharedLimit with() {
        return SharedLimit.of(BUCKET, "20%", "50%");
    }

    /** Returns the requests of the top class that did not pass in the seconds from {@code from} on. */
    static long lost(Shares shares, int from) {
        return shares.offeredSince(Plan.TOP, from) - shares.admittedSince(Plan.TOP, from);
    }

    /** Returns the picture of the documentation. */
    static String picture() {
        return OverloadPicture.of(
                MINUTE,
                List.of(
                        new OverloadPicture.Panel("Without keep", without().onManualClock(MINUTE)),
                        new OverloadPicture.Panel("free keeps 20 %, batch keeps 50 %", with().onManualClock(MINUTE))));
    }

    private static void write(Path file) {
        try {
            Files.writeString(file, picture());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void row(Formatter out, String name, Shares shares, int from) {
        double seconds = shares.seconds() - from;
        double top = shares.offeredSince(Plan.TOP, from);
        out.format(
                "| %-34s | %9.0f | %8.0f | %7.1f %% | %9.0f | %10.0f |\n",
                name,
                top / seconds,
                shares.admittedSince(Plan.TOP, from) / seconds,
                100 * lost(shares, from) / top,
                shares.admittedSince(Plan.FREE, from) / seconds,
                shares.admittedSince(Plan.BATCH, from) / seconds);
    }
}
