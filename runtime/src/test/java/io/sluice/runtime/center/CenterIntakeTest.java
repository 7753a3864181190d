package io.sluice.runtime.center;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.rules.snapshot.RuleSetText;
import io.sluice.rules.snapshot.RuleStamp;
import io.sluice.rules.source.PublishedRules;
import io.sluice.rules.source.RuleListener;
import io.sluice.rules.source.RuleVet;
import io.sluice.rules.yaml.DocumentError;
import io.sluice.runtime.CapturedLog;
import io.sluice.testkit.SeededRandom;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class CenterIntakeTest {

    private final PublishedRules rules = new PublishedRules();
    private final CenterIntake intake =
            new CenterIntake(rules, URI.create("http://center"), Optional.empty(), RuleVet.NONE);
    private final List<Long> versions = new ArrayList<>();
    private final List<List<DocumentError>> refusals = new ArrayList<>();
    private CapturedLog log;

    @BeforeEach
    void listen() {
        log = new CapturedLog(CenterIntake.class);
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
