package io.sluice.benchmarks.gateway;

import io.sluice.testkit.process.NginxServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;

/**
 * Measures what well-behaved callers notice while others attack the gateway, and the same with nginx in its place. It compares the
 * latencies of a steady load with and without each {@link Attack}, in turns. Each latency counts from the time at which its request was due. The attackers run on the
 * same machine, so the CPU time that they use is not available to the gateway.
 */
public final class GatewayAttacks {

    private static final String OURS = "Sluice";
    private static final int CALLERS = 8;
    private static final int PER_SECOND = 1_000;
    private static final int SECONDS = 3;
    private static final int RAMP_UP_SECONDS = 3;
    private static final int WARM_UPS = 4;
    private static final int ATTACKERS = 4;

    /** How long a disconnected attacker waits before it connects again. */
    private static final int COMES_BACK_MILLIS = 50;

    /** A route that requires a token. */
    private static final String PRIVATE = """
              - { path: /private/**, service: shop, auth: required, upstreams: ["%s"] }
            auth: { jwks: keys.json, algorithms: [RS256, ES256], audience: shop }
            """;

    private static final byte[] REQUEST =
            "GET /api/orders/7 HTTP/1.1\r\nHost: a\r\nX-User: u-1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /**
     * The measurements of one turn.
     *
     * @param millis the latencies, sorted
     * @param busyPerSecond the requests of attackers that were answered with 503
     */
    private record Turn(List<Double> millis, double attacksPerSecond, double busyPerSecond, double cutOffPerSecond) {

        static Turn of(List<Double> millis, Tally tally) {
            return new Turn(
                    millis,
                    (double) tally.sentInAll() / SECONDS,
                    (double) tally.turnedAwayInAll() / SECONDS,
                    (double) tally.disconnectedInAll() / SECONDS);
        }
    }

    private GatewayAttacks() {}

