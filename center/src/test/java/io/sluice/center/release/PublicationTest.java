package io.sluice.center.release;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.fleet.FleetRules.OnTrial;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.rules.redis.RedisDocuments;
import io.sluice.rules.redis.RedisRulePublisher;
import io.sluice.rules.redis.WantedRules;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.NodeShare;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.TrialScope;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.redis.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Whatever happens to the keys of the rules in Redis, they hold what was released, and nothing of others is replaced. F27. */
class PublicationTest {

    private static final Duration SOON = Duration.ofMinutes(5);
    private static final String VERSION = "rate_limit_config_version";
    private static final String SNAPSHOT = "rate_limit_config_snapshot:";
    private static final String ADJUSTMENTS = "rate_limit_config_adjustments";
    private static final String HASH = "rate_limit_config:IP:*";

    /** One turn after such a time compares everything. */
    private static final Duration DUE = Duration.ofSeconds(5);

    /** What is lost or wrong is right again within such a time, at all nodes. */
    private static final Duration CONVERGED = Duration.ofSeconds(10);

    private final ManualClock clock = QuietClock.at(1_800_000_000_000_000L);
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private RedisServer redis;
    private RedisRulePublisher publisher;
    private Publication publication;
    private long running;
    private long term = 1;

    /** What the database has; each test of a problem sets it. */
    private FleetRules stored = FleetRules.NONE;

    @BeforeEach
    void start() {
        redis = RedisServer.shared();
        publisher = RedisRulePublisher.connect(redis.uri());
        publication = new Publication(publisher, version -> version == running, () -> stored, clock);
        log.start();
        logger().addAppender(log);
    }

    @AfterEach
    void stop() {
        logger().detachAppender(log);
        publisher.close();
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(Publication.class);
    }

    private static RuleSet set(long version) {
        RuleDocument document = RuleDocument.parse(
                "test", "rules: [{id: login, limits: [{by: ip, limit: " + version + ", window: 1m}]}]");
        List<Rule> rules = ((RuleDocument.Accepted) document).rules();
        return new RuleSet(version, rules);
    }

    private static Adjustments adjustments(long revision) {
        return new Adjustments(
                revision,
                List.of(),
                List.of(new ShadowSwitch("login", Optional.empty(), Instant.parse("2097-01-01T00:00:00Z"))));
    }

    private static FleetRules fleet(long version) {
        return new FleetRules(set(version), Optional.empty(), adjustments(version));
    }

    private static FleetRules trial(long version, TrialScope scope) {
        return new FleetRules(set(version), Optional.of(new OnTrial(set(version + 1), scope)), adjustments(version));
    }

    /** What can happen to a key: the name, and what does it. */
    private Map<String, Runnable> damages(String key, String older) {
        Map<String, Runnable> damages = new LinkedHashMap<>();
        damages.put("deleted", () -> redis.command("DEL", key));
        damages.put("emptied", () -> redis.command("SET", key, ""));
        damages.put("another type", () -> {
            redis.command("DEL", key);
            redis.command("RPUSH", key, "x", "y");
        });
        damages.put("older", () -> redis.command("SET", key, older));
        damages.put("garbage", () -> redis.command("SET", key, "\u0000{\"version\":ÿ".repeat(2_000)));
        damages.put("cut", () -> redis.command("SETRANGE", key, "150", "x"));
        damages.put("a number of nobody", () -> redis.command("SET", key, "999"));
        return damages;
    }

    private Map<String, String> keysAndOlderValues(FleetRules rules) {
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put(VERSION, "1");
        for (RuleSet each : rules.all()) {
            keys.put(
                    SNAPSHOT + each.version(),
                    redis.command("GET", SNAPSHOT + each.version())
                            .text()
                            .replace("\"version\":" + each.version(), "\"version\":1"));
        }
        keys.put(ADJUSTMENTS, adjustments(1).toJson());
        redis.command("KEYS", HASH).texts().forEach(key -> keys.put(key, "x"));
        return keys;
    }

