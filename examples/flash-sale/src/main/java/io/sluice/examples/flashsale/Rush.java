package io.sluice.examples.flashsale;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/** A sale from start to end: calm trade at half the limit, the rush, then calm trade again. */
final class Rush {

    private static final int INSTANCES = 3;
    private static final int CONNECTIONS = 64;
    private static final Duration CALM = Duration.ofSeconds(3);
    private static final Duration AWAY = Duration.ofSeconds(3);

    private final Options options;
    private final ProgressLine progress;
    private final List<Instance> instances = new ArrayList<>();
    private final HttpClient client = HttpClient.newHttpClient();

    private Rush(Options options, ProgressLine progress) {
        this.options = options;
        this.progress = progress;
    }

    /** The result of a sale. */
    record Result(Options options, Tally tally, Answers answers, long sent, long firstRushSecond) {

        boolean isHeld() {
            return tally.mostAdmitted() <= options.limit();
        }

        String summary() {
            return Summary.of(this);
        }

        /** Returns the seconds that lie completely within the rush. */
        Tally rush() {
            return tally.between(firstRushSecond + 1, firstRushSecond + options.seconds());
        }
    }

    static Result run(Options options, ProgressLine progress) throws IOException, InterruptedException {
        try (LocalRedis redis = options.redis().isEmpty() ? LocalRedis.start() : null) {
            Rush rush = new Rush(options, progress);
            try {
                return rush.run(redis);
            } finally {
                rush.instances.forEach(Instance::close);
            }
        }
    }

    private Result run(LocalRedis redis) throws IOException, InterruptedException {
        String uri = redis == null ? options.redis() : redis.uri();
        progress.show("starting " + INSTANCES + " instances on " + uri + " …");
        for (int i = 0; i < INSTANCES; i++) {
            instances.add(Instance.start(List.of(
                    "--sluice.redis.uri=" + uri,
                    "--sluice.redis.prefix=flash-sale-"
                            + ProcessHandle.current().pid(),
                    "--shop.orders-per-second=" + options.limit(),
                    "--shop.on-failure=" + options.onFailure())));
        }
        List<Integer> ports = instances.stream().map(Instance::port).toList();
        progress.keep("3 instances on " + uri + ", ports " + ports);

        // Warm-up, so that the JVM compiles the hot code: people look at the article long before the sale.
        double looks = Math.min(options.rate() / 2.0, 3000);
        progress.show("people look at the article …");
        new Load(ports, "GET", "/article", CONNECTIONS, List.of(new Load.Phase("", looks, CALM))).run();

        Duration length = Duration.ofSeconds(options.seconds());
        double calm = options.limit() / 2.0;
        Load load = new Load(
                ports,
                "POST",
                "/orders",
                CONNECTIONS,
                List.of(
                        new Load.Phase("calm", calm, CALM),
                        new Load.Phase("rush", options.rate(), length),
                        new Load.Phase("calm", calm, CALM)));
        long start = nextSecond();
        CompletableFuture<Void> sent = CompletableFuture.runAsync(load);
        CompletableFuture<Void> faults = CompletableFuture.runAsync(() -> fail(redis, start));
        watch(load, sent);
        sent.join();
        faults.join();
        long firstRushSecond = (start + CALM.toMillis()) / 1000;
        return new Result(options, tally(), load.answers(), load.due(), firstRushSecond);
    }

    /** Waits for the start of the next second, so that the table and the plot show whole seconds. */
    private static long nextSecond() {
        long next = System.currentTimeMillis() / 1000 * 1000 + 1000;
        while (System.currentTimeMillis() < next) {
            Pause.millis(1);
        }
        return next;
    }

    private void watch(Load load, CompletableFuture<Void> sent) throws IOException, InterruptedException {
        long shown = 0;
        while (!sent.isDone()) {
            Pause.millis(100);
            long second = System.currentTimeMillis() / 1000 - 1;
            if (second > shown) {
                shown = second;
                show(tally().at(second), load);
            }
        }
    }

    private void show(Tally.Second second, Load load) {
        progress.show(String.format(
                Locale.ROOT,
                "second %02d: %,7d arrived  %,6d admitted  %,7d refused  %,5d degraded  %,6d open",
                second.at() % 60,
                second.arrived(),
                second.admitted(),
                second.refused(),
                second.degraded(),
                load.waiting()));
    }

    private void fail(LocalRedis redis, long start) {
        if (!options.killRedis()) {
            return;
        }
        try {
            long middle = start + CALM.toMillis() + options.seconds() * 1000L / 3;
            Pause.millis(middle - System.currentTimeMillis());
            redis.kill();
            progress.keep("Redis was killed");
            Pause.millis(AWAY.toMillis());
            redis.restart();
            progress.keep("Redis is back, without data");
        } catch (IOException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private Tally tally() throws IOException, InterruptedException {
        List<String> reports = new ArrayList<>();
        for (Instance instance : instances) {
            reports.add(instance.decisions(client));
        }
        return Tally.of(reports);
    }
}
