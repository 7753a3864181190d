package io.sluice.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Decision;
import io.sluice.core.Hold;
import io.sluice.core.KeyedLimits;
import io.sluice.core.LimitExceededException;
import io.sluice.core.Limiter;
import io.sluice.core.limit.Concurrency;
import io.sluice.core.limit.Limit;
import io.sluice.core.limit.Rate;
import io.sluice.core.spi.FailurePolicy;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Sluice's side of {@code docs/why/compare.md}: compiles and runs the Java examples of that page, word for word. */
class CompareExamplesTest {

    private static final Path PAGE = Path.of("..", "docs", "why", "compare.md");
    private static final Path SOURCE =
            Path.of("src", "test", "java", "io", "sluice", "redis", "CompareExamplesTest.java");
    private static final Pattern SNIPPET = Pattern.compile("// snippet\n(.*?)// end", Pattern.DOTALL);

    private final String userId = "u-17";
    private final String tenantId = "t-1";

    @Test
    void pageSaysWhatIsCompiledHere() throws Exception {
        String page = normal(Files.readString(PAGE));
        List<String> snippets = new ArrayList<>();
        Matcher found = SNIPPET.matcher(Files.readString(SOURCE));
        while (found.find()) {
            snippets.add(normal(found.group(1)));
        }
        assertThat(snippets).hasSize(9);
        assertThat(snippets).allSatisfy(snippet -> assertThat(page).contains(snippet));
    }

    private static String normal(String text) {
        return text.replaceAll("\\s+", " ").strip();
    }

    @Test
    void limitsOneProcess() {
        // snippet
        Limiter limiter = Limiter.inProcess();
        Limit all = Limit.named("all").tokenBucket(Rate.perSecond(50)).withBurst(100);
        boolean allowed = limiter.tryAcquire(all);
        // end
        assertThat(allowed).isTrue();
    }

    @Test
    void limitsEachUserAndSaysWhenToComeBack() {
        Limiter limiter = Limiter.inProcess();
        // snippet
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
        Decision decision = limiter.decide(perUser, userId);
        if (!decision.allowed()) {
            System.out.println("retry after " + decision.retryAfter());
        }
        // end
        assertThat(decision.remaining()).isEqualTo(99);
    }

    @Test
    void countsExactlyInASlidingWindow() {
        Limiter limiter = Limiter.inProcess();
        // snippet
        Limit logins = Limit.named("login").slidingLog(5, Duration.ofMinutes(1));
        boolean allowed = limiter.tryAcquire(logins, userId);
        // end
        assertThat(allowed).isTrue();
    }

    @Test
    void wrapsACall() {
        Limiter limiter = Limiter.inProcess();
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50));
        // snippet
        try {
            String order = limiter.run(perUser, userId, () -> createOrder());
            System.out.println(order);
        } catch (LimitExceededException refused) {
            System.out.println(refused.decision());
        }
        // end
    }

    @Test
    void waitsForItsTurn() throws InterruptedException {
        Limiter limiter = Limiter.inProcess();
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50));
        // snippet
        String order = limiter.run(perUser, userId, Duration.ofSeconds(2), () -> createOrder());
        // end
        assertThat(order).isEqualTo("o-1");
    }

    @Test
    void waitsWithoutAThread() {
        Limiter limiter = Limiter.inProcess();
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50));
        // snippet
        CompletableFuture<String> order =
                limiter.runAsync(perUser, userId, Duration.ofSeconds(2), () -> createOrderAsync());
        // end
        assertThat(order.join()).isEqualTo("o-1");
    }

    @Test
    void decidesSeveralLimitsAllOrNothing() {
        Limiter limiter = Limiter.inProcess();
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50));
        Limit perTenant = Limit.named("tenant").tokenBucket(Rate.perSecond(500));
        Limit everybody = Limit.named("everybody").tokenBucket(Rate.perSecond(5_000));
        // snippet
        Decision decision = limiter.decide(
                KeyedLimits.of(perUser, userId).and(perTenant, tenantId).and(everybody));
        // end
        assertThat(decision.allowed()).isTrue();
    }

    @Test
    void limitsHowMuchRunsAtOneTime() {
        Limiter limiter = Limiter.inProcess();
        // snippet
        Concurrency reports = Limit.named("reports").concurrency(10, Duration.ofMinutes(1));
        limiter.run(reports, tenantId, () -> createReport()); // or LimitExceededException

        try (Hold hold = limiter.hold(reports, tenantId, 1).orElseThrow()) {
            createReport();
        }
        // end
        assertThat(limiter.decide(reports, tenantId, 10).allowed()).isTrue();
    }

    @Test
    void sharesALimitAcrossAFleet() {
        Limit perUser = Limit.named("orders").tokenBucket(Rate.perSecond(50)).withBurst(100);
        RedisServer server = RedisServer.shared();
        String uri = server.uri();
        // snippet
        try (RedisStore store =
                RedisStore.at(uri).onFailure(FailurePolicy.CLOSED).open()) {
            boolean allowed = store.limiter().tryAcquire(perUser, userId);
            System.out.println(allowed);
        }
        // end
    }

    private static String createOrder() {
        return "o-1";
    }

    private static CompletableFuture<String> createOrderAsync() {
        return CompletableFuture.completedFuture("o-1");
    }

    private static void createReport() {}
}