    @Test
    void everyKeyThatIsLostOrWrongIsWrittenAgain() throws Exception {
        List<Long> seen = new CopyOnWriteArrayList<>();
        long version = 20;
        Clock system = Clock.system();
        release(fleet(1));
        try (RuleFollower node = RuleFollower.open(
                RedisDocuments.at(redis.uri(), nodeId(), system), Optional.empty(), RuleVet.NONE, system)) {
            node.listen(new RuleListener() {
                @Override
                public void changed(RuleSet rules) {
                    seen.add(rules.version());
                }

                @Override
                public void refused(List<DocumentError> errors) {
                    // It sees damage before it is repaired.
                }
            });
            for (FleetRules rules : List.of(
                    fleet(5),
                    trial(6, new TrialScope.Nodes(50)),
                    trial(8, new TrialScope.Callers(CallerSplit.share("ip", "0123456789abcdef", 20))))) {
                release(rules);
                Map<String, String> keys = keysAndOlderValues(rules);
                assertThat(keys).hasSizeGreaterThan(3);
                // In the short form, some damages of one key. All damages of all keys follow.
                keys.forEach((key, older) -> SeededRandom.sample(
                                List.copyOf(damages(key, older).entrySet()), 2)
                        .forEach(damage -> {
                            damage.getValue().run();
                            assertWhole(key + " " + damage.getKey(), rules);
                        }));
                for (String what : damages("", "").keySet()) {
                    keys.forEach((key, older) -> damages(key, older).get(what).run());
                    assertWhole("all keys " + what, rules);
                }
                redis.command("FLUSHALL");
                assertWhole("everything deleted", rules);
            }
            // Under releases, the new version arrives at once.
            release(fleet(version));
            for (String what : damages("", "").keySet()) {
                FleetRules next = fleet(++version);
                keysAndOlderValues(fleet(next.inForce().version() - 1))
                        .forEach((key, older) -> damages(key, older).get(what).run());
                publication.turn(term, next);
                Await.until(
                        what,
                        SOON,
                        () -> node.latest().version() == next.inForce().version());
                assertWhole(what + " under a release", next);
            }
            assertThat(seen).isSorted();
            assertThat(node.refused()).isEmpty();
        }
    }

    /**
     * The clock moves from turn to turn of the center, and the node reads Redis when it is due. Whatever takes longer on a busy machine, no
     * clock shows it.
     */
    @Test
    void everyLostOrWrongKeyIsRightAgainWithinTenSeconds() {
        Random random = SeededRandom.of("moments of damage");
        release(fleet(1));
        DocumentSource source = RedisDocuments.at(redis.uri(), nodeId(), clock);
        Looks looks = new Looks(clock, source.every(), Runnable::run, () -> {});
        try (RuleFollower node = RuleFollower.open(source, Optional.empty(), RuleVet.NONE, looks)) {
            long version = 2;
            for (TrialScope scope : List.of(
                    new TrialScope.Nodes(50),
                    new TrialScope.Callers(CallerSplit.share("ip", "0123456789abcdef", 20)))) {
                FleetRules rules = trial(version, scope);
                converge("release", rules, node);
                Map<String, String> keys = keysAndOlderValues(rules);
                for (Map.Entry<String, String> each : keys.entrySet()) {
                    Map<String, Runnable> damages = damages(each.getKey(), each.getValue());
                    for (String what : SeededRandom.sample(List.copyOf(damages.keySet()), 3)) {
                        turns(random.nextInt(20), rules, node);
                        damages.get(what).run();
                        converge(each.getKey() + " " + what, rules, node);
                    }
                }
                for (String what : damages("", "").keySet()) {
                    turns(random.nextInt(20), rules, node);
                    keys.forEach((key, older) -> damages(key, older).get(what).run());
                    converge("all keys " + what, rules, node);
                }
                version += 2;
            }
            FleetRules before = fleet(version);
            converge("release", before, node);
            for (String what : damages("", "").keySet()) {
                turns(random.nextInt(20), before, node);
                keysAndOlderValues(before)
                        .forEach((key, older) -> damages(key, older).get(what).run());
                before = fleet(++version);
                converge(what + " under a release", before, node);
            }
        }
    }

    private void turns(long count, FleetRules rules, RuleFollower node) {
        for (long i = 0; i < count; i++) {
            long known = node.latest().version();
            clock.advance(Reconciler.TURN);
            publication.turn(term, rules);
            assertThat(node.latest().version()).isGreaterThanOrEqualTo(known);
        }
    }

    /** The turns of ten seconds, after which Redis and the node have the rules. */
    private void converge(String what, FleetRules rules, RuleFollower node) {
        turns(CONVERGED.dividedBy(Reconciler.TURN), rules, node);
        WantedRules wanted = Publication.wanted(rules);
        assertThat(publisher.pointer()).as(what).contains(wanted.pointer());
        assertThat(publisher.adjustments())
                .as(what)
                .contains(rules.adjustments().toJson());
        for (RuleSet each : rules.all()) {
            assertThat(publisher.rules(each.version()).rules()).as(what).isEqualTo(each.rules());
        }
        assertThat(publisher.drift()).as(what).isEmpty();
        assertThat(node.refused()).as(what).isEmpty();
        boolean isTried = rules.trial()
                .filter(trial -> trial.scope() instanceof TrialScope.Nodes)
                .isPresent();
        assertThat(node.latest().version())
                .as(what)
                .isEqualTo(isTried ? wanted.highest() : rules.inForce().version());
        assertThat(node.adjustments()).as(what).isEqualTo(rules.adjustments());
    }

