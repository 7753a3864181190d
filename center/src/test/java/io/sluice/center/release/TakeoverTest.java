package io.sluice.center.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.center.adjust.AdjustmentBook;
import io.sluice.center.change.Changes;
import io.sluice.center.command.Actor;
import io.sluice.center.command.CommandLog;
import io.sluice.center.database.Database;
import io.sluice.center.duty.Leadership;
import io.sluice.center.fleet.LiveNodes;
import io.sluice.center.fleet.NodeReportTable;
import io.sluice.center.fleet.NodeState;
import io.sluice.center.fleet.RuleFeed;
import io.sluice.center.version.Versions;
import io.sluice.core.time.Clock;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.fleet.NodeHealth;
import io.sluice.runtime.fleet.NodeIdentity;
import io.sluice.runtime.fleet.NodeReport;
import io.sluice.runtime.fleet.RulesInForce;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.redis.FaultProxy;
import io.sluice.testkit.redis.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One center takes over from another one on the same database, which knows nothing of it. */
class TakeoverTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String ADJUSTMENTS = "rate_limit_config_adjustments";
    private static final String VERSION = "rate_limit_config_version";

    @TempDir
    Path data;

    private final Clock system = Clock.system();
    private final RedisServer redis = RedisServer.shared();
    private final Versions versions = new Versions();
    private final CurrentRules current = new CurrentRules(versions);
    private final List<CenterOnDatabase> centers = new ArrayList<>();
    private Database database;
    private Releases releases;
    private AdjustmentBook book;

    @BeforeEach
    void open() throws Exception {
        database = Database.open("", data);
        CommandLog log = new CommandLog(system);
        releases = new Releases(database, versions, new Changes(database, versions, log, system), log, system, () -> 0);
        book = new AdjustmentBook(database, log, system, current::all);
    }

    @AfterEach
    void close() {
        centers.forEach(each -> each.reconciler.close());
        database.close();
    }

    /** A center with a clock of its own. While the clock stands still, it takes no turn for the leadership, like a stopped process. */
    private final class CenterOnDatabase {

        private final QuietClock clock = QuietClock.at(1_790_000_000_000_000L);
        private final LiveNodes nodes = new LiveNodes(clock);
        private final Reconciler reconciler;

        CenterOnDatabase(String name, Optional<String> uri) {
            reconciler = new Reconciler(database, current, book, nodes, new RuleFeed(), clock, name, uri);
            centers.add(this);
            reconciler.start();
        }

        /** Lets seconds pass until something is true. */
        void until(String what, BooleanSupplier isTrue) {
            Await.until(what, SOON, () -> {
                if (isTrue.getAsBoolean()) {
                    return true;
                }
                clock.advance(Duration.ofMillis(500));
                reconciler.wake();
                return false;
            });
        }

        void leadsAtLast() {
            until("it leads", reconciler::leads);
        }
    }

    private void release(long version) {
        RuleDocument document = RuleDocument.parse(
                "test", "rules: [{id: login, limits: [{by: ip, limit: " + version + ", window: 1m}]}]");
        var unused = releases.takeOver(
                Actor.CENTER, new RuleSet(version, ((RuleDocument.Accepted) document).rules()), "test");
    }

    private NodeReport report(String node, long version, long beat) {
        String digest = database.read(client -> versions.rules(client, version))
                .orElseThrow()
                .digest();
        return new NodeReport(
                new NodeIdentity(node, NodeReport.Kind.NODE, node + ":8080", "test", 1),
                beat,
                RulesInForce.of(version, digest, 1_000),
                NodeHealth.of(NodeReport.Mode.REMOTE, NodeReport.Breaker.CLOSED));
    }

    private RolloutState state(long version) {
        return database.read(client -> new RolloutTable().list(client, Long.MAX_VALUE, 10)).stream()
                .filter(each -> each.version() == version)
                .findFirst()
                .orElseThrow()
                .state();
    }

    private long acknowledged(long version) {
        return database.read(client -> new RolloutTable().list(client, Long.MAX_VALUE, 10)).stream()
                .filter(each -> each.version() == version)
                .mapToLong(each -> Acknowledgement.parse(each.nodes()).stream()
                        .filter(node -> node.state() == Acknowledgement.State.APPLIED)
                        .count())
                .sum();
    }

    private void switchOff(String reason) {
        var unused = book.switchToShadow(Actor.CENTER, "*", Instant.now().plus(Duration.ofHours(1)), reason);
    }

    @Test
    void aWriteOfTheOldLeaderThatWasUnderWayChangesNothing() {
        release(1);
        try (FaultProxy proxy = FaultProxy.before(redis)) {
            CenterOnDatabase old = new CenterOnDatabase("old", Optional.of(proxy.uri()));
            old.leadsAtLast();
            // With the mirror, so that nothing else is on its way.
            Await.until(
                    "Redis has it",
                    SOON,
                    () -> old.reconciler.publication().orElseThrow().version() == 1);
            proxy.hold("EVAL", "SET");
            switchOff("first");
            old.reconciler.wake();
            Await.until("a write stands still", SOON, () -> proxy.holding() > 0 && isAdjusting());

            CenterOnDatabase next = new CenterOnDatabase("next", Optional.of(redis.uri()));
            switchOff("second");
            release(2);
            next.until(
                    "the next one leads and has published",
                    () -> next.reconciler.leads()
                            && redis.command("GET", ADJUSTMENTS).toString().contains("\"revision\":2")
                            && redis.command("GET", VERSION).toString().contains("text=2"));
            proxy.resume();
            Await.until("the old one was refused", SOON, () -> {
                old.reconciler.wake();
                assertThat(redis.command("GET", ADJUSTMENTS).text()).contains("\"revision\":2");
                assertThat(redis.command("GET", VERSION).text()).isEqualTo("2");
                return old.reconciler.publication().orElseThrow().version() == 0;
            });
            assertThat(old.reconciler.publication().orElseThrow().problem()).isEmpty();
            old.until("it knows that it does not lead", () -> !old.reconciler.leads());
            assertThat(redis.command("GET", "rate_limit_config_term").text()).startsWith("2 ");
        }
    }

    /** Returns whether a thread waits for the answer to its write of adjustments. Reports of the fleet may stand still as well. */
    private static boolean isAdjusting() {
        return Thread.getAllStackTraces().values().stream()
                .map(stack -> Arrays.stream(stack)
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
                        .toList())
                .anyMatch(stack -> stack.contains("io.sluice.rules.redis.Upkeep.adjust")
                        && stack.contains("io.sluice.rules.redis.ClaimedWrites.write"));
    }

    @Test
    void aCenterThatStoodStillDoesNotLeadWhenItContinues() {
        CenterOnDatabase old = new CenterOnDatabase("old", Optional.empty());
        old.leadsAtLast();
        CenterOnDatabase next = new CenterOnDatabase("next", Optional.empty());
        next.leadsAtLast();
        assertThat(old.reconciler.leads()).isTrue();
        old.clock.advanceMeanwhile(Duration.ofSeconds(60));
        assertThat(old.reconciler.leads()).isFalse();
        old.reconciler.wake();
        old.clock.advance(Duration.ofSeconds(2));
        assertThat(old.reconciler.leads()).isFalse();
    }

    /** A node that reported to the center that has gone needs some time to find another one. */
    @Test
    void aReleaseIsNotDoneBeforeNodesOfTheOldLeaderHadTheirTime() {
        release(1);
        CenterOnDatabase next = withLeaderThatDied();
        next.leadsAtLast();
        assertThat(next.nodes.live()).hasSize(1);
        assertThat(state(2)).isEqualTo(RolloutState.RELEASING);
        assertThat(next.nodes.report(report("n1", 1, 11), NodeState.Way.HTTP)).isTrue();
        next.clock.advance(Duration.ofSeconds(3));
        next.reconciler.wake();
        assertThat(state(2)).isEqualTo(RolloutState.RELEASING);
        assertThat(next.nodes.report(report("n1", 2, 12), NodeState.Way.HTTP)).isTrue();
        next.until("done", () -> state(2) == RolloutState.DONE);
        assertThat(acknowledged(2)).isEqualTo(1);
    }

    @Test
    void aNodeThatDiedWithTheOldLeaderIsAwaitedForItsTimeToLive() {
        release(1);
        CenterOnDatabase next = withLeaderThatDied();
        next.leadsAtLast();
        assertThat(next.nodes.live()).hasSize(1);
        assertThat(state(2)).isEqualTo(RolloutState.RELEASING);
        next.until("done", () -> state(2) == RolloutState.DONE);
        assertThat(next.nodes.live()).isEmpty();
    }

    /** A leader released version 2 and died. One node has version 1, and reported to that leader. */
    private CenterOnDatabase withLeaderThatDied() {
        database.write(client -> {
            new NodeReportTable().save(client, List.of(report("n1", 1, 10)), List.of());
            return new Leadership("died", system).turn(client, 0);
        });
        release(2);
        return new CenterOnDatabase("next", Optional.empty());
    }

    @Test
    void anOlderReportOfANodeDoesNotReplaceThatOfAnotherCenter() {
        release(1);
        NodeReportTable table = new NodeReportTable();
        List<NodeReport> none = List.of();
        NodeReport older = report("n1", 1, 10);
        NodeReport newer = report("n1", 1, 12);
        assertThat(database.<Integer>write(client -> table.save(client, List.of(newer), none)))
                .isEqualTo(1);
        assertThat(database.<Integer>write(client -> table.save(client, List.of(older), table.all(client))))
                .isZero();
        // It compared with what the other one has replaced since.
        assertThat(database.<Integer>write(client -> table.save(client, List.of(report("n1", 1, 11)), List.of(older))))
                .isZero();
        assertThat(database.read(table::all)).containsExactly(newer);
    }

    @Test
    void aNodeThatMovesFromOneCenterToAnotherIsLiveAtBoth() {
        release(1);
        CenterOnDatabase one = new CenterOnDatabase("one", Optional.empty());
        CenterOnDatabase two = new CenterOnDatabase("two", Optional.empty());
        for (int beat = 1; beat <= 24; beat++) {
            CenterOnDatabase spoken = beat / 10 % 2 == 0 ? one : two;
            CenterOnDatabase other = spoken == one ? two : one;
            NodeReport report = report("n1", 1, beat);
            assertThat(spoken.nodes.report(report, NodeState.Way.HTTP)).isTrue();
            long now = beat;
            spoken.clock.advance(Duration.ofSeconds(1));
            Await.until("stored", SOON, () -> {
                spoken.reconciler.wake();
                return database.read(client -> new NodeReportTable().all(client)).stream()
                        .anyMatch(each -> each.beat() == now);
            });
            other.clock.advance(Duration.ofSeconds(1));
            Await.until("known", SOON, () -> {
                other.reconciler.wake();
                return other.nodes
                        .find("n1")
                        .filter(each -> each.report().beat() == now)
                        .isPresent();
            });
            assertThat(other.nodes.live()).hasSize(1);
        }
    }

    @Test
    void termsRiseAlsoWhenLeadersResign() {
        Leadership one = new Leadership("one", system);
        Leadership two = new Leadership("two", system);
        assertThat(turn(one, 0)).isEqualTo(1);
        assertThat(turn(one, 0)).isEqualTo(1);
        assertThat(turn(two, 0)).isZero();
        resign(one);
        assertThat(turn(two, 0)).isEqualTo(2);
        assertThat(turn(one, 0)).isZero();
        resign(two);
        assertThat(turn(one, 0)).isEqualTo(3);
        // Redis knows a term of a database that a backup replaced.
        assertThat(turn(one, 57)).isEqualTo(58);
        assertThat(turn(one, 57)).isEqualTo(58);
        assertThat(turn(two, 57)).isZero();
    }

    private long turn(Leadership leadership, long above) {
        return database.write(client -> leadership.turn(client, above));
    }

    private void resign(Leadership leadership) {
        database.write(client -> {
            leadership.resign(client);
            return true;
        });
    }
}
