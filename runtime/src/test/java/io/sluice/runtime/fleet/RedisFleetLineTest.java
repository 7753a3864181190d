package io.sluice.runtime.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sluice.core.time.Clock;
import io.sluice.runtime.CapturedLog;
import io.sluice.runtime.fleet.NodeReport.Breaker;
import io.sluice.runtime.fleet.NodeReport.Kind;
import io.sluice.runtime.fleet.NodeReport.Mode;
import io.sluice.testkit.Await;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisFleetLineTest {

    private final RedisServer redis = RedisServer.shared();
    private final RedisFleetLine line = RedisFleetLine.to(redis.uri());
    private CapturedLog log;

    @BeforeEach
    void empty() {
        redis.command("FLUSHALL");
        log = new CapturedLog(OutageLog.class);
    }

    @AfterEach
    void close() {
        log.close();
        line.close();
    }

    @Test
    void writesTheReportAndReadsTheAnswer() throws Exception {
        assertThat(line.send(report(1))).isEmpty();
        redis.command("SET", "rate_limit_fleet", new Fleet(3, 12, "", 5).toJson());
        assertThat(line.send(report(2))).contains(new Fleet(3, 12, "", 5));
        assertThat(redis.command("SMEMBERS", "rate_limit_nodes").texts()).containsExactly("n-1");
    }

    @Test
    void saysThatTheAnswerIsUnreadable() {
        redis.command("SET", "rate_limit_fleet", "{\"nodes\":\"many\"}");

        assertThatExceptionOfType(LostCenterException.class)
                .isThrownBy(() -> line.send(report(1)))
                .withMessage("rate_limit_fleet is unreadable: nodes: many (expected: a number, 0..1000000)");
    }

    @Test
    void aMemberLivesInRedisAsLongAsItReports() {
        try (RedisServer own = RedisServer.start()) {
            own.command("SET", "rate_limit_fleet", new Fleet(10, 1, "", 5).toJson());
            try (FleetMember member = new FleetMember(RedisFleetLine.to(own.uri()), Clock.system())) {
                member.start(RedisFleetLineTest::report);
                Await.until("the number", Duration.ofMinutes(1), () -> member.liveNodes() == 10);
                own.kill();
                Await.until("the loss", Duration.ofMinutes(1), () -> !member.findings()
                        .isEmpty());
                assertThat(member.liveNodes()).isEqualTo(10);
                own.restart();
                own.command("SET", "rate_limit_fleet", new Fleet(10, 1, "", 5).toJson());
                Await.until(
                        "the return", Duration.ofMinutes(1), () -> log.lines().size() == 2);
                Await.until(
                        "the next report",
                        Duration.ofMinutes(1),
                        () -> own.command("SCARD", "rate_limit_nodes").number() == 1);
            }
        }
        assertThat(log.lines().get(0)).startsWith("reports to the center through Redis at 127.0.0.1:");
        assertThat(log.lines().get(1)).endsWith(" again");
    }

    private static NodeReport report(long beat) {
        return new NodeReport(
                new NodeIdentity("n-1", Kind.NODE, "", "", 0),
                beat,
                RulesInForce.of(0, "", 0),
                NodeHealth.of(Mode.LOCAL, Breaker.NONE));
    }
}
