package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.pattern.Attributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A map in an array is like any other map. */
final class FewValuesTest {

    @Test
    void holdsWhatAHashMapHolds() {
        Random random = new Random(3);
        for (int turn = 0; turn < 200; turn++) {
            Map<String, String> few = new FewValues();
            Map<String, String> usual = new HashMap<>();
            for (int i = random.nextInt(30); i > 0; i--) {
                String name = "name " + random.nextInt(20);
                String value = "value " + i;
                assertThat(few.put(name, value)).isEqualTo(usual.put(name, value));
            }
            few.replaceAll((name, value) -> name + value);
            usual.replaceAll((name, value) -> name + value);
            assertThat(few).isEqualTo(usual).hasSameSizeAs(usual);
            assertThat(few.keySet()).isEqualTo(usual.keySet());
            assertThat(few.get("name 7")).isEqualTo(usual.get("name 7"));
            assertThat(few.containsKey("name 8")).isEqualTo(usual.containsKey("name 8"));
            assertThat(few.get("other")).isNull();
        }
    }

    @Test
    void makesTheSameAttributes() {
        Map<String, String> few = new FewValues();
        few.putAll(Map.of("path", "/a/%62/c;x/", "ip", "::ffff:203.0.113.7", "header.host", "Example.COM:80"));
        Attributes usual = Attributes.of(new HashMap<>(few));
        Attributes made = Attributes.taking(few);
        assertThat(made.names()).isEqualTo(usual.names());
        for (String name : usual.names()) {
            assertThat(made.get(name)).isEqualTo(usual.get(name));
        }
        assertThat(made.otherReadings()).hasSameSizeAs(usual.otherReadings()).isNotEmpty();
        assertThat(made.address()).isEqualTo(usual.address());
        assertThat(made.only(Set.of("ip")).names()).containsExactly("ip");
    }
}
