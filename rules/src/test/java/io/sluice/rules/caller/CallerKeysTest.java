package io.sluice.rules.caller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.pattern.Attributes;
import io.sluice.testkit.SeededRandom;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallerKeysTest {

    private static final KeySecret SECRET = KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8));
    private static final CallerKeys KEYS = new CallerKeys(SECRET, 64);
    private static final String HOSTILE = "ab!&=~#%:*{}?[]/ \t\n\r\u0000\u007f\u009b\u00e9\ud83d\ude00\ud800\udfffu0ip";

    @Test
    void readsAsNamesAndValues() {
        assertThat(key(List.of("tenant", "user"), Map.of("tenant", "a", "user", "u-17")))
                .isEqualTo("tenant=a&user=u-17");
        assertThat(key(List.of("header.x-phone"), Map.of("header.x-phone", "+49:1")))
                .isEqualTo("header.x-phone=+49:1");
        assertThat(key(List.of("user"), Map.of("user", "josé 😀"))).isEqualTo("user=josé!20😀");
    }

    @Test
    void isEmptyForOneSharedCount() {
        assertThat(key(List.of(), Map.of("user", "u"))).isEmpty();
        assertThat(text(KEYS.key(List.of(), AbsentPolicy.REFUSE, Privacy.HASH, Attributes.of(Map.of()))))
                .isEmpty();
    }

    @Test
    void aMissingAttributeCountsByAddressAndNotAsThatValue() {
        String missing = key(List.of("user"), Map.of("ip", "192.0.2.7"));

        assertThat(missing).isEqualTo("user~ip=192.0.2.7");
        assertThat(missing).isNotEqualTo(key(List.of("user"), Map.of("user", "192.0.2.7")));
        assertThat(missing).isNotEqualTo(key(List.of("user"), Map.of("user", "~ip=192.0.2.7")));
        assertThat(key(List.of("user"), Map.of("ip", "2001:db8::1"))).isEqualTo("user~ip=2001:db8::/64");
    }

    @Test
    void requestsWithoutTheAttributeAndWithoutAnAddressShareOneCount() {
        assertThat(key(List.of("user"), Map.of())).isEqualTo("user~");
        assertThat(key(List.of("ip"), Map.of())).isEqualTo("ip~");
        assertThat(key(List.of("user"), Map.of("ip", "rubbish"))).isEqualTo("user~ip=unknown");
    }

    @Test
    void anEmptyValueIsAValue() {
        assertThat(key(List.of("user"), Map.of("user", "", "ip", "192.0.2.7"))).isEqualTo("user=");
    }

    @Test
    void theLimitSaysWhatCountsInsteadOfWhatIsAbsent() {
        Attributes request = Attributes.of(Map.of("ip", "192.0.2.7", "tenant", "a"));
        List<By> by = List.of(By.attribute("tenant"), By.attribute("user"));

        assertThat(KEYS.key(by, AbsentPolicy.IP, Privacy.PLAIN, request))
                .isEqualTo(new CallerKey.Of("tenant=a&user~ip=192.0.2.7"));
        assertThat(KEYS.key(by, AbsentPolicy.SHARE, Privacy.PLAIN, request))
                .isEqualTo(new CallerKey.Of("tenant=a&user~"));
        for (Privacy privacy : Privacy.values()) {
            assertThat(KEYS.key(by, AbsentPolicy.SKIP, privacy, request)).isEqualTo(new CallerKey.Skipped());
            assertThat(KEYS.key(by, AbsentPolicy.REFUSE, privacy, request)).isEqualTo(new CallerKey.Refused("user"));
        }
        Attributes whole = Attributes.of(Map.of("tenant", "a", "user", "u"));
        for (AbsentPolicy absent : AbsentPolicy.values()) {
            assertThat(KEYS.key(by, absent, Privacy.PLAIN, whole)).isEqualTo(new CallerKey.Of("tenant=a&user=u"));
        }
    }

    @Test
    void theSameValueIsOneCountWhicheverAttributeItCameIn() {
        List<By> by = List.of(new By("userId", Optional.of("user")));

        assertThat(key(by, AbsentPolicy.IP, Map.of("userId", "17", "user", "x")))
                .isEqualTo("userId=17");
        assertThat(key(by, AbsentPolicy.IP, Map.of("user", "17"))).isEqualTo("userId=17");
        assertThat(key(by, AbsentPolicy.IP, Map.of("ip", "192.0.2.7"))).isEqualTo("userId~ip=192.0.2.7");
        assertThat(KEYS.key(by, AbsentPolicy.REFUSE, Privacy.PLAIN, Attributes.of(Map.of("user", "17"))))
                .isEqualTo(new CallerKey.Of("userId=17"));
        assertThat(KEYS.key(by, AbsentPolicy.REFUSE, Privacy.PLAIN, Attributes.of(Map.of())))
                .isEqualTo(new CallerKey.Refused("userId"));
        assertThat(key(List.of(new By("client", Optional.of("ip"))), AbsentPolicy.IP, Map.of("ip", "2001:db8::1")))
                .isEqualTo("client=2001:db8::/64");
    }

    @Test
    void a5AddressesOfOneNetworkShareACount() {
        assertThat(key(List.of("ip"), Map.of("ip", "2001:db8::1")))
                .isEqualTo("ip=2001:db8::/64")
                .isEqualTo(key(List.of("ip"), Map.of("ip", "2001:DB8::2")));
        CallerKeys wide = new CallerKeys(SECRET, 48);
        CallerKeys narrow = new CallerKeys(SECRET, 128);
        Attributes request = Attributes.of(Map.of("ip", "2001:db8:1:2::3"));
        List<By> by = List.of(By.attribute("ip"));
        assertThat(wide.key(by, AbsentPolicy.IP, Privacy.PLAIN, request))
                .isEqualTo(new CallerKey.Of("ip=2001:db8:1::/48"));
        assertThat(narrow.key(by, AbsentPolicy.IP, Privacy.PLAIN, request))
                .isEqualTo(new CallerKey.Of("ip=2001:db8:1:2::3"));
        assertThatThrownBy(() -> new CallerKeys(SECRET, 0)).hasMessage("ipv6_prefix: 0 (expected: 1..128)");
    }

    @Test
    void a6SpellingsOfOneAddressShareACountAndIpv4CallersDoNot() {
        for (String spelling :
                List.of("1.2.3.4", "::ffff:1.2.3.4", "::ffff:102:304", "001.2.3.4", "::ffff:1.2.3.4%1")) {
            assertThat(key(List.of("ip"), Map.of("ip", spelling))).isEqualTo("ip=1.2.3.4");
        }
        assertThat(key(List.of("ip"), Map.of("ip", "::ffff:1.2.3.5"))).isEqualTo("ip=1.2.3.5");
    }

    @Test
    void a10SeparatorsInValuesAreNoSeparators() {
        assertThat(key(List.of("a"), Map.of("a", "}{other}\n\u0000*#%!&b=c~")))
                .isEqualTo("a=!7d!7bother!7d!0a!00*!23!25!21!26b!3dc!7e");
        assertThat(key(List.of("a"), Map.of("a", "\ud800x\udc00"))).isEqualTo("a=!ud800x!udc00");
        assertThat(key(List.of("a", "b"), Map.of("a", "1&b=2", "b", "3")))
                .isNotEqualTo(key(List.of("a", "b"), Map.of("a", "1", "b", "2&b=3")));
    }

    /** Every plain key can be decoded, so no two tuples share one. */
    @Test
    void a10NoTwoTuplesShareAKey() {
        SeededRandom random = SeededRandom.of("a10NoTwoTuplesShareAKey");
        String[] names = {"a", "b", "a=", "a&b", "a~", "a~ip", "!61", "é", "{x}", "json.a b"};
        int plain = 0;
        int tuples = SeededRandom.scaled(100_000, 1_000_000);
        for (int i = 0; i < tuples; i++) {
            Map<String, String> request = new HashMap<>();
            List<String> tuple = new ArrayList<>();
            List<By> by = new ArrayList<>();
            String ip = random.nextBoolean() ? "192.0.2." + random.nextInt(3) : null;
            if (ip != null) {
                request.put("ip", ip);
            }
            for (int j = random.nextInt(4); j >= 0; j--) {
                String name = random.oneOf(names);
                if (!by.contains(By.attribute(name))) {
                    by.add(By.attribute(name));
                    if (random.nextInt(4) != 0) {
                        request.put(name, random.text(HOSTILE, 6));
                    }
                    String value = request.get(name);
                    tuple.add(name);
                    tuple.add(value != null ? "=" + value : ip != null ? "~ip=" + ip : "~");
                }
            }
            String key = text(KEYS.key(by, AbsentPolicy.IP, Privacy.PLAIN, Attributes.of(request)));
            assertThat(key.length()).isLessThanOrEqualTo(200);
            if (!key.startsWith("!l")) {
                plain++;
                String stored = new String(key.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
                if (!decoded(stored).equals(tuple)) {
                    assertThat(decoded(stored)).as(key).isEqualTo(tuple);
                }
                assertThat(key.chars().noneMatch(c -> c <= ' ' || c == 0x7f || "{}#%".indexOf(c) >= 0))
                        .isTrue();
            }
        }
        assertThat(plain).isGreaterThan(tuples / 10 * 9);
    }

    @Test
    void a10HashesOfDifferentTuplesDiffer() {
        SeededRandom random = SeededRandom.of("a10HashesOfDifferentTuplesDiffer");
        Map<String, List<String>> seen = new HashMap<>();
        String filler = "x".repeat(200);
        for (int i = 0; i < 100_000; i++) {
            boolean hashed = random.nextBoolean();
            String first = (hashed ? "" : filler) + random.text("ab&=\ud800", 5);
            String second = random.text("ab&=\ud800", 5) + (hashed ? "" : filler);
            Map<String, String> request = random.nextInt(4) == 0 ? Map.of("a", first) : Map.of("a", first, "b", second);
            Privacy privacy = hashed ? Privacy.HASH : Privacy.PLAIN;
            String key = text(KEYS.key(
                    List.of(By.attribute("a"), By.attribute("b")), AbsentPolicy.IP, privacy, Attributes.of(request)));
            List<String> tuple = List.of(privacy.word(), first, request.containsKey("b") ? "=" + second : "~");
            assertThat(key).hasSize(45).startsWith(hashed ? "!h" : "!l");
            assertThat(seen.computeIfAbsent(key, any -> tuple)).isEqualTo(tuple);
        }
    }

    @Test
    void a11LongAndBinaryValuesAreHashed() {
        StringBuilder binary = new StringBuilder();
        IntStream.range(0, 1 << 20).forEach(i -> binary.append((char) i));
        String a = key(List.of("user"), Map.of("user", "x".repeat(1 << 20)));
        String b = key(List.of("user"), Map.of("user", "x".repeat((1 << 20) - 1)));
        String c = key(List.of("user"), Map.of("user", binary.toString()));

        assertThat(List.of(a, b, c))
                .doesNotHaveDuplicates()
                .allSatisfy(key -> assertThat(key).hasSize(45).startsWith("!l"));
        assertThat(key(List.of("user"), Map.of("user", a))).isNotEqualTo(a);
    }

    @Test
    void aHashedKeyShowsNothingAndNeedsTheSecret() {
        List<By> by = List.of(By.attribute("header.x-phone"));
        Attributes request = Attributes.of(Map.of("header.x-phone", "+49151123456"));
        CallerKey mine = KEYS.key(by, AbsentPolicy.IP, Privacy.HASH, request);
        CallerKeys others = new CallerKeys(KeySecret.random(), 64);
        CallerKeys same = new CallerKeys(KeySecret.of("0123456789abcdef".getBytes(StandardCharsets.UTF_8)), 64);

        assertThat(text(mine)).matches("!h[A-Za-z0-9_-]{43}");
        assertThat(same.key(by, AbsentPolicy.IP, Privacy.HASH, request)).isEqualTo(mine);
        assertThat(others.key(by, AbsentPolicy.IP, Privacy.HASH, request)).isNotEqualTo(mine);
        assertThat(KEYS.key(by, AbsentPolicy.IP, Privacy.HASH, Attributes.of(Map.of("header.x-phone", "+49151123457"))))
                .isNotEqualTo(mine);
        assertThat(text(KEYS.key(by, AbsentPolicy.IP, Privacy.HASH, Attributes.of(Map.of("ip", "192.0.2.7")))))
                .doesNotContain("192");
    }

    @Test
    void theSecretIsNeverShown() {
        assertThat(SECRET).hasToString("KeySecret(hidden)");
        assertThatThrownBy(() -> KeySecret.of("secret".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("hash key: 6 bytes (expected: 16..1024)");
    }

    @Test
    void theHashIsHmacOfTheTupleWithLengths() throws Exception {
        javax.crypto.Mac mac = javax.crypto.Mac.getInstance("HmacSHA256");
        mac.init(
                new javax.crypto.spec.SecretKeySpec("0123456789abcdef".getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        mac.update(new byte[] {0, '&', 0, 0, 0, 1, 0, 'u', 0, '=', 0, 0, 0, 2, 0, '1', 0, '7'});
        String expected = java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());

        assertThat(KEYS.key(
                        List.of(By.attribute("u")), AbsentPolicy.IP, Privacy.HASH, Attributes.of(Map.of("u", "17"))))
                .isEqualTo(new CallerKey.Of("!h" + expected));
    }

    @Test
    void theMaskedFormShowsTwoCharactersAtMost() {
        assertThat(masked(Privacy.PLAIN, Map.of("user", "u-17x"))).isEqualTo("user=u-***");
        assertThat(masked(Privacy.PLAIN, Map.of("user", "abc"))).isEqualTo("user=***");
        assertThat(masked(Privacy.PLAIN, Map.of("user", ""))).isEqualTo("user=***");
        assertThat(masked(Privacy.PLAIN, Map.of("user", "😀😀😀"))).isEqualTo("user=😀😀***");
        assertThat(masked(Privacy.PLAIN, Map.of("user", "\n\u001b[31m"))).isEqualTo("user=!0a!1b***");
        assertThat(masked(Privacy.PLAIN, Map.of("user", "x".repeat(1 << 20)))).isEqualTo("user=xx***");
        assertThat(masked(Privacy.PLAIN, Map.of("ip", "192.0.2.7"))).isEqualTo("user~ip=19***");
        assertThat(masked(Privacy.PLAIN, Map.of())).isEqualTo("user~");
        assertThat(masked(Privacy.HASH, Map.of("user", "alice@example.org"))).isEqualTo("user=***");
        assertThat(masked(Privacy.HASH, Map.of("ip", "192.0.2.7"))).isEqualTo("user~ip=***");
    }

    /** A20: nothing in a name or a value is ever evaluated. */
    @Test
    void a20ExpressionsAreText() {
        assertThat(key(List.of("user"), Map.of("user", "${jndi:ldap://x}#{T(java.lang.Runtime)}")))
                .isEqualTo("user=$!7bjndi:ldap://x!7d!23!7bT(java.lang.Runtime)!7d");
    }

    @Test
    void keysAreMadeByManyThreadsAtOnce() {
        List<By> by = List.of(By.attribute("u"));
        List<String> parallel = IntStream.range(0, 20_000)
                .parallel()
                .mapToObj(
                        i -> text(KEYS.key(by, AbsentPolicy.IP, Privacy.HASH, Attributes.of(Map.of("u", "" + i % 10)))))
                .distinct()
                .toList();

        assertThat(parallel).hasSize(10);
    }

    private static String masked(Privacy privacy, Map<String, String> request) {
        return KEYS.masked(List.of(By.attribute("user")), AbsentPolicy.IP, privacy, Attributes.of(request));
    }

    private static String key(List<String> by, Map<String, String> values) {
        return CallerKeys.key(by, Attributes.of(values));
    }

    private static String key(List<By> by, AbsentPolicy absent, Map<String, String> values) {
        return text(KEYS.key(by, absent, Privacy.PLAIN, Attributes.of(values)));
    }

    private static String text(CallerKey key) {
        return ((CallerKey.Of) key).text();
    }

    /** Returns names and values in turn, each value after its mark. */
    private static List<String> decoded(String key) {
        List<String> tuple = new ArrayList<>();
        for (String pair : key.split("&", -1)) {
            int mark = 0;
            while (pair.charAt(mark) != '=' && pair.charAt(mark) != '~') {
                mark++;
            }
            Collections.addAll(tuple, unescaped(pair.substring(0, mark)), unescaped(pair.substring(mark)));
        }
        return tuple;
    }

    private static String unescaped(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) != '!') {
                plain.append(text.charAt(i));
            } else if (text.charAt(i + 1) == 'u') {
                plain.append((char) Integer.parseInt(text, i + 2, i + 6, 16));
                i += 5;
            } else {
                plain.append((char) Integer.parseInt(text, i + 1, i + 3, 16));
                i += 2;
            }
        }
        return plain.toString();
    }
}
