package io.sluice.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.core.history.HistoryEvent;
import io.sluice.core.history.HistoryListener;
import io.sluice.core.history.StepEvent;
import io.sluice.spring.RateLimitExceededException;
import io.sluice.spring.boot.client.ClientLimitAutoConfiguration;
import io.sluice.spring.boot4.ClientCustomizerAutoConfiguration;
import io.sluice.spring.internal.ClockBeans;
import io.sluice.spring.internal.EngineBeans;
import io.sluice.spring.internal.Party;
import io.sluice.spring.internal.RedisBeans;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Several instances of an application, configured only by properties, on one Redis. */
@Timeout(300)
class SharedCallLimitsTest {

    private static final Queue<HistoryEvent> HEARD = new ConcurrentLinkedQueue<>();

    private final Party party = new Party();
    private final RedisServer redis = RedisServer.start();
    private final List<ConfigurableApplicationContext> instances = new ArrayList<>();

    @AfterEach
    void close() {
        instances.forEach(ConfigurableApplicationContext::close);
        redis.close();
        party.close();
    }

    @Configuration(proxyBeanMethods = false)
    @Import({EngineBeans.class, ClockBeans.class, RedisBeans.class})
    @ImportAutoConfiguration({
        HttpClientAutoConfiguration.class,
        RestClientAutoConfiguration.class,
        RestTemplateAutoConfiguration.class,
        WebClientAutoConfiguration.class,
        ClientLimitAutoConfiguration.class,
        ClientCustomizerAutoConfiguration.class
    })
    static class Application {

        @Bean
        HistoryListener history() {
            return HEARD::add;
        }
    }

