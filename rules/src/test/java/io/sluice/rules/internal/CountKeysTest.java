package io.sluice.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.rules.Attributes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CountKeysTest {

    @Test
    void readsAsNamesAndValues() {
        assertThat(key(List.of("tenant", "user"), Map.of("tenant", "a", "user", "u-17")))
                .isEqualTo("tenant=a&user=u-17");
    }

    @Test
    void isEmptyForOneSharedCount() {
        assertThat(key(List.of(), Map.of("user", "u"))).isEmpty();
    }

    @Test
    void aMissingAttributeCountsByAddressAndNotAsThatValue() {
        String missing = key(List.of("user"), Map.of("ip", "192.0.2.7"));

        assertThat(missing).isEqualTo("user~ip=192.0.2.7");
        assertThat(missing).isNotEqualTo(key(List.of("user"), Map.of("user", "192.0.2.7")));
        assertThat(missing).isNotEqualTo(key(List.of("user"), Map.of("user", "~ip=192.0.2.7")));
    }

    @Test
    void withoutAddressThoseWhoMissItShareOneCount() {
        assertThat(key(List.of("user"), Map.of())).isEqualTo("user~");
        assertThat(key(List.of("ip"), Map.of())).isEqualTo("ip~");
    }

    @Test
    void addressesOfOneNetworkShareACount() {
        assertThat(key(List.of("ip"), Map.of("ip", "2001:db8::1")))
                .isEqualTo(key(List.of("ip"), Map.of("ip", "2001:DB8::2")));
    }

    @Test
    void longValuesAreHashed() {
        String a = key(List.of("user"), Map.of("user", "x".repeat(50_000)));
        String b = key(List.of("user"), Map.of("user", "x".repeat(50_001)));

        assertThat(a).hasSize(65).startsWith("#").isNotEqualTo(b);
        assertThat(key(List.of("user"), Map.of("user", "#abc"))).isEqualTo("user=%0023abc");
    }

    @Test
    void noTwoTuplesCollideEvenAfterUtf8() {
        Random random = new Random(7);
        String alphabet = "ab=&~%#:{}\n\u0000\u00e9\ud83d\ude00 ip";
        List<String> names = List.of("a", "b", "a=", "a&b", "a~", "a~ip", "ip");
        List<String> likely = List.of("192.0.2.1", "=", "%003d", "%", "%0025", "~", "%007e");
        Map<String, String> seen = new HashMap<>();
        for (int i = 0; i < 200_000; i++) {
            List<String> by = new ArrayList<>();
            Map<String, String> values = new HashMap<>();
            StringBuilder tuple = new StringBuilder();
            String ip = random.nextBoolean() ? "192.0.2." + random.nextInt(3) : null;
            if (ip != null) {
                values.put("ip", ip);
            }
            for (String name : names) {
                if (random.nextInt(3) == 0) {
                    by.add(name);
                    if (!name.equals("ip") && random.nextInt(4) != 0) {
                        values.put(name, random.nextInt(4) == 0 ? pick(random, likely) : text(random, alphabet));
                    }
                    String value = values.get(name);
                    tuple.append(name.length()).append(name);
                    tuple.append(value == null ? "-" + ip : value.length() + "+" + value);
                }
            }
            String key = new String(key(by, values).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            String other = seen.putIfAbsent(key, tuple.toString());
            assertThat(other == null || other.contentEquals(tuple))
                    .as("%s and %s both make %s", other, tuple, key)
                    .isTrue();
        }
        assertThat(seen).hasSizeGreaterThan(50_000);
    }

    private static String pick(Random random, List<String> texts) {
        return texts.get(random.nextInt(texts.size()));
    }

    private static String text(Random random, String alphabet) {
        StringBuilder text = new StringBuilder();
        int length = random.nextInt(5);
        for (int i = 0; i < length; i++) {
            text.append(alphabet.charAt(random.nextInt(alphabet.length())));
        }
        return text.toString();
    }

    private static String key(List<String> by, Map<String, String> values) {
        return CountKeys.key(by, Attributes.of(values));
    }
}
