package io.sluice.examples.outbound;

import io.sluice.spring.RateLimitExceededException;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.client.HttpClientErrorException;

/** Requests twenty forecasts from a third party at once, and prints the result. */
@SpringBootApplication
public class Outbound {

    private static final int CALLS = 20;

    public static void main(String[] args) throws Exception {
        SpringApplication application = new SpringApplication(Outbound.class);
        try (ThirdParty party = ThirdParty.start(5)) {
            application.setDefaultProperties(Map.of("forecasts.port", party.port()));
            try (ConfigurableApplicationContext context = application.run(args)) {
                long begun = System.nanoTime();
                int refused = refusedOf(context.getBean(Forecasts.class));
                System.out.printf(
                        "%d calls in %.1f s: %d served, %d refused here, %d refused by the third party%n",
                        CALLS, (System.nanoTime() - begun) / 1e9, party.served(), refused, party.refused());
            }
        }
    }

    private static int refusedOf(Forecasts forecasts) throws InterruptedException {
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(CALLS);
        ExecutorService callers = Executors.newFixedThreadPool(CALLS);
        for (int i = 0; i < CALLS; i++) {
            String city = "city-" + i;
            callers.execute(() -> {
                try {
                    forecasts.of(city);
                } catch (RateLimitExceededException e) {
                    refused.incrementAndGet();
                } catch (HttpClientErrorException.TooManyRequests e) {
                    // Counted by the third party.
                } finally {
                    ended.countDown();
                }
            });
        }
        callers.shutdown();
        ended.await();
        return refused.get();
    }
}
