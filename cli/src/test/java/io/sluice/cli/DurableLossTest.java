package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.Center;
import io.sluice.center.CenterSettings;
import io.sluice.node.Node;
import io.sluice.node.config.NodeConfig;
import io.sluice.runtime.center.CenterAddress;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two nodes and a center lose their Redis with everything in it while callers go on. */
@Timeout(600)
class DurableLossTest {

    private static final int CALLERS = 4;

    @TempDir
    Path folder;

    private final AtomicLong allowed = new AtomicLong();
    private final ConcurrentHashMap<String, Long> reasons = new ConcurrentHashMap<>();
    private final List<Thread> callers = new ArrayList<>();
    private volatile boolean calling = true;

    @AfterEach
    void stop() throws InterruptedException {
        stopCallers();
    }

    @Test
    void everyChargeIsBackAfterTheLoss() throws Exception {
        Path data = folder.resolve("center");
        try (RedisServer redis = RedisServer.start();
                Center center = Center.open(CenterSettings.embedded(data));
                Node one = Node.start(config("one", center, redis));
                Node two = Node.start(config("two", center, redis))) {
            QuotaNodes.await("both nodes decide", () -> isAllowed(one) && isAllowed(two));
            for (int i = 0; i < CALLERS; i++) {
                callFrom(i % 2 == 0 ? one : two);
            }
            for (int losses = 0; losses < 2; losses++) {
                long before = allowed.get();
                QuotaNodes.await("callers pass", () -> allowed.get() > before + 200);
                redis.restart();
                QuotaNodes.await("durable limits decide again", () -> isAllowed(one) && isAllowed(two));
            }
            stopCallers();

            long used = QuotaNodes.used(QuotaNodes.address(one), "acme");
            // An answer that was under way to a caller when Redis ended may be missing on either side.
            assertThat(used).isBetween(allowed.get() - 2L * CALLERS, allowed.get() + 2L * CALLERS);
            assertThat(allowed.get()).isGreaterThan(400);
            assertThat(reasons.keySet())
                    .as("why calls were refused")
                    .isSubsetOf(
                            "redis-disconnected",
                            "redis-error",
                            "redis-breaker-open",
                            "not-restored",
                            "redis-timeout",
                            "node-paused");
        }
    }

    private void callFrom(Node node) {
        Thread caller = new Thread(() -> {
            while (calling) {
                boolean unused = isAllowed(node);
            }
        });
        callers.add(caller);
        caller.start();
    }

    private void stopCallers() throws InterruptedException {
        calling = false;
        for (Thread caller : callers) {
            caller.join();
        }
    }

    /** Asks for one permit, and counts it if the node grants it. */
    private boolean isAllowed(Node node) {
        String answer = QuotaNodes.check(QuotaNodes.address(node), "acme", 1);
        Matcher degraded = Pattern.compile("\"degraded\":\"([^\"]+)\"").matcher(answer);
        if (degraded.find()) {
            reasons.merge(degraded.group(1), 1L, Long::sum);
            return false;
        }
        boolean passes = answer.contains("\"allowed\":true");
        allowed.addAndGet(passes ? 1 : 0);
        return passes;
    }

    private NodeConfig config(String name, Center center, RedisServer redis) {
        return QuotaNodes.config(redis, folder.resolve(name))
                .withCenter(CenterAddress.of(center.address().toString(), center.adminTokenFile()));
    }
}
