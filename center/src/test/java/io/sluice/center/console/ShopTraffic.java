package io.sluice.center.console;

import io.sluice.runtime.data.Figures;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What customers of a shop do: a wave over the day, a smaller one within an hour, and many refused searches since a release. The same
 * second always has the same figures. Thread-safe.
 */
final class ShopTraffic {

    static final List<String> NODES = List.of(
            "gateway-fra-1", "gateway-fra-2", "gateway-sin-1", "gateway-sin-2", "gateway-iad-1", "checkout-app");

    private static final double[] SHARES = {0.24, 0.22, 0.20, 0.17, 0.12, 0.05};
    private static final double DAY = 86_400;
    private static final double SPIKE_SHARE = 0.34;

    /** The usual requests of a rule in a second, the share of them that is refused, and the share that shadow limits would refuse. */
    private record Usual(double requests, double refused, double shadow) {}

    private static final Map<String, Usual> USUAL = usual();

    private final long spikeSecond;
    private final Map<String, Figures> added = new ConcurrentHashMap<>();
    private volatile long calmSecond = Long.MAX_VALUE;

    /**
     * Creates the traffic.
     *
     * @param spikeSecond since when searches are refused
     */
    ShopTraffic(long spikeSecond) {
        this.spikeSecond = spikeSecond;
    }

    private static Map<String, Usual> usual() {
        Map<String, Usual> usual = new LinkedHashMap<>();
        usual.put("catalog", new Usual(180, 0.002, 0));
        usual.put("images", new Usual(260, 0.0005, 0));
        usual.put("search", new Usual(85, 0.012, 0));
        usual.put("suggest", new Usual(70, 0.004, 0));
        usual.put("cart", new Usual(52, 0.003, 0.021));
        usual.put("orders", new Usual(34, 0.006, 0));
        usual.put("login", new Usual(14, 0.045, 0));
        usual.put("checkout", new Usual(9, 0.008, 0));
        usual.put("payments", new Usual(7, 0.011, 0));
        usual.put("payments-velocity", new Usual(0, 0, 0.31));
        usual.put("acme-api", new Usual(24, 0.019, 0));
        usual.put("globex-api", new Usual(11, 0.034, 0));
        usual.put("sms", new Usual(2.4, 0.16, 0));
        usual.put("mail", new Usual(3.1, 0, 0));
        usual.put("register", new Usual(1.2, 0.05, 0));
        usual.put("password-reset", new Usual(0.6, 0.09, 0));
        usual.put("coupons", new Usual(1.9, 0.21, 0));
        usual.put("reviews", new Usual(0.4, 0.02, 0));
        usual.put("export", new Usual(0.3, 0.05, 0));
        usual.put("guessing", new Usual(0.9, 0.62, 0));
        usual.put("banned", new Usual(0.8, 1, 0));
        usual.put("", new Usual(6, 0, 0));
        return usual;
    }

    /** Ends the refusals of searches. */
    void calms(long second) {
        calmSecond = Math.min(calmSecond, second);
    }

    /** Returns whether searches are refused in a second. */
    boolean isSpike(long second) {
        return second >= spikeSecond && second < calmSecond;
    }

    /** Adds the traffic of another rule to each second, at the first node. */
    void add(String rule, Figures figures) {
        added.put(rule, figures);
    }

    /** Returns the figures of the rules at a node in a second. */
    Map<String, Figures> at(long second, int node) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        USUAL.forEach((rule, usual) -> {
            Figures one = figures(rule, usual, second, 1, SHARES[node], node);
            if (!one.isNone()) {
                figures.put(rule, one);
            }
        });
        if (node == 0) {
            figures.putAll(added);
        }
        return figures;
    }

    /** Returns the figures of the rules in the fleet, in some seconds. */
    Map<String, Figures> rules(long second, long seconds) {
        Map<String, Figures> figures = new LinkedHashMap<>();
        USUAL.forEach((rule, usual) -> figures.put(rule, figures(rule, usual, second, seconds, 1, 0)));
        return figures;
    }

    /** Returns the figures of the nodes in some seconds. */
    Map<String, Figures> nodes(long second, long seconds) {
        Figures all = rules(second, seconds).values().stream().reduce(Figures.NONE, Figures::plus);
        Map<String, Figures> figures = new LinkedHashMap<>();
        for (int i = 0; i < SHARES.length; i++) {
            double share = SHARES[i];
            figures.put(
                    NODES.get(i),
                    new Figures(
                            (long) (all.allowed() * share),
                            (long) (all.refused() * share),
                            (long) (all.shadowRefused() * share),
                            0));
        }
        return figures;
    }

    private Figures figures(String rule, Usual usual, long second, long seconds, double share, int node) {
        double wave = wave(rule, second) * share * seconds;
        long requests = whole(usual.requests * wave, rule + node, second);
        double part = usual.refused;
        if (rule.equals("search") && isSpike(second)) {
            part = SPIKE_SHARE * Math.min(1, (second - spikeSecond + 5) / 90.0);
        }
        long refused = Math.min(requests, whole(requests * part, rule + "!" + node, second));
        double shadowed = usual.requests == 0 ? usual.shadow * 7 * wave : requests * usual.shadow;
        long shadow = whole(shadowed, rule + "?" + node, second);
        return new Figures(requests - refused, refused, shadow, 0);
    }

    /** Returns how much of the usual traffic there is. The evening has most. */
    private static double wave(String rule, long second) {
        double day = 1 + 0.45 * Math.sin((second % DAY - 50_000) / DAY * 2 * Math.PI);
        double minutes = 1 + 0.08 * Math.sin(second / 410.0 + rule.hashCode() % 7);
        double noise = 0.93 + 0.14 * chance(rule, second / 5);
        return day * minutes * noise;
    }

    /** Rounds up as often as the fraction says. */
    private static long whole(double value, String name, long second) {
        long down = (long) value;
        return chance(name, second) < value - down ? down + 1 : down;
    }

    private static double chance(String name, long second) {
        long mixed = (name.hashCode() * 0x9E3779B97F4A7C15L + second) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 29)) * 0x94D049BB133111EBL;
        return ((mixed ^ (mixed >>> 32)) >>> 11) / (double) (1L << 53);
    }
}