    /** The version key is wrong, and the end of the snapshot as well, which is seen when everything is compared. */
    @Test
    void theMirrorIsWrittenOnceItsSnapshotIsWholeAgain() throws Exception {
        release(fleet(2));
        redis.command("SET", VERSION, "1");
        String snapshot = redis.command("GET", SNAPSHOT + "2").text();
        redis.command("SETRANGE", SNAPSHOT + "2", Integer.toString(snapshot.length() - 1), "x");
        redis.command("KEYS", HASH).texts().forEach(key -> redis.command("DEL", key));
        for (int i = 0; i < 10; i++) {
            clock.advance(Reconciler.TURN);
            publication.turn(term, fleet(2));
        }
        assertThat(publisher.rules(2).rules()).isEqualTo(set(2).rules());
        assertThat(publisher.drift()).isEmpty();
    }

    private void release(FleetRules rules) {
        publication.turn(term, rules);
        assertWhole("release", rules);
    }

    /** A node that tries versions of half of the nodes. */
    private static String nodeId() {
        for (int i = 0; ; i++) {
            if (new NodeShare("n" + i).isWithin(50)) {
                return "n" + i;
            }
        }
    }

    /** Compares once, and looks at the keys as a node does that starts now. */
    private void assertWhole(String what, FleetRules rules) {
        clock.advance(DUE);
        publication.turn(term, rules);
        assertThat(publication.has(rules)).as(what).isTrue();
        assertThat(publication.state().problem()).as(what).isEmpty();
        WantedRules wanted = Publication.wanted(rules);
        assertThat(publisher.pointer()).as(what).contains(wanted.pointer());
        assertThat(publisher.adjustments())
                .as(what)
                .contains(rules.adjustments().toJson());
        for (RuleSet each : rules.all()) {
            assertThat(publisher.rules(each.version()).rules()).as(what).isEqualTo(each.rules());
        }
        assertThat(publisher.drift()).as(what).isEmpty();
        try (RuleFollower fresh = RuleFollower.open(
                RedisDocuments.at(redis.uri(), "fresh", Clock.system()),
                Optional.empty(),
                RuleVet.NONE,
                Clock.system())) {
            fresh.looked().toCompletableFuture().get(60, TimeUnit.SECONDS);
            // On a busy machine the first look may fail, and the next one follows soon.
            Await.until(what, SOON, () -> fresh.away().isEmpty());
            assertThat(fresh.refused()).as(what).isEmpty();
            assertThat(fresh.latest().version())
                    .as(what)
                    .isBetween(rules.inForce().version(), wanted.highest());
        } catch (Exception e) {
            throw new AssertionError(what, e);
        }
    }

    @Test
    void aRepairIsLoggedOnceAndShownForSomeMinutes() {
        release(fleet(1));
        assertThat(publication.state().drift()).isEmpty();
        for (int i = 0; i < 3; i++) {
            redis.command("DEL", SNAPSHOT + "1");
            redis.command("SET", VERSION, "latest");
            assertWhole("turn " + i, fleet(1));
        }
        List<String> repairs =
                List.of(SNAPSHOT + "1 was missing; written again", VERSION + " was \"latest\"; written again as \"1\"");
        assertThat(publication.state().drift()).containsExactlyElementsOf(repairs);
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .containsExactlyElementsOf(repairs.stream()
                        .map(each -> "something else wrote to the rules in Redis: " + each)
                        .toList());
        clock.advance(Publication.REPAIR_SHOWN);
        assertWhole("later", fleet(1));
        assertThat(publication.state().drift()).isEmpty();
        // A repair by hand has seen what was repaired.
        redis.command("DEL", VERSION);
        assertWhole("again", fleet(1));
        assertThat(publication.state().drift()).isNotEmpty();
        publication.mirror();
        assertWhole("by hand", fleet(1));
        assertThat(publication.state().drift()).isEmpty();
    }

    @Test
    void anOrdinaryReleaseIsNoRepair() {
        redis.command("HSET", "rate_limit_config:USER:*", "id", "old");
        for (FleetRules rules : List.of(
                fleet(1), fleet(2), trial(2, new TrialScope.Nodes(10)), trial(2, new TrialScope.Nodes(50)), fleet(3))) {
            publication.turn(term, rules);
            assertWhole("release", rules);
        }
        // Another center led meanwhile.
        publication.turn(0, fleet(3));
        try (RedisRulePublisher other = RedisRulePublisher.connect(redis.uri())) {
            Publication second = new Publication(other, version -> false, () -> stored, clock);
            second.turn(2, fleet(4));
        }
        term = 3;
        publication.turn(term, fleet(5));
        assertWhole("release", fleet(5));
        assertThat(publication.state().drift()).isEmpty();
        assertThat(log.list).isEmpty();
    }

