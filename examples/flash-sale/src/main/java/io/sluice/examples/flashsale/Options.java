package io.sluice.examples.flashsale;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * The options of the command line.
 *
 * @param redis the URI of a running Redis; empty to start one
 * @param limit how many orders per second the shop accepts
 * @param rate how many orders per second arrive in the rush
 * @param seconds how long the rush lasts
 * @param onFailure what the instances do while Redis is unavailable
 * @param killRedis whether to kill Redis in the middle of the rush and start it again three seconds later
 */
record Options(String redis, int limit, int rate, int seconds, String onFailure, boolean killRedis) {

    static final String USAGE = """
        usage: examples/run flash-sale [OPTION…]
          --limit N          orders per second that the shop accepts, all instances together (default: 1000)
          --rate N           orders per second that arrive in the rush (default: 10 times the limit)
          --seconds N        duration of the rush (default: 10)
          --redis URI        use a running Redis (default: start one)
          --on-failure WORD  what to do while Redis is unavailable: closed, local or open (default: closed)
          --kill-redis       kill Redis in the middle of the rush and start it again three seconds later\
        """;

    private static final Set<String> POLICIES = Set.of("closed", "local", "open");

    /** @throws IllegalArgumentException with a message for the user */
    static Options parse(List<String> words) {
        String redis = "";
        int limit = 1000;
        int rate = 0;
        int seconds = 10;
        String onFailure = "closed";
        boolean killRedis = false;
        Deque<String> rest = new ArrayDeque<>(words);
        while (!rest.isEmpty()) {
            String name = rest.remove();
            switch (name) {
                case "--redis" -> redis = value(name, rest);
                case "--limit" -> limit = number(name, rest, 100_000);
                case "--rate" -> rate = number(name, rest, 1_000_000);
                case "--seconds" -> seconds = number(name, rest, 300);
                case "--on-failure" -> onFailure = value(name, rest);
                case "--kill-redis" -> killRedis = true;
                default -> throw new IllegalArgumentException(name + ": unknown (expected: an option below)\n" + USAGE);
            }
        }
        if (!POLICIES.contains(onFailure)) {
            throw new IllegalArgumentException("--on-failure: " + onFailure + " (expected: closed, local or open)");
        }
        if (killRedis && !redis.isEmpty()) {
            throw new IllegalArgumentException("--kill-redis: together with --redis (expected: only one of the two)");
        }
        return new Options(redis, limit, rate == 0 ? 10 * limit : rate, seconds, onFailure, killRedis);
    }

    private static int number(String name, Deque<String> rest, int most) {
        String value = value(name, rest);
        String expected = name + ": " + value + " (expected: 1.." + most + ")";
        try {
            int number = Integer.parseInt(value);
            if (number < 1 || number > most) {
                throw new IllegalArgumentException(expected);
            }
            return number;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(expected, e);
        }
    }

    private static String value(String name, Deque<String> rest) {
        if (rest.isEmpty()) {
            throw new IllegalArgumentException(name + ": no value (expected: a value after it)");
        }
        return rest.remove();
    }
}
