package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.rules.adjust.Adjustments;
import io.sluice.rules.adjust.ShadowSwitch;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.DocumentReading;
import io.sluice.rules.source.DocumentSource;
import io.sluice.rules.source.RuleFollower;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.watch.Looks;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.testkit.CapturedSystemLog;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CenterIntakeTest {

    private static final String CALLERS = "13 callers 5 by user key 0123456789abcdef";

    private final ManualClock clock = QuietClock.at(0);
    private final Events intake = new Events();
    private final RuleFollower rules = RuleFollower.open(
            intake, Optional.empty(), RuleVet.NONE, new Looks(clock, intake.every(), Runnable::run, () -> {}));
    private final List<Long> versions = new ArrayList<>();
    private final List<List<DocumentError>> refusals = new ArrayList<>();
    private CapturedSystemLog log;

    /** Lets the follower read after each event. */
    private final class Events implements DocumentSource {

        private final CenterIntake intake =
                new CenterIntake(URI.create("http://center"), Optional.empty(), RuleVet.NONE);
        private DocumentReading next = new DocumentReading.Unchanged();

        void take(ServerEvent event) {
            read(intake.take(event));
        }

        void takeTrial(ServerEvent event) {
            read(intake.takeTrial(event));
        }

        void takeState(ServerEvent event) {
            read(intake.takeState(event));
        }

        void takeNothing() {
            read(intake.takeNothing());
        }

        Optional<String> current() {
            return intake.current();
        }

        private void read(DocumentReading reading) {
            next = reading;
            var unused = rules.reload();
        }

        @Override
        public DocumentReading read(Known known) {
            return next;
        }

        @Override
        public Duration every() {
            return Duration.ZERO;
        }

        @Override
        public String name() {
            return "the center";
        }
    }

    @BeforeEach
    void listen() {
        log = new CapturedSystemLog(RuleFollower.class);
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
        log.close();
    }

    /** F19. */
    @Test
    void neverGoesBackInTenThousandShuffledDeliveries() {
        Random random = SeededRandom.of("shuffled deliveries");
        List<ServerEvent> events = new ArrayList<>();
        for (int version = 1; version <= 300; version++) {
            events.add(event(version));
        }
        for (int i = 1; i <= 10_000; i++) {
            // Old, new and repeated versions, which increase in the long run.
            intake.take(events.get(random.nextInt(Math.min(300, 1 + i / 30))));
        }
        assertThat(versions).isSorted().doesNotHaveDuplicates().hasSizeGreaterThan(20);
        assertThat(rules.latest().version()).isGreaterThan(250);
    }

    /** F20. */
    @Test
    void twoHundredPoisonedSetsChangeNothing() {
        Random random = SeededRandom.of("poisoned sets");
        intake.take(event(1));
        RuleSet good = rules.latest();
        for (int i = 0; i < 200; i++) {
            ServerEvent event = event(2 + i);
            byte[] bytes = event.data();
            switch (random.nextInt(3)) {
                case 0 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length));
                case 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(7));
                default -> random.nextBytes(bytes);
            }
            intake.take(new ServerEvent(event.name(), event.id(), bytes, false));
            assertThat(rules.latest()).as("poison %d", i).isSameAs(good);
            assertThat(rules.refusedSet().orElseThrow().stamp().map(RuleStamp::version))
                    .contains(2L + i);
        }
        assertThat(refusals).hasSize(200);
    }

    @Test
    void reportsEachBadSetOnce() {
        ServerEvent bad = new ServerEvent("rules", event(2).id(), new byte[] {'{'}, false);
        intake.take(event(1));
        intake.take(bad);
        intake.take(bad);
        assertThat(refusals).hasSize(1);
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void refusesASetThatIsTooLarge() {
        intake.take(new ServerEvent("rules", event(1).id(), new byte[0], true));
        assertThat(rules.refused().toString()).contains("size: too large for the memory of this process");
        assertThat(intake.current()).isEmpty();
    }

    @Test
    void callersTryASetAndItIsPromoted() {
        intake.take(event(12));
        intake.takeTrial(trial(13));
        assertThat(rules.latest().trial()).isNull();
        intake.takeState(state(12, "\"" + CALLERS + "\"", 0));
        CallerTrial trial = rules.latest().trial();
        assertThat(trial.rules().version()).isEqualTo(13);
        assertThat(trial.split().sharePercent()).isEqualTo(5);
        assertThat(rules.latest().version()).isEqualTo(12);

        // The center says it again after a reconnect, without rules that this node has.
        intake.takeTrial(trial(13));
        intake.takeState(state(12, "\"" + CALLERS + "\"", 0));
        assertThat(versions).hasSize(2);

        // It need not be read again.
        intake.take(new ServerEvent("rules", event(13).id(), new byte[0], false));
        assertThat(rules.latest()).isSameAs(trial.rules());
        intake.takeState(state(13, "null", 0));
        assertThat(rules.latest().trial()).isNull();
        assertThat(refusals).isEmpty();
        assertThat(versions).containsExactly(12L, 12L, 13L);
    }

    @Test
    void aTrialEndsWithTheNextState() {
        intake.take(event(12));
        intake.takeTrial(trial(13));
        intake.takeState(state(12, "\"" + CALLERS + "\"", 0));
        // The next set to try does not end the current trial before the state says so.
        intake.takeTrial(trial(14));
        assertThat(rules.latest().trial().rules().version()).isEqualTo(13);
        intake.takeState(state(12, "\"14 named acme by tenant key 0123456789abcdef\"", 0));
        assertThat(rules.latest().trial().rules().version()).isEqualTo(14);
        intake.takeState(state(12, "null", 0));
        assertThat(rules.latest().trial()).isNull();
        assertThat(refusals).isEmpty();
    }

    @Test
    void eventsMayComeInAnyOrder() {
        for (int order = 0; order < 6; order++) {
            CenterIntakeTest other = new CenterIntakeTest();
            int first = order % 3;
            int second = (first + 1 + order / 3) % 3;
            List<Runnable> others = List.of(
                    () -> other.intake.take(event(12)),
                    () -> other.intake.takeTrial(trial(13)),
                    () -> other.intake.takeState(state(12, "\"" + CALLERS + "\"", 7)));
            others.get(first).run();
            others.get(second).run();
            others.get(3 - first - second).run();
            assertThat(other.rules.latest().version()).as("order %d", order).isEqualTo(12);
            assertThat(other.rules.latest().trial().rules().version()).isEqualTo(13);
            assertThat(other.rules.latest().adjustments()).isEqualTo(7);
            assertThat(other.rules.refused()).isEmpty();
        }
    }

    @Test
    void everybodyKeepsTheVersionInForceIfTheTrialIsBad() {
        ServerEvent good = trial(13);
        intake.take(event(12));
        intake.takeTrial(new ServerEvent("trial", "", Arrays.copyOf(good.data(), good.data().length - 3), false));
        assertThat(refusals).isEmpty();
        intake.takeState(state(12, "\"" + CALLERS + "\"", 0));
        assertThat(rules.latest().trial()).isNull();
        assertThat(rules.refusedSet().orElseThrow().stamp().orElseThrow().version())
                .isEqualTo(13);

        intake.takeTrial(new ServerEvent("trial", "", new byte[0], true));
        assertThat(rules.refused().toString()).contains("size: too large");
        intake.takeTrial(good);
        assertThat(rules.latest().trial().rules().version()).isEqualTo(13);
        assertThat(rules.refused()).isEmpty();
    }

    @Test
    void aStateWithoutItsTrialIsReported() {
        intake.take(event(12));
        intake.takeState(state(12, "\"" + CALLERS + "\"", 0));
        assertThat(rules.refused().toString()).contains("trial: version 13 was not sent");
        intake.takeState(state(12, "null", 0));
        assertThat(rules.refused()).isEmpty();
    }

    @Test
    void aTrialOfNodesIsNoneOfCallers() {
        intake.take(event(13));
        intake.takeState(state(12, "\"13 share 10\"", 0));
        assertThat(rules.latest().version()).isEqualTo(13);
        assertThat(rules.latest().trial()).isNull();
        assertThat(rules.refused()).isEmpty();
    }

    /** Two centers on one database may serve one node, and one of them may be behind. */
    @Test
    void anOlderStateNeverReplacesANewerOne() {
        intake.take(event(12));
        intake.takeTrial(trial(13));
        intake.takeState(state(12, "\"" + CALLERS + "\"", 7));
        for (ServerEvent older : List.of(state(12, "null", 6), state(11, "null", 8))) {
            intake.takeState(older);
            assertThat(rules.latest().adjustments()).isEqualTo(7);
            assertThat(rules.latest().trial().rules().version()).isEqualTo(13);
            assertThat(rules.refused()).isNotEmpty();
        }
        intake.take(event(13));
        intake.takeState(state(13, "null", 6));
        assertThat(rules.latest().adjustments()).isEqualTo(7);
        assertThat(rules.refused()).isEmpty();
        intake.takeState(state(13, "null", 8));
        assertThat(rules.latest().adjustments()).isEqualTo(8);
    }

    @Test
    void adjustmentsApplyAndExpire() {
        intake.takeState(state(12, "null", 7));
        intake.take(event(12));
        assertThat(versions).hasSize(1);
        assertThat(rules.latest().rule("a").orElseThrow().shadow()).isTrue();
        intake.take(event(13));
        assertThat(rules.latest().rule("a").orElseThrow().shadow()).isTrue();
        clock.advance(Duration.ofMinutes(1));
        assertThat(rules.latest().rule("a").orElseThrow().shadow()).isFalse();
    }

    @Test
    void anUnreadableStateIsRefusedAndTheLastGoodOneStays() {
        intake.take(event(12));
        intake.takeTrial(trial(13));
        intake.takeState(state(12, "\"" + CALLERS + "\"", 7));
        RuleSet before = rules.latest();
        for (String bad : List.of(
                "",
                "{",
                "[]",
                "{}",
                "{\"version\":\"12\"}",
                "{\"version\":12,\"trial\":13}",
                "{\"version\":12,\"trial\":\"13 callers 0 by user key 0123456789abcdef\"}",
                "{\"version\":12,\"adjustments\":[]}",
                "{\"version\":12,\"adjustments\":{\"revision\":1}}")) {
            intake.takeState(new ServerEvent("state", "", bad.getBytes(StandardCharsets.UTF_8), false));
            assertThat(rules.refused().toString()).as(bad).contains("state: ");
            assertThat(rules.latest()).isSameAs(before);
        }
        intake.takeState(new ServerEvent("state", "", new byte[0], true));
        assertThat(rules.refused().toString()).contains("state: size: too large");
        intake.takeState(state(12, "\"" + CALLERS + "\"", 7));
        assertThat(rules.refused()).isEmpty();
        assertThat(rules.latest()).isSameAs(before);
    }

    private static ServerEvent state(long version, String trial, long revision) {
        Adjustments adjustments = new Adjustments(
                revision,
                List.of(),
                revision == 0
                        ? List.of()
                        : List.of(new ShadowSwitch("s", Optional.empty(), Instant.ofEpochSecond(60))));
        String text =
                "{\"version\":" + version + ",\"trial\":" + trial + ",\"adjustments\":" + adjustments.toJson() + "}";
        return new ServerEvent("state", "", text.getBytes(StandardCharsets.UTF_8), false);
    }

    private static ServerEvent trial(int version) {
        return new ServerEvent("trial", "", event(version).data(), false);
    }

    private static ServerEvent event(int version) {
        RuleDocument.Accepted document = (RuleDocument.Accepted)
                RuleDocument.parse("test", "rules: [{ id: a, limits: [{ rate: " + version + " }] }]");
        RuleSet set = new RuleSet(version, document.rules());
        StringBuilder text = new StringBuilder();
        RuleSetText.write(set, text::append);
        return new ServerEvent(
                "rules", CenterIntake.id(set.stamp()), text.toString().getBytes(StandardCharsets.UTF_8), false);
    }
}
