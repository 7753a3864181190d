package io.sluice.examples.flashsale;

import io.sluice.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import static org.assertj.core.api.Assertions.assertThat;



/** Three shops on a real Redis, each with its own server, and ten times as many orders as they accept together. */
class FlashSaleTest {

    private static final int LIMIT = 50;
    private static final int RATE = 10 * LIMIT;
    private static final Duration HALF_A_SECOND = Duration.ofMillis(500);

    private final RedisServer redis = RedisServer.start();
    private final List<ConfigurableApplicationContext> shops = new ArrayList<>();

    @AfterEach
    void stop() {
        shops.forEach(ConfigurableApplicationContext::close);
        redis.close();
    }

    @Test
    void neverAdmitsMoreThanTheLimitInAnySecondAndUsesNearlyAllOfIt() throws Exception {
        openShops("closed", "1m");
        Load load = orders(Duration.ofSeconds(4));
        load.run();

        Tally tally = tally();
        assertThat(tally.total().admitted()).isGreaterThanOrEqualTo(LIMIT);
        assertThat(tally.mostAdmitted()).isLessThanOrEqualTo(LIMIT);
        assertThat(busySeconds(tally))
                .filteredOn(second -> second.degraded() == 0)
                .allSatisfy(second -> assertThat(second.admitted()).isBetween(LIMIT * 95 / 100L, (long) LIMIT));
        assertThat(load.answers().created()).isEqualTo(tally.total().admitted());
        assertThat(load.answers().refused())
                .isEqualTo(load.due() - load.answers().created());
        assertThat(load.answers().withoutWhen()).isZero();
    }

    @Test
    void refusesEverythingWithoutRedisAndSellsAgainWhenItIsBack() throws Exception {
        openShops("closed", "500ms");
        orders(HALF_A_SECOND).run();
        redis.kill();
        Load away = orders(HALF_A_SECOND);
        away.run();
        assertThat(away.answers().created()).isZero();
        assertThat(away.answers().refused()).isEqualTo(away.due());
        assertThat(away.answers().withoutWhen()).isZero();

        redis.restart();
        long sold = tally().total().admitted();
        for (int i = 0; i < 120 && tally().total().admitted() == sold; i++) {
            orders(HALF_A_SECOND).run();
        }
        assertThat(tally().total().admitted()).isGreaterThan(sold);
        // A Redis that comes back empty does not know what was sold in that second, so at most the limit is added.
        assertThat(tally().mostAdmitted()).isLessThanOrEqualTo(2 * LIMIT);
    }

    @Test
    void withLocalPolicySellsWithoutRedisWithinTheSharesOfTheInstances() throws Exception {
        openShops("local", "500ms");
        redis.kill();
        Load away = orders(Duration.ofSeconds(2));
        away.run();

        Tally tally = tally();
        long perInstance = LIMIT * 333 / 1000;
        assertThat(away.answers().failed() + away.answers().lost()).isZero();
        assertThat(away.answers().withoutWhen()).isZero();
        assertThat(tally.total().degraded()).isEqualTo(away.due());
        assertThat(tally.mostAdmitted()).isLessThanOrEqualTo(LIMIT);
        assertThat(tally.total().admitted()).isGreaterThanOrEqualTo(shops.size() * perInstance);
        assertThat(busySeconds(tally)).allSatisfy(second -> assertThat(second.admitted())
                .isEqualTo(shops.size() * perInstance));
    }

    private void openShops(String onFailure, String deadline) {
        IntStream.range(0, 3)
                .forEach(i -> shops.add(new SpringApplicationBuilder(Shop.class)
                        .run(
                                "--server.port=0",
                                "--sluice.redis.uri=" + redis.uri(),
                                "--shop.orders-per-second=" + LIMIT,
                                "--shop.on-failure=" + onFailure,
                                "--shop.deadline=" + deadline)));
    }

    private Load orders(Duration length) throws IOException {
        List<Integer> ports = shops.stream()
                .map(shop -> shop.getEnvironment().getRequiredProperty("local.server.port", Integer.class))
                .toList();
        Load.Phase rush = new Load.Phase("rush", RATE, length);
        return new Load(ports, "POST", "/orders", 20, List.of(rush));
    }

    private Tally tally() {
        return Tally.of(shops.stream()
                .map(shop -> shop.getBean(DecisionBook.class).decisions())
                .toList());
    }

    /** The seconds of the rush that a slow machine did not cut short; empty on a very slow one. */
    private static List<Tally.Second> busySeconds(Tally tally) {
        return tally.seconds().stream()
                .filter(second -> second.arrived() >= RATE / 2)
                .toList();
    }
}