    @Test
    void rulesOfOthersAreNamedAndNotReplaced() throws Exception {
        release(fleet(5));
        publisher.release(41, set(41).rules());
        assertBlocked(fleet(5), 41, "Redis has version 41, which this center does not know; release a change");
        redis.command("SET", VERSION, "latest");
        assertBlocked(fleet(5), 41, "Redis has version 41");
        assertThat(redis.command("GET", VERSION).text()).isEqualTo("latest");
        redis.command("SET", VERSION, "41");
        redis.command("DEL", SNAPSHOT + "41");
        running = 41;
        assertBlocked(fleet(5), 41, "Redis has version 41");
        // A higher release replaces it.
        release(fleet(42));
        redis.command("SET", VERSION, "41");
        assertWhole("older", fleet(42));

        publisher.release(50, set(51).rules());
        assertBlocked(fleet(50), 50, "Redis has other rules as version 50; another center");
        assertThat(publisher.rules(50).rules()).isEqualTo(set(51).rules());
        release(fleet(51));
        assertThat(log.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.startsWith("nothing is released to Redis: "))
                .hasSize(2);
    }

    @Test
    void nothingIsWrittenBeforeTheFirstRelease() throws Exception {
        redis.command("SET", VERSION, "latest");
        redis.command("HSET", "rate_limit_config:USER:*", "id", "old");
        clock.advance(DUE);
        publication.turn(term, FleetRules.NONE);
        assertThat(redis.command("GET", VERSION).text()).isEqualTo("latest");
        publication.look(fleet(3));
        assertThat(publication.highest()).isEqualTo(3);
        redis.command("DEL", VERSION);
        publisher.release(41, set(41).rules());
        publication.look(fleet(3));
        assertThat(publication.highest()).isEqualTo(41);
        assertBlocked(FleetRules.NONE, 41, "Redis has version 41");
    }

    /** The center that led before reads its database a moment later than another one has released. */
    @Test
    void aReleaseOfAnotherCenterOnTheSameDatabaseIsNoProblem() throws Exception {
        release(fleet(2));
        publisher.release(3, set(3).rules());
        stored = fleet(3);
        clock.advance(DUE);
        publication.turn(term, fleet(2));
        assertThat(publication.state().problem()).isEmpty();
        assertThat(publication.has(fleet(2))).isFalse();
        assertWhole("after the next reading", fleet(3));
        assertThat(log.list).isEmpty();
    }

    @Test
    void aCenterThatNoLongerLeadsForgetsItsProblem() throws Exception {
        release(fleet(2));
        publisher.release(3, set(3).rules());
        assertBlocked(fleet(2), 3, "Redis has version 3, which this center does not know");
        publication.turn(0, fleet(2));
        assertThat(publication.state().problem()).isEmpty();
    }

    @Test
    void aCenterWhoseTermIsOverWritesNothing() {
        release(fleet(2));
        try (RedisRulePublisher other = RedisRulePublisher.connect(redis.uri())) {
            Publication second = new Publication(other, version -> false, () -> stored, clock);
            second.turn(5, fleet(3));
        }
        String adjusted = redis.command("GET", ADJUSTMENTS).text();
        clock.advance(DUE);
        publication.turn(term, fleet(4));
        assertThat(publication.foundTerm()).isEqualTo(5);
        assertThat(publication.has(fleet(4))).isFalse();
        assertThat(publisher.pointer()).contains("3");
        assertThat(redis.command("GET", ADJUSTMENTS).text()).isEqualTo(adjusted);
        // If it leads nevertheless, the other term was that of another database.
        term = 6;
        assertWhole("above", fleet(4));
    }

    @Test
    void anOlderRevisionDoesNotReplaceANewerOne() {
        release(fleet(2));
        redis.command("SET", ADJUSTMENTS, adjustments(9).toJson());
        clock.advance(DUE);
        publication.turn(term, fleet(2));
        assertThat(publication.foundRevision()).isEqualTo(9);
        assertThat(publisher.adjustments()).contains(adjustments(9).toJson());
        clock.advance(DUE);
        publication.turn(term, new FleetRules(set(2), Optional.empty(), adjustments(10)));
        assertThat(publication.foundRevision()).isZero();
        assertThat(publisher.adjustments()).contains(adjustments(10).toJson());
    }

    private void assertBlocked(FleetRules rules, long version, String why) {
        stored = rules;
        clock.advance(DUE);
        publication.turn(term, rules);
        assertThat(publication.state().problem().orElse("")).startsWith(why).contains("./sluice center rebuild");
        assertThat(publication.highest()).isEqualTo(version);
    }
}
