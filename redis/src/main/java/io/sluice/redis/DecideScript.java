package io.sluice.redis;

import io.sluice.core.Concurrency;
import io.sluice.core.FixedWindow;
import io.sluice.core.LeakyBucket;
import io.sluice.core.Limit;
import io.sluice.core.SlidingLog;
import io.sluice.core.SlidingWindow;
import io.sluice.core.TokenBucket;
import io.sluice.core.algorithm.Pace;
import io.sluice.core.algorithm.Windows;
import io.sluice.core.spi.Ask;
import io.sluice.core.spi.Charge;
import io.sluice.core.spi.Decided;
import io.sluice.core.spi.Demand;
import io.sluice.core.spi.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** {@code decide.lua}: its text, how it is asked and how its reply is read. */
final class DecideScript {

    static final String TEXT = load();
    static final String SHA = sha1(TEXT);

    /** Decide by the server's own time; anything else is the time to decide by, for tests. */
    static final String SERVER_TIME = "";

    private static final int ARGUMENTS = 9;
    private static final int FIELDS = 7;

    private DecideScript() {}

    /** Keys and arguments of one run. */
    static final class Call {
        final String[] keys;
        final String[] args;

        private Call(int demands, String time, String purpose) {
            keys = new String[demands];
            args = new String[2 + demands * ARGUMENTS];
            args[0] = time;
            args[1] = purpose;
        }
    }

    /**
     * Asks for a decision.
     *
     * @param micros about what the server's time is, to find the windows of the calendar that it may be in
     */
    static Call decide(Ask ask, CountKeys names, String time, long micros) {
        List<Demand> demands = ask.demands();
        Call call = new Call(demands.size(), time, ask.charges() ? "charge" : "look");
        for (int i = 0; i < demands.size(); i++) {
            Demand demand = demands.get(i);
            call.keys[i] = names.of(demand.limit(), demand.key());
            write(call.args, i, demand.limit(), demand.permits(), demand.atLeast(), demand.maxWaitMicros(), micros);
            call.args[2 + i * ARGUMENTS + 8] = CountKeys.encoded(demand.holder());
        }
        return call;
    }

    static Call onCharges(String purpose, List<Charge> charges, CountKeys names, String time, long micros) {
        Call call = new Call(charges.size(), time, purpose);
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            call.keys[i] = names.of(charge.limit(), charge.key());
            write(call.args, i, charge.limit(), charge.permits(), charge.permits(), charge.chargedAtMicros(), micros);
            call.args[2 + i * ARGUMENTS + 8] = CountKeys.encoded(charge.holder());
        }
        return call;
    }

    /** Whether the server's time was outside the windows it was told of; then nothing was done. */
    static boolean isOutside(List<Object> reply) {
        return reply.size() == 1;
    }

    static long micros(List<Object> reply) {
        return number(reply, 0);
    }

    static boolean wasHeld(List<Object> reply) {
        return number(reply, 1) == 1;
    }

    static Decided decided(List<Object> reply) {
        List<Verdict> verdicts = new ArrayList<>((reply.size() - 2) / FIELDS);
        for (int at = 2; at < reply.size(); at += FIELDS) {
            verdicts.add(new Verdict(
                    number(reply, at) == 1,
                    number(reply, at + 1),
                    number(reply, at + 2),
                    orNever(number(reply, at + 3)),
                    orNever(number(reply, at + 4)),
                    number(reply, at + 5),
                    number(reply, at + 6)));
        }
        return new Decided(number(reply, 1) == 1, verdicts, number(reply, 0), null);
    }

    private static void write(
            String[] args, int index, Limit limit, long permits, long atLeast, long wait, long micros) {
        int at = 2 + index * ARGUMENTS;
        args[at + 1] = Long.toString(permits);
        args[at + 2] = Long.toString(atLeast);
        args[at + 3] = Long.toString(Math.min(wait, Pace.MAX_MICROS));
        args[at + 4] = Long.toString(limit.capacity());
        if (limit instanceof TokenBucket bucket) {
            write(args, at, "tb", bucket.pace().permits(), bucket.pace().micros(), 0);
        } else if (limit instanceof LeakyBucket bucket) {
            write(args, at, "lb", bucket.pace().permits(), bucket.pace().micros(), bucket.maxWaitMicros());
        } else if (limit instanceof SlidingWindow window) {
            write(args, at, "sw", window.sliceMicros(), window.slices(), window.weighted() ? 1 : 0);
        } else if (limit instanceof SlidingLog log) {
            write(args, at, "sl", log.windowMicros(), 0, 0);
        } else if (limit instanceof Concurrency held) {
            write(args, at, "cc", held.windowMicros(), 0, 0);
        } else {
            FixedWindow window = (FixedWindow) limit;
            write(args, at, "fw", window.windowMicros(), 0, 0);
            if (!window.windows().areEven()) {
                args[at + 5] = "";
                args[at + 6] = boundaries(window.windows(), micros);
            }
        }
    }

    private static void write(String[] args, int at, String kind, long first, long second, long third) {
        args[at] = kind;
        args[at + 5] = Long.toString(first);
        args[at + 6] = Long.toString(second);
        args[at + 7] = Long.toString(third);
    }

    /** The window that the server is in by our reckoning, and its neighbours. */
    private static String boundaries(Windows windows, long micros) {
        Windows.Window present = windows.at(micros);
        long before = windows.at(present.startMicros() - 1).startMicros();
        long after = windows.at(present.endMicros()).endMicros();
        return before + "," + present.startMicros() + "," + present.endMicros() + "," + after;
    }

    private static long number(List<Object> reply, int index) {
        return (Long) reply.get(index);
    }

    private static long orNever(long micros) {
        return micros < 0 ? Verdict.NEVER : micros;
    }

    private static String load() {
        try (InputStream in = DecideScript.class.getResourceAsStream("decide.lua")) {
            return new String(Objects.requireNonNull(in, "decide.lua").readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sha1(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-1", e);
        }
    }
}
