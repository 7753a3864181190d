package io.sluice.node.gateway.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.node.gateway.config.ServiceSettings;
import io.sluice.node.gateway.config.ServiceSettings.Balance;
import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import io.sluice.node.gateway.config.UpstreamTls;
import io.sluice.node.gateway.route.UpstreamGroup.Turn;
import io.sluice.testkit.QuietClock;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class ServiceUpstreamsTest {

    private static final URI A = URI.create("http://a:1");
    private static final URI B = URI.create("http://b:1");
    private static final URI C = URI.create("http://c:1");
    private static final Duration OUT_FOR = Duration.ofSeconds(10);

    private final ManualClock clock = QuietClock.at(0);

    @ParameterizedTest
    @EnumSource(Balance.class)
    void everyServerHasItsTurn(Balance balance) {
        ServiceUpstreams group = group(balance, 3);

        assertThat(turns(group, 300)).isEqualTo(Map.of(A, 100, B, 100, C, 100));
    }

    @Test
    void theNeighbourOfAServerThatIsOutIsNotChosenTwiceAsOften() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        group.servers().get(0).checkedHealthy(false, "test");

        assertThat(turns(group, 300)).isEqualTo(Map.of(B, 150, C, 150));
    }

    @Test
    void theLeastUsedServerIsNext() {
        ServiceUpstreams group = group(Balance.LEAST_CONNECTIONS, 3);
        List<Turn> open = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            open.add(next(group));
        }
        assertThat(group.servers()).extracting(UpstreamServer::open).containsExactly(10, 10, 10);

        open.stream().filter(turn -> turn.origin().equals(B)).limit(4).forEach(ServiceUpstreamsTest::fine);

        assertThat(IntStream.range(0, 4).mapToObj(i -> next(group).origin())).containsOnly(B);
        assertThat(group.servers()).extracting(UpstreamServer::open).containsExactly(10, 10, 10);
    }

    @Test
    void theEndOfARequestIsCountedOnce() {
        ServiceUpstreams group = group(Balance.LEAST_CONNECTIONS, 3);
        Turn turn = next(group);
        turn.over();
        turn.over();
        turn.answered(200);

        assertThat(group.servers()).extracting(UpstreamServer::open).containsExactly(0, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {502, 503, 504, -1})
    void failuresInARowLeaveAServerOutForATime(int status) {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        for (int i = 0; i < 3; i++) {
            end(only(group, A), status);
        }

        assertThat(turns(group, 100)).isEqualTo(Map.of(B, 50, C, 50));
        clock.advance(OUT_FOR.minusNanos(1));
        assertThat(turns(group, 100)).isEqualTo(Map.of(B, 50, C, 50));
    }

    @Test
    void failuresThatAreNotInARowAndOtherStatusesLeaveNoServerOut() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        for (int i = 0; i < 20; i++) {
            end(only(group, A), i % 3 == 2 ? 500 : 502);
            end(only(group, B), 500);
            Turn left = only(group, C);
            left.abandoned();
            left.over();
        }

        assertThat(turns(group, 300)).isEqualTo(Map.of(A, 100, B, 100, C, 100));
    }

    @Test
    void afterTheTimeOneRequestAtATimeTriesAndASuccessBringsTheServerBack() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        leaveOut(group, A);
        clock.advance(OUT_FOR);

        List<Turn> open = IntStream.range(0, 100).mapToObj(i -> next(group)).toList();
        List<Turn> trials =
                open.stream().filter(turn -> turn.origin().equals(A)).toList();
        assertThat(trials).hasSize(1);
        end(trials.get(0), 503);
        assertThat(turns(group, 100)).as("failed: out again").isEqualTo(Map.of(B, 50, C, 50));

        clock.advance(OUT_FOR);
        Turn trial = only(group, A);
        trial.abandoned();
        trial.over();
        end(only(group, A), 200);
        assertThat(turns(group, 300)).isEqualTo(Map.of(A, 100, B, 100, C, 100));
    }

    @Test
    void earlierRequestsSayNothingAboutAServerThatIsOut() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        Turn before = only(group, A);
        leaveOut(group, A);

        end(before, 200);

        assertThat(group.servers().get(0).isOut()).isTrue();
    }

    @Test
    void failedRequestsNeverLeaveAServiceWithoutServers() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        leaveOut(group, A);
        leaveOut(group, B);
        leaveOut(group, C);
        assertThat(group.servers()).allMatch(UpstreamServer::isOut);

        Set<URI> used = new HashSet<>();
        for (int i = 0; i < 3; i++) {
            Turn turn = next(group);
            used.add(turn.origin());
            turn.abandoned();
            turn.over();
        }
        assertThat(used).containsExactlyInAnyOrder(A, B, C);

        end(only(group, B), 200);
        assertThat(group.servers()).as("that was no trial").allMatch(UpstreamServer::isOut);
        clock.advance(OUT_FOR);
        end(only(group, B), 200);
        leaveOut(group, A);
        leaveOut(group, C);
        assertThat(turns(group, 10)).isEqualTo(Map.of(B, 10));
    }

    @Test
    void healthChecksMayLeaveAServiceWithoutServers() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 3);
        group.servers().forEach(server -> server.checkedHealthy(false, "test"));

        assertThat(group.next(Set.of())).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(Balance.class)
    void aServerThatWasTriedIsNotTriedAgain(Balance balance) {
        ServiceUpstreams group = group(balance, 3);

        for (int i = 0; i < 10; i++) {
            assertThat(group.next(Set.of(A, C)).orElseThrow().origin()).isEqualTo(B);
        }
        assertThat(group.next(Set.of(A, B, C))).isEmpty();
    }

    @Test
    void withZeroFailuresAServerIsNeverOut() {
        ServiceUpstreams group = group(Balance.ROUND_ROBIN, 0);
        for (int i = 0; i < 100; i++) {
            end(only(group, A), 502);
        }

        assertThat(group.servers().get(0).isOut()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(Balance.class)
    void manyThreadsLeaveNothingBehindAndShareTheWork(Balance balance) throws Exception {
        ServiceUpstreams group = new ServiceUpstreams(
                settings(balance, 3, List.of(A, B, C)), servers(List.of(A, B, C)), Optional.empty(), Clock.system());
        Map<URI, AtomicInteger> used = new ConcurrentHashMap<>();
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < 8; t++) {
            running.add(threads.submit(() -> {
                for (int i = 0; i < 20_000; i++) {
                    Turn turn = next(group);
                    used.computeIfAbsent(turn.origin(), origin -> new AtomicInteger())
                            .incrementAndGet();
                    end(turn, ThreadLocalRandom.current().nextInt(4) == 0 ? 502 : 200);
                }
            }));
        }
        for (Future<?> each : running) {
            each.get();
        }
        threads.shutdown();

        assertThat(group.servers()).extracting(UpstreamServer::open).containsExactly(0, 0, 0);
        assertThat(used.values().stream().mapToInt(AtomicInteger::get).sum()).isEqualTo(160_000);
        // Some servers may be out for a while by chance, but none stays in a trial.
        clock.advance(OUT_FOR);
        group.servers().forEach(UpstreamServer::forgive);
        assertThat(turns(group, 300)).isEqualTo(Map.of(A, 100, B, 100, C, 100));
        assertThat(group.servers()).allMatch(UpstreamServer::startTrial);
    }

    private ServiceUpstreams group(Balance balance, int failures) {
        return new ServiceUpstreams(
                settings(balance, failures, List.of(A, B, C)), servers(List.of(A, B, C)), Optional.empty(), clock);
    }

    static ServiceSettings settings(Balance balance, int failures, List<URI> origins) {
        return new ServiceSettings(
                "s",
                origins,
                balance,
                false,
                Optional.empty(),
                new PassiveSettings(failures, OUT_FOR),
                UpstreamTls.SYSTEM);
    }

    private static List<UpstreamServer> servers(List<URI> origins) {
        return origins.stream().map(origin -> new UpstreamServer("s", origin)).toList();
    }

    private static void leaveOut(ServiceUpstreams group, URI origin) {
        for (int i = 0; i < 3; i++) {
            end(only(group, origin), -1);
        }
    }

    private static Turn next(ServiceUpstreams group) {
        return group.next(Set.of()).orElseThrow();
    }

    /** Returns a turn at this server, because all others were tried. */
    private static Turn only(ServiceUpstreams group, URI origin) {
        Set<URI> others = new HashSet<>(Set.of(A, B, C));
        others.remove(origin);
        return group.next(others).orElseThrow();
    }

    private static Map<URI, Integer> turns(ServiceUpstreams group, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    Turn turn = next(group);
                    fine(turn);
                    return turn.origin();
                })
                .collect(Collectors.groupingBy(Function.identity(), Collectors.summingInt(origin -> 1)));
    }

    private static void fine(Turn turn) {
        end(turn, 200);
    }

    private static void end(Turn turn, int status) {
        if (status < 0) {
            turn.failed(new IOException("gone"));
        } else {
            turn.answered(status);
        }
        turn.over();
    }
}
