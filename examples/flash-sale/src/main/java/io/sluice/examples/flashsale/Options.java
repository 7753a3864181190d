package io.sluice.examples.flashsale;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * What the command line says.
 *
 * @param redis a Redis that runs already; empty starts one
 * @param limit orders per second that the shop takes
 * @param rate orders per second that arrive in the rush
 * @param seconds how long the rush is
 * @param onFailure what the instances do while Redis is away
 * @param killRedis whether Redis is killed in the middle of the rush, and started again three seconds later
 */
record Options(String redis, int limit, int rate, int seconds, String onFailure, boolean killRedis) {

    static final String USAGE = """
        usage: examples/run flash-sale [OPTION…]
          --limit N          orders per second that the shop takes, all instances together (1000)
          --rate N           orders per second that arrive in the rush (10 times the limit)
          --seconds N        how long the rush is (10)
          --redis URI        a Redis that runs already (one is started)
          --on-failure WORD  what happens while Redis is away: closed, local or open (closed)
          --kill-redis       kills Redis in the middle of the rush; it is back three seconds later\
        """;

    private static final Set<String> POLICIES = Set.of("closed", "local", "open");

    /** @throws IllegalArgumentException with a sentence for people */
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
                default -> throw new IllegalArgumentException(name + ": unknown (expected: see below)\n" + USAGE);
            }
        }
        if (!POLICIES.contains(onFailure)) {
            throw new IllegalArgumentException("--on-failure: " + onFailure + " (expected: closed, local or open)");
        }
        if (killRedis && !redis.isEmpty()) {
            throw new IllegalArgumentException("--kill-redis: with --redis (expected: a Redis of its own)");
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
            throw new IllegalArgumentException(name + ": nothing (expected: a value)");
        }
        return rest.remove();
    }
}