    /**
     * Measures and returns a table.
     *
     * @param names a regular expression for the names of the attacks to measure
     */
    public static String table(int turns, String names) throws IOException, InterruptedException {
        List<Attack> attacks = Arrays.stream(Attack.values())
                .filter(attack -> Pattern.compile(names).matcher(attack.text()).find())
                .toList();
        List<Attack> onTokens = attacks.stream().filter(Attack::needsTokens).toList();
        Path folder = Files.createTempDirectory("sluice-attacks");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), GatewayLoad.RULES);
        StringBuilder table = new StringBuilder(String.format(
                "%d requests/s from %d callers; %d attackers reconnect after %d ms; medians of %d turns of %d s%n%n",
                PER_SECOND, CALLERS, ATTACKERS, COMES_BACK_MILLIS, turns, SECONDS));
        table.append(String.format(
                "| %-38s | %-8s | %9s | %9s | %11s | %9s | %18s | %12s | %13s |%n",
                "attack", "on", "p50", "p99", "p99 without", "ratio", "sent", "503", "disconnected"));
        table.append(
                "|----------------------------------------|----------|-----------|-----------|-------------|-----------|--------------------|--------------|---------------|\n");
        try (NginxServer upstream = NginxServer.start(GatewayLoad.UPSTREAM)) {
            Files.writeString(folder.resolve("keys.json"), ForgedToken.keySet());
            // With a section auth, all routes require a token unless they say otherwise.
            String open = GatewayLoad.CONFIG.replace("upstreams:", "auth: open, upstreams:");
            String routes = open.formatted(upstream.uri()) + PRIVATE.formatted(upstream.uri());
            Path config = Files.writeString(folder.resolve("gateway.yaml"), routes);
            try (Contender gateway = GatewayLoad.sluice(OURS, config, rules, List.of());
                    Contender nginx = GatewayLoad.nginx(upstream)) {
                for (int i = 0; i < WARM_UPS; i++) {
                    steady(gateway.port());
                }
                for (Attack attack : attacks) {
                    for (Contender each : attack.needsTokens() ? List.<Contender>of() : List.of(gateway, nginx)) {
                        print(rows(List.of(attack), each, turns), table);
                    }
                }
                if (!onTokens.isEmpty()) {
                    print(rows(onTokens, gateway, turns), table);
                }
            }
        }
        return table.toString();
    }

    private static void print(String rows, StringBuilder table) {
        System.out.print(rows);
        table.append(rows);
    }

    /** Measures attacks in turns, so that they can be compared with each other. */
    private static String rows(List<Attack> attacks, Contender gateway, int turns)
            throws IOException, InterruptedException {
        int port = gateway.port();
        List<Turn> without = new ArrayList<>();
        Map<Attack, List<Turn>> with = new EnumMap<>(Attack.class);
        for (int i = turns > 1 ? -1 : 0; i < turns; i++) {
            Turn calm = Turn.of(steady(port), new Tally());
            if (i >= 0) {
                without.add(calm);
            }
            for (Attack attack : attacks) {
                Turn attacked = under(attack, port, attack.isHttp2() ? gateway.http2Port() : port);
                if (i >= 0) {
                    with.computeIfAbsent(attack, each -> new ArrayList<>()).add(attacked);
                }
            }
        }
        StringBuilder rows = new StringBuilder();
        with.forEach((attack, attacked) -> rows.append(row(attack, gateway, without, attacked)));
        if (with.containsKey(Attack.NO_TOKENS) && with.containsKey(Attack.FORGED_TOKENS)) {
            rows.append(String.format(
                    Locale.ROOT,
                    "%nThe p99 of the others beside forged tokens is %.2f × that beside requests without a token"
                            + " (goal: at most 2 ×).%n",
                    median(with.get(Attack.FORGED_TOKENS), 0.99) / median(with.get(Attack.NO_TOKENS), 0.99)));
        }
        return rows.toString();
    }

    private static String row(Attack attack, Contender gateway, List<Turn> without, List<Turn> with) {
        double calm = median(without, 0.99);
        double attacked = median(with, 0.99);
        return String.format(
                Locale.ROOT,
                "| %-38s | %-8s | %6.2f ms | %6.2f ms | %8.2f ms | %7.2f × | %,8.0f %s/s | %,10.0f /s | %9.1f /s |%n",
                attack.text(),
                gateway.name().equals(OURS) ? OURS : "nginx",
                median(with, 0.5),
                attacked,
                calm,
                attacked / calm,
                average(with, Turn::attacksPerSecond),
                attack.what(),
                average(with, Turn::busyPerSecond),
                average(with, Turn::cutOffPerSecond));
    }

    private static double average(List<Turn> turns, ToDoubleFunction<Turn> figure) {
        return turns.stream().mapToDouble(figure).average().orElse(0);
    }

    private static double median(List<Turn> turns, double part) {
        return turns.stream()
                .mapToDouble(turn -> turn.millis.get((int) (turn.millis.size() * part)))
                .sorted()
                .toArray()[turns.size() / 2];
    }

    private static Turn under(Attack attack, int port, int attackedPort) throws IOException, InterruptedException {
        AtomicBoolean over = new AtomicBoolean();
        Tally tally = new Tally();
        ExecutorService attackers = Executors.newFixedThreadPool(ATTACKERS);
        for (int i = 0; i < ATTACKERS; i++) {
            attackers.execute(() -> {
                while (!over.get()) {
                    try {
                        attack.once(attackedPort, over::get, tally);
                    } catch (IOException e) {
                        tally.disconnected();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(COMES_BACK_MILLIS));
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        return;
                    }
                }
            });
        }
        try {
            TimeUnit.SECONDS.sleep(RAMP_UP_SECONDS);
            tally.reset();
            return Turn.of(steady(port), tally);
        } finally {
            over.set(true);
            attackers.shutdown();
            attackers.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    /** Puts the steady load on the gateway, and returns the latencies in milliseconds, sorted. */
    private static List<Double> steady(int port) throws IOException, InterruptedException {
        int each = PER_SECOND * SECONDS / CALLERS;
        long every = TimeUnit.SECONDS.toNanos(CALLERS) / PER_SECOND;
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        List<Future<long[]>> all = new ArrayList<>();
        long begin = System.nanoTime();
        for (int i = 0; i < CALLERS; i++) {
            long first = begin + every * i / CALLERS;
            all.add(callers.submit(() -> call(port, first, every, each)));
        }
        callers.shutdown();
        try {
            long[] nanos = new long[CALLERS * each];
            for (int i = 0; i < CALLERS; i++) {
                System.arraycopy(all.get(i).get(), 0, nanos, i * each, each);
            }
            Arrays.sort(nanos);
            return Arrays.stream(nanos).mapToObj(one -> one / 1e6).toList();
        } catch (ExecutionException e) {
            throw new IOException("a well-behaved caller got no answer", e.getCause());
        }
    }

    private static long[] call(int port, long first, long every, int times) throws IOException {
        long[] nanos = new long[times];
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            byte[] answer = new byte[8 * 1_024];
            for (int i = 0; i < times; i++) {
                long due = first + i * every;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                socket.getOutputStream().write(REQUEST);
                read(in, answer);
                nanos[i] = System.nanoTime() - due;
            }
        }
        return nanos;
    }

    /** Reads one answer. All answers are the same and end with a brace. */
    private static void read(InputStream in, byte[] answer) throws IOException {
        int length = 0;
        while (length == 0 || answer[length - 1] != '}') {
            int more = in.read(answer, length, answer.length - length);
            if (more <= 0) {
                throw new IOException("incomplete answer: " + new String(answer, 0, length, StandardCharsets.US_ASCII));
            }
            length += more;
        }
        String head = new String(answer, 0, 12, StandardCharsets.US_ASCII);
        if (!head.equals("HTTP/1.1 200")) {
            throw new IOException(head);
        }
    }
}
