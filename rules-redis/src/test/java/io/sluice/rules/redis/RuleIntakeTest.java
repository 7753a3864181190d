package io.sluice.rules.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.model.Rule;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerSplit;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText.Reading;
import io.sluice.rules.source.EffectiveRules;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SilencedLog;
import io.sluice.testkit.redis.RedisConnection;
import io.sluice.testkit.redis.RedisServer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RuleIntakeTest {

    @RegisterExtension
    static final SilencedLog PROVOKED = SilencedLog.of(RuleFollower.class, EffectiveRules.class);

    private static RedisServer redis;
    private static RuleServer server;
    private static RuleLine line;

    private final ManualClock clock = QuietClock.at(0);
    private final List<Long> versions = new ArrayList<>();
    private final List<List<DocumentError>> refusals = new ArrayList<>();
    private final SteppedIntake intake = new SteppedIntake(Optional.empty(), RuleVet.NONE, clock);
    private RuleFollower rules;
    private RedisConnection admin;

    @BeforeAll
    static void start() {
        redis = RedisServer.shared();
        server = RuleServer.at(redis.uri(), Duration.ofMinutes(1));
        line = server.open(Duration.ofMinutes(1));
    }

    @AfterAll
    static void stop() {
        line.close();
        server.close();
    }

    @BeforeEach
    void listen() {
        redis.command("FLUSHALL");
        admin = redis.connect();
        listen(intake);
    }

    private void listen(SteppedIntake to) {
        rules = to.rules();
        rules.listen(new RuleListener() {
            @Override
            public void changed(RuleSet set) {
                versions.add(set.version());
            }

            @Override
            public void refused(List<DocumentError> errors) {
                refusals.add(errors);
            }
        });
    }

    @AfterEach
    void close() {
        admin.close();
    }

    /** F19. */
    @Test
    void neverGoesBackInTenThousandShuffledDeliveries() {
        Random random = random("shuffled deliveries");
        for (int version = 1; version <= 300; version++) {
            snapshot(version, Sets.of(version, 1));
        }
        for (int i = 1; i <= 10_000; i++) {
            // Old, new, repeated and trial versions, which increase in the long run.
            int version = 1 + random.nextInt(Math.min(300, 1 + i / 30));
            int kind = version < 300 ? random.nextInt(8) : 7;
            String scope = kind < 2
                    ? " share " + (1 + random.nextInt(99))
                    : " callers " + (1 + random.nextInt(99)) + " by user key 0123456789abcdef";
            String text = version + (kind < 4 ? " trial " + (version + 1) + scope : "");
            admin.command("SET", "rate_limit_config_version", text);
            intake.look(line.store(), random.nextBoolean(), random.nextBoolean());
            CallerTrial trial = rules.latest().trial();
            assertThat(trial == null
                            || trial.rules().version() == rules.latest().version() + 1)
                    .isTrue();
        }
        // A set is published again when only its trial changes.
        assertThat(versions).isSorted().hasSizeGreaterThan(20);
        assertThat(rules.latest().version()).isGreaterThan(250);
    }

    /** F20: both forms, two hundred times. Requests are limited all the time, and each refusal is reported at once. */
    @Test
    void twoHundredPoisonedSetsChangeNothing() {
        Random random = random("poisoned sets");
        Attributes request = Attributes.of(Map.of("service", "s0"));
        for (boolean released : new boolean[] {false, true}) {
            admin.command("FLUSHALL");
            List<Rule> good = Sets.of(1, 5);
            Mirror.of(good).forEach((key, fields) -> hash(key, fields));
            if (released) {
                snapshot(1_000, good);
                admin.command("SET", "rate_limit_config_version", "1000");
            }
            intake.look(line.store(), true, true);
            assertThat(rules.refused()).isEmpty();
            long version = rules.latest().version();
            for (int i = 0; i < 100; i++) {
                int told = refusals.size();
                if (released) {
                    poisonSnapshot(random, 2_000 + i, Sets.of(2, 5));
                } else {
                    poisonHash(random, "rate_limit_config:SERVICE:s" + i % 5, Mirror.of(good));
                }
                intake.look(line.store(), true, true);
                assertThat(rules.refused()).as("poison %d", i).isNotEmpty();
                assertThat(refusals).hasSizeGreaterThan(told);
                assertThat(rules.latest().version()).isEqualTo(version);
                assertThat(rules.latest().matching(request)).hasSize(1);
                Mirror.of(good).forEach(this::hash);
                if (released) {
                    admin.command("SET", "rate_limit_config_version", "1000");
                }
                intake.look(line.store(), true, true);
                assertThat(rules.refused()).isEmpty();
            }
            assertThat(refusals).hasSizeGreaterThanOrEqualTo(100);
        }
    }

    @Test
    void namesTheVersionThatItRefused() {
        snapshot(1, Sets.of(1, 1));
        admin.command("SET", "rate_limit_config_version", "1");
        intake.look(line.store(), true, true);
        assertThat(rules.refusedSet()).isEmpty();

        RuleSet damaged = new RuleSet(2, Sets.of(2, 1)).releasedTo(100);
        String text = new String(Snapshots.bytes(damaged, 100), StandardCharsets.UTF_8);
        admin.command("SET", "rate_limit_config_snapshot:2", text.substring(0, text.length() - 5));
        admin.command("SET", "rate_limit_config_version", "2");
        intake.look(line.store(), true, true);
        assertThat(rules.refusedSet().orElseThrow().stamp()).contains(damaged.stamp());
        intake.look(line.store(), false, true);
        assertThat(rules.refusedSet().orElseThrow().stamp()).contains(damaged.stamp());

        admin.command("SET", "rate_limit_config_version", "3");
        intake.look(line.store(), false, true);
        assertThat(rules.refusedSet().orElseThrow().stamp()).isEmpty();
    }

    /** The message of the repair was lost. */
    @Test
    void readsADamagedVersionAgainAfterSomeSecondsAndABadOneAfterHalfAMinute() {
        List<Long> vetted = new ArrayList<>();
        SteppedIntake vetting = new SteppedIntake(
                Optional.empty(),
                set -> {
                    vetted.add(set.version());
                    return set.version() == 3 ? List.of(DocumentError.of("vet", "no")) : List.of();
                },
                clock);
        listen(vetting);
        admin.command("SET", "rate_limit_config_snapshot:2", "garbage");
        admin.command("SET", "rate_limit_config_version", "2");
        vetting.look(line.store(), true, true);
        snapshot(2, Sets.of(2, 1));
        clock.advance(Duration.ofMillis(2_999));
        vetting.look(line.store(), false, false);
        assertThat(versions).isEmpty();
        clock.advance(Duration.ofMillis(1));
        vetting.look(line.store(), false, false);
        assertThat(versions).containsExactly(2L);

        snapshot(3, Sets.of(3, 1));
        admin.command("SET", "rate_limit_config_version", "3");
        for (int second = 0; second <= 30; second++) {
            vetting.look(line.store(), false, false);
            clock.advance(Duration.ofSeconds(1));
        }
        assertThat(vetted).containsExactly(2L, 3L, 3L);
    }

    @Test
    void callersTryAVersionThatIsReadOnceAndThenPromoted() {
        snapshot(12, Sets.of(12, 1));
        snapshot(13, Sets.of(13, 1));
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        RuleSet main = rules.latest();
        CallerTrial trial = main.trial();
        assertThat(main.version()).isEqualTo(12);
        assertThat(trial.rules().version()).isEqualTo(13);
        assertThat(trial.split()).isEqualTo(CallerSplit.share("user", "0123456789abcdef", 5));
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        assertThat(rules.latest()).isSameAs(main);

        // It is at hand, so it is not read again.
        admin.command("DEL", "rate_limit_config_snapshot:13");
        look("12 trial 13 callers 50 by user key 0123456789abcdef");
        assertThat(rules.latest().trial().split().sharePercent()).isEqualTo(50);
        look("13");
        assertThat(rules.latest()).isSameAs(trial.rules());
        assertThat(rules.refused()).isEmpty();
        assertThat(versions).containsExactly(12L, 12L, 13L);
    }

    @Test
    void aTrialEndsWithTheNextRelease() {
        snapshot(12, Sets.of(12, 1));
        snapshot(13, Sets.of(13, 1));
        snapshot(14, Sets.of(12, 1));
        look("12 trial 13 named acme by tenant key 0123456789abcdef");
        assertThat(rules.latest().trial().split().named()).containsExactly("acme");
        look("14");
        assertThat(rules.latest().version()).isEqualTo(14);
        assertThat(rules.latest().trial()).isNull();
        look("13");
        assertThat(rules.latest().version()).isEqualTo(14);
        assertThat(rules.refused().toString()).contains("version: 13 (expected: 14 or higher");
    }

    @Test
    void everybodyKeepsTheVersionInForceIfTheTrialIsBad() {
        snapshot(12, Sets.of(12, 1));
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        assertThat(rules.latest().version()).isEqualTo(12);
        assertThat(rules.latest().trial()).isNull();
        assertThat(rules.refused().toString()).contains("rate_limit_config_snapshot:13: snapshot: missing");

        RuleSet good = new RuleSet(13, Sets.of(13, 1)).releasedTo(100);
        String text = new String(Snapshots.bytes(good, 100), StandardCharsets.UTF_8);
        admin.command("SET", "rate_limit_config_snapshot:13", text.substring(0, text.length() - 5));
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        assertThat(rules.refusedSet().orElseThrow().stamp()).contains(good.stamp());
        assertThat(rules.latest().trial()).isNull();

        admin.command("SET", "rate_limit_config_snapshot:13", text);
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        assertThat(rules.latest().trial().rules().version()).isEqualTo(13);
        assertThat(rules.refused()).isEmpty();
    }

    @Test
    void aTrialIsVetted() {
        snapshot(12, Sets.of(12, 1));
        snapshot(13, Sets.of(13, 1));
        RuleVet vet = set -> set.version() == 13 ? List.of(DocumentError.of("vet", "no")) : List.of();
        SteppedIntake vetting = new SteppedIntake(Optional.empty(), vet, clock);
        listen(vetting);
        admin.command("SET", "rate_limit_config_version", "12 trial 13 callers 5 by user key 0123456789abcdef");
        vetting.look(line.store(), false, false);
        assertThat(rules.latest().version()).isEqualTo(12);
        assertThat(rules.latest().trial()).isNull();
        assertThat(rules.refusedSet().orElseThrow().stamp().orElseThrow().version())
                .isEqualTo(13);
    }

    @Test
    void adjustmentsAppearAndExpire() {
        snapshot(12, Sets.of(12, 1));
        look("12");
        adjust(7, 60);
        look("12");
        assertThat(rules.latest().adjustments()).isEqualTo(7);
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isTrue();
        look("12");
        assertThat(versions).hasSize(2);

        // A new version has them, too.
        snapshot(13, Sets.of(13, 1));
        look("13");
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isTrue();

        clock.advance(Duration.ofMinutes(1));
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isFalse();
        assertThat(rules.latest().adjustments()).isEqualTo(7);
        admin.command("DEL", "rate_limit_config_adjustments");
        look("13");
        assertThat(rules.latest().adjustments()).isZero();
    }

    @Test
    void olderAdjustmentsAreRefused() {
        snapshot(12, Sets.of(12, 1));
        adjust(7, 60);
        look("12");
        for (int i = 0; i < 2; i++) {
            adjust(6, 120);
            look("12");
            assertThat(rules.latest().adjustments()).isEqualTo(7);
            assertThat(rules.refused().toString()).contains("revision: 6 (expected: 7 or higher");
        }
        // They do not stop a release.
        snapshot(13, Sets.of(13, 1));
        look("13");
        assertThat(rules.latest().version()).isEqualTo(13);
        assertThat(rules.latest().adjustments()).isEqualTo(7);
        adjust(8, 60);
        look("13");
        assertThat(rules.latest().adjustments()).isEqualTo(8);
        assertThat(rules.refused()).isEmpty();
    }

    @Test
    void unreadableAdjustmentsAreRefusedAndTheLastGoodOnesStay() {
        snapshot(12, Sets.of(12, 1));
        adjust(7, 60);
        look("12");
        for (String bad : List.of("{", "[]", "{\"revision\":-1,\"overrides\":[],\"switches\":[]}", "\u0000")) {
            admin.command("SET", "rate_limit_config_adjustments", bad);
            look("12");
            assertThat(rules.refused().toString()).contains("rate_limit_config_adjustments");
            assertThat(rules.latest().adjustments()).isEqualTo(7);
        }
        admin.command("DEL", "rate_limit_config_adjustments");
        admin.command("LPUSH", "rate_limit_config_adjustments", "x");
        look("12");
        assertThat(rules.refused()).isNotEmpty();
        // They do not stop a release, and still expire.
        snapshot(13, Sets.of(13, 1));
        look("13");
        assertThat(rules.latest().version()).isEqualTo(13);
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isTrue();
        clock.advance(Duration.ofMinutes(1));
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isFalse();
        assertThat(rules.refused()).isNotEmpty();
        admin.command("DEL", "rate_limit_config_adjustments");
        adjust(8, 120);
        look("13");
        assertThat(rules.refused()).isEmpty();
        assertThat(rules.latest().adjustments()).isEqualTo(8);
    }

    @Test
    void anEmptiedRedisChangesNothing() {
        snapshot(12, Sets.of(12, 1));
        snapshot(13, Sets.of(13, 1));
        adjust(7, 60);
        look("12 trial 13 callers 5 by user key 0123456789abcdef");
        RuleSet before = rules.latest();
        admin.command("FLUSHALL");
        intake.look(line.store(), true, true);
        assertThat(rules.latest()).isSameAs(before);
        assertThat(rules.refused().toString()).contains("version: missing (expected: 12 or higher; release again)");
        clock.advance(Duration.ofMinutes(1));
        assertThat(rules.latest().rule("r0").orElseThrow().shadow()).isFalse();
        assertThat(rules.latest().trial().rules().rule("r0").orElseThrow().shadow())
                .isFalse();
    }

    private void look(String pointer) {
        admin.command("SET", "rate_limit_config_version", pointer);
        intake.look(line.store(), true, true);
    }

    private void adjust(long revision, long untilSecond) {
        admin.command(
                "SET",
                "rate_limit_config_adjustments",
                new Adjustments(
                                revision,
                                List.of(),
                                List.of(new ShadowSwitch("a", Optional.empty(), Instant.ofEpochSecond(untilSecond))))
                        .toJson());
    }

    private void poisonHash(Random random, String key, Map<String, Map<String, String>> good) {
        Map<String, String> fields = new HashMap<>(good.get(key));
        List<String> names = List.of("id", "limitType", "limitTarget", "limitCount", "timeWindow", "strategy");
        String name = names.get(random.nextInt(names.size()));
        switch (random.nextInt(4)) {
            case 0 -> fields.remove(name);
            case 1 -> fields.put("limitCount", "-" + random.nextInt());
            case 2 -> fields.put("document", "{\"id\":\"x\",\"limits\":" + noise(random) + "}");
            default -> fields.put(noise(random), "1");
        }
        hash(key, fields);
    }

    private void poisonSnapshot(Random random, long version, List<Rule> set) {
        byte[] bytes = Snapshots.bytes(new RuleSet(version, set), 100);
        switch (random.nextInt(3)) {
            case 0 -> bytes = java.util.Arrays.copyOf(bytes, random.nextInt(bytes.length));
            case 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(3));
            default -> bytes = noise(random).getBytes(StandardCharsets.UTF_8);
        }
        admin.command("SET", "rate_limit_config_snapshot:" + version, new String(bytes, StandardCharsets.ISO_8859_1));
        admin.command("SET", "rate_limit_config_version", Long.toString(version));
    }

    private static String noise(Random random) {
        StringBuilder text = new StringBuilder("?");
        for (int i = random.nextInt(30); i > 0; i--) {
            text.append((char) (' ' + random.nextInt(94)));
        }
        return text.toString();
    }

    @Test
    void hashesAreDroppedIfTheFirstReleaseCameWhileTheyWereRead() {
        Mirror.of(Sets.of(1, 4)).forEach(this::hash);
        RuleStore meanwhile = MeanwhileStore.before("read", line.store(), () -> {
            snapshot(1, Sets.of(2, 4));
            admin.command("SET", "rate_limit_config_version", "1");
            // The mirror is half written.
            Mirror.of(Sets.of(2, 2)).forEach(this::hash);
            return true;
        });
        intake.look(meanwhile, true, true);
        assertThat(rules.latest().rules()).isEqualTo(Sets.of(2, 4));
        assertThat(versions).containsExactly(1L);
    }

    @Test
    void versionsDoNotFallOverARestart() {
        RuleSet kept = new RuleSet(12, Sets.of(12, 1)).releasedTo(100);
        SteppedIntake restarted = restarted(kept);
        snapshot(11, Sets.of(11, 1));
        admin.command("SET", "rate_limit_config_version", "11");
        restarted.look(line.store(), true, true);
        assertThat(versions).isEmpty();
        assertThat(rules.refused().toString()).contains("version: 11 (expected: 12 or higher;");
        assertThat(restarted.intake().isMirrored(line.store())).isFalse();

        snapshot(12, Sets.of(12, 1));
        admin.command("SET", "rate_limit_config_version", "12");
        restarted.look(line.store(), true, true);
        assertThat(versions).containsExactly(12L);
        assertThat(rules.refused()).isEmpty();
        assertThat(rules.latest().stamp()).isEqualTo(kept.stamp());
        assertThat(restarted.intake().isMirrored(line.store())).isTrue();
    }

    @Test
    void hashesAreNotObeyedOverARestartWhenTheVersionVanished() {
        SteppedIntake restarted = restarted(new RuleSet(12, Sets.of(12, 1)).releasedTo(10));
        Mirror.of(Sets.of(99, 1)).forEach(this::hash);
        restarted.look(line.store(), true, true);
        assertThat(versions).isEmpty();
        assertThat(restarted.intake().isOwned()).isTrue();
        assertThat(rules.refused().toString()).contains("version: missing (expected: 12 or higher;");
    }

    @Test
    void numbersOfHashesEndOverARestartWhenACenterTakesOver() {
        SteppedIntake restarted = restarted(new RuleSet(12, Sets.of(12, 1)));
        snapshot(1, Sets.of(1, 1));
        admin.command("SET", "rate_limit_config_version", "1");
        restarted.look(line.store(), true, true);
        assertThat(versions).containsExactly(1L);
    }

    private SteppedIntake restarted(RuleSet kept) {
        SteppedIntake restarted = new SteppedIntake(Optional.of(kept.stamp()), RuleVet.NONE, QuietClock.at(0));
        listen(restarted);
        return restarted;
    }

    @Test
    void readsAHundredThousandReleasedRules() throws Exception {
        release(100_000);
        intake.look(line.store(), true, false);
        assertThat(this.rules.refused()).isEmpty();
        assertThat(this.rules.latest().rules()).hasSize(100_000);
    }

    @Test
    void refusesTooManyRules() throws Exception {
        release(200_001);
        intake.look(line.store(), true, false);
        assertThat(rules.refused().toString()).contains("rules: 200001 (expected: at most 200000)");
    }

    @Test
    void refusesASetThatIsTooLargeForTheMemory() {
        snapshot(1, Sets.of(1, 1_000));
        long length = line.store().length(1);
        assertThat(Snapshots.read(line.store(), 1, 32 * length)).isInstanceOf(Reading.Found.class);
        assertThat(Snapshots.read(line.store(), 1, 32 * length - 1).toString())
                .contains("size: " + length + " bytes (expected: at most " + (length - 1)
                        + ", one part in 32 of the memory; raise -Xmx)");
    }

    private static void release(int count) throws Exception {
        String rules = IntStream.range(0, count)
                .mapToObj(i -> "{\"id\":\"rule-" + i + "\",\"service\":\"service-" + i % 1_000
                        + "\",\"limits\":[{\"by\":\"user\",\"limit\":100,\"window\":\"1m\"}]}")
                .collect(Collectors.joining(",\n", "\"rules\":[\n", "]}"));
        String digest = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(("{" + rules).getBytes(StandardCharsets.UTF_8)));
        String text = "{\"version\":1,\"digest\":\"" + digest + "\",\"share\":100," + rules;
        assertThat(line.store().write(1, text.getBytes(StandardCharsets.UTF_8))).isTrue();
        assertThat(line.store().flip(new byte[0], "1")).isTrue();
    }

    @Test
    void readsThousandsOfHashesAndOneThatChanged() {
        line.store().mirror(Mirror.of(Sets.of(1, 3_000)));
        intake.look(line.store(), true, true);
        assertThat(rules.latest().rules()).hasSize(3_000);
        admin.command("HSET", "rate_limit_config:SERVICE:s77", "limitCount", "5");
        intake.look(line.store(), true, true);
        assertThat(versions).containsExactly(1L, 2L);
        intake.look(line.store(), true, true);
        assertThat(versions).hasSize(2);
    }

    private void snapshot(long version, List<Rule> set) {
        admin.command(
                "SET",
                "rate_limit_config_snapshot:" + version,
                new String(Snapshots.bytes(new RuleSet(version, set), 100), StandardCharsets.UTF_8));
    }

    private void hash(String key, Map<String, String> fields) {
        admin.command("DEL", key);
        List<String> command = new ArrayList<>(List.of("HSET", key));
        fields.forEach((field, value) -> command.addAll(List.of(field, value)));
        admin.command(command.toArray(String[]::new));
    }

    private static Random random(String test) {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(test + ": seed " + seed);
        return new Random(seed);
    }
}