    @Test
    void threeInstancesNeverCallMoreOftenThanTheThirdPartyAllows() {
        for (int i = 0; i < 3; i++) {
            start("at-most=5/s", "margin=1s", "max-wait=240s", "on-failure=closed");
        }
        HEARD.clear();
        ExecutorService threads = Executors.newFixedThreadPool(9);
        List<CompletableFuture<?>> calls = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            for (ConfigurableApplicationContext instance : instances) {
                RestClient blocking = instance.getBean(RestClient.Builder.class).build();
                WebClient reactive = instance.getBean(WebClient.Builder.class).build();
                calls.add(
                        i % 2 == 0
                                ? CompletableFuture.runAsync(
                                        () -> blocking.get()
                                                .uri(party.uri())
                                                .retrieve()
                                                .toBodilessEntity(),
                                        threads)
                                : reactive.get()
                                        .uri(party.uri())
                                        .retrieve()
                                        .toBodilessEntity()
                                        .toFuture());
            }
        }
        CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)).join();
        threads.shutdown();

        assertThat(party.arrivals()).hasSize(21);
        // By the clock of Redis: how long a call then takes to reach the third party depends on the machine.
        List<Long> permitted = permittedMicros();
        assertThat(permitted).hasSizeGreaterThanOrEqualTo(21);
        for (int i = 5; i < permitted.size(); i++) {
            assertThat(permitted.get(i) - permitted.get(i - 5))
                    .as("microseconds from call %d to call %d, with the margin, of %s", i - 5, i, HEARD)
                    .isGreaterThan(1_900_000);
        }
    }

    /**
     * When Redis admitted calls, without those that it took back: if an answer arrives too late, its permit is given back and
     * the call asks again.
     */
    private static List<Long> permittedMicros() {
        List<Long> permitted = new ArrayList<>();
        for (HistoryEvent event : HEARD) {
            if (event instanceof StepEvent recorded
                    && recorded.step() instanceof StepEvent.Asked asked
                    && asked.charging()
                    && asked.verdict().granted() > 0) {
                permitted.add(recorded.atMicros());
            }
        }
        for (HistoryEvent event : HEARD) {
            if (event instanceof StepEvent recorded
                    && recorded.changed()
                    && recorded.step() instanceof StepEvent.GivenBack back) {
                permitted.remove((Long) back.charge().chargedAtMicros());
            }
        }
        Collections.sort(permitted);
        return permitted;
    }

    @Test
    void everyClientOfAnInstanceSharesTheLimit() {
        ConfigurableApplicationContext instance = start("at-most=3/h", "max-wait=60s", "on-failure=closed");
        instance.getBean(RestClient.Builder.class)
                .build()
                .get()
                .uri(party.uri())
                .retrieve()
                .toBodilessEntity();
        instance.getBean(WebClient.Builder.class)
                .build()
                .get()
                .uri(party.uri())
                .retrieve()
                .toBodilessEntity()
                .block(Duration.ofMinutes(1));
        instance.getBean(RestTemplateBuilder.class).build().getForObject(party.uri(), String.class);

        assertThatThrownBy(() -> call(instance)).isInstanceOf(RateLimitExceededException.class);
        assertThat(party.arrivals()).hasSize(3);
    }

    @Test
    void otherHostsAreNotLimited() {
        ConfigurableApplicationContext instance = start("at-most=1/h", "max-wait=0s");
        RestClient client = instance.getBean(RestClient.Builder.class).build();
        String other = party.uri().replace("127.0.0.1", "localhost");
        for (int i = 0; i < 3; i++) {
            client.get().uri(other).retrieve().toBodilessEntity();
        }
        assertThat(party.arrivals()).hasSize(3);
    }

    @Test
    void aHangingRedisDoesNotDelayACallerBeyondItsMaximumWait() {
        ConfigurableApplicationContext instance = start("at-most=100/s", "max-wait=500ms", "on-failure=closed");
        // On a busy machine Redis itself may take longer than this.
        await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> call(instance));
        redis.freeze();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> call(instance))
                    .isInstanceOfSatisfying(
                            RateLimitExceededException.class,
                            refusal -> assertThat(refusal.ruling().degraded()).isNotNull());
        }
        assertThat(party.arrivals()).hasSize(1);
        redis.thaw();
    }

    @Test
    void withoutRedisEachInstanceEnforcesItsShare() {
        ConfigurableApplicationContext instance = start("at-most=4/h", "max-wait=0s", "local-share=0.5");
        redis.kill();
        call(instance);
        call(instance);

        assertThatThrownBy(() -> call(instance)).isInstanceOf(RateLimitExceededException.class);
        assertThat(party.arrivals()).hasSize(2);
    }

    @Test
    void concurrencyIsSharedByInstances() {
        ConfigurableApplicationContext one = start("concurrency=1", "max-wait=0s", "on-failure=closed");
        ConfigurableApplicationContext other = start("concurrency=1", "max-wait=0s", "on-failure=closed");
        ClientHttpResponse open = await().atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(
                        () -> one.getBean(RestClient.Builder.class)
                                .build()
                                .get()
                                .uri(party.uri())
                                .exchange((request, response) -> response, false),
                        Objects::nonNull);
        assertThatThrownBy(() -> call(other)).isInstanceOf(RateLimitExceededException.class);
        open.close();

        await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> call(other));
    }

    @Test
    void parallelCallsOfTwoInstancesFollowEachOther() {
        start("concurrency=1", "concurrency-ttl=10m", "max-wait=120s", "on-failure=closed");
        start("concurrency=1", "concurrency-ttl=10m", "max-wait=120s", "on-failure=closed");
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        party.answers(exchange -> {
            most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
            // The call ends before its response does. After that, the next call may come.
            underWay.decrementAndGet();
            exchange.sendResponseHeaders(204, -1);
        });
        ExecutorService threads = Executors.newFixedThreadPool(10);
        List<CompletableFuture<Void>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            ConfigurableApplicationContext instance = instances.get(i % 2);
            calls.add(CompletableFuture.runAsync(() -> call(instance), threads));
        }
        assertThat(CompletableFuture.allOf(calls.toArray(CompletableFuture[]::new)))
                .as("long before permits expire")
                .succeedsWithin(Duration.ofMinutes(2));
        threads.shutdown();

        assertThat(party.arrivals()).hasSize(10);
        assertThat(most).hasValue(1);
    }

    private void call(ConfigurableApplicationContext instance) {
        instance.getBean(RestClient.Builder.class)
                .build()
                .get()
                .uri(party.uri())
                .retrieve()
                .toBodilessEntity();
    }

    private ConfigurableApplicationContext start(String... limit) {
        List<String> properties = new ArrayList<>(List.of(
                "test.redis=" + redis.uri(),
                "sluice.outbound.party.hosts=" + party.authority(),
                "spring.main.banner-mode=off"));
        for (String one : limit) {
            properties.add("sluice.outbound.party." + one);
        }
        ConfigurableApplicationContext instance = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(properties.toArray(String[]::new))
                .run();
        instances.add(instance);
        return instance;
    }
}
