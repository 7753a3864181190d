package io.sluice.http.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Network;
import io.sluice.testkit.Proportion;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallerAddressTest {

    private static final String PROXY = "10.0.0.1";
    private static final TrustedProxies OURS =
            new TrustedProxies.Within(List.of(Network.parse("10.0.0.0/8"), Network.parse("fd00::/8")));
    private static final CallerAddress XFF = new CallerAddress(OURS, List.of(ForwardingHeader.X_FORWARDED_FOR));
    private static final CallerAddress FORWARDED = new CallerAddress(OURS, List.of(ForwardingHeader.FORWARDED));

    @Test
    void trustsNobodyByDefault() {
        assertThat(xff(CallerAddress.ofPeer(), "203.0.113.7", "1.2.3.4")).isEqualTo("203.0.113.7");
        assertThat(xff(CallerAddress.ofPeer(), PROXY, "1.2.3.4")).isEqualTo(PROXY);
    }

    @Test
    void a1AHeaderOnADirectConnectionIsIgnored() {
        SeededRandom random = SeededRandom.of("a1AHeaderOnADirectConnectionIsIgnored");
        for (int i = 0; i < 1_000; i++) {
            String forged = random.nextInt(256) + "." + random.nextInt(256) + ".1.1";
            assertThat(xff(XFF, "203.0.113.7", forged)).isEqualTo("203.0.113.7");
            assertThat(xff(XFF, "203.0.113.7", "10.0.0.1, " + forged)).isEqualTo("203.0.113.7");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "198.51.100.9",
                "1.2.3.4, 198.51.100.9",
                "1.2.3.4,198.51.100.9",
                "1.2.3.4 ,\t198.51.100.9 ",
                "10.0.0.9, 198.51.100.9",
                "garbage, 198.51.100.9",
                "\", 198.51.100.9",
                "198.51.100.9, 10.0.0.7",
                "1.1.1.1, 198.51.100.9, 10.0.0.7, 10.9.9.9",
                "1.1.1.1, 198.51.100.9, fd00::1, 10.9.9.9:443",
                ",,198.51.100.9,,",
                "198.51.100.9:1234",
                "::ffff:198.51.100.9",
                "[::ffff:c633:6409]:80",
                "198.51.100.009",
            })
    void a2TheRightmostUntrustedAddressCounts(String header) {
        assertThat(xff(XFF, PROXY, header)).isEqualTo("198.51.100.9");
    }

    @Test
    void a2WithACountOfProxiesTheAddressThatTheOutermostSawCounts() {
        List<ForwardingHeader> headers = List.of(ForwardingHeader.X_FORWARDED_FOR);
        CallerAddress one = new CallerAddress(new TrustedProxies.Nearest(1), headers);
        CallerAddress two = new CallerAddress(new TrustedProxies.Nearest(2), headers);

        assertThat(xff(one, PROXY, "6.6.6.6, 198.51.100.9")).isEqualTo("198.51.100.9");
        assertThat(xff(two, PROXY, "6.6.6.6, 198.51.100.9, 192.0.2.1")).isEqualTo("198.51.100.9");
        assertThat(xff(two, PROXY, "198.51.100.9")).isEqualTo("198.51.100.9");
        assertThat(xff(two, PROXY, "6.6.6.6, garbage, 192.0.2.1")).isEqualTo(PROXY);
        assertThat(xff(two, PROXY)).isEqualTo(PROXY);
    }

    @Test
    void whenAllHopsAreTrustedTheFirstIsTheCaller() {
        assertThat(xff(XFF, PROXY, "10.0.0.5, 10.0.0.6")).isEqualTo("10.0.0.5");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "unknown",
                "_hidden",
                "example.com",
                "1.2.3.4, localhost",
                "1.2.3.4, 5.6.7",
                "1.2.3.4, 5.6.7.8.9",
                "1.2.3.4, 5.6.7.8:",
                "1.2.3.4, 5.6.7.8:x",
                "1.2.3.4, 5.6.7.8:123456",
                "1.2.3.4, [5.6.7.8]",
                "1.2.3.4, [::1",
                "1.2.3.4, [::1]x",
                "1.2.3.4, ::1]",
                "1.2.3.4, \"5.6.7.8\"",
                "1.2.3.4, ${jndi:ldap://x}",
                "1.2.3.4, 5.6.7.8\u0000",
                "1.2.3.4; 5.6.7.8",
                "1.2.3.4, 0x5.6.7.8",
            })
    void garbageFallsBackToThePeer(String header) {
        assertThat(xff(XFF, PROXY, header)).isEqualTo(PROXY);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "for=198.51.100.9 | 198.51.100.9",
                "For=198.51.100.9 | 198.51.100.9",
                "for=\"198.51.100.9\" | 198.51.100.9",
                "for=\"198.51.100.9:4711\" | 198.51.100.9",
                "for=\"198.51.100.9:_port\" | 198.51.100.9",
                "for=\"[2001:db8:cafe::17]\" | 2001:db8:cafe::17",
                "for=\"[2001:DB8:cafe::17]:4711\" | 2001:db8:cafe::17",
                "for=\"198.51\\.100.9\" | 198.51.100.9",
                "for=192.0.2.60;proto=http;by=203.0.113.43 | 192.0.2.60",
                "proto=http; for=192.0.2.60; host=\"a,b;for=6.6.6.6\" | 192.0.2.60",
                "for=6.6.6.6, for=198.51.100.9 | 198.51.100.9",
                "for=6.6.6.6,for=198.51.100.9;by=_x,for=10.0.0.3 | 198.51.100.9",
                "for=_hidden, for=198.51.100.9 | 198.51.100.9",
                ",for=198.51.100.9, | 198.51.100.9",
                "for=unknown | 10.0.0.1",
                "for=_hidden | 10.0.0.1",
                "for=\"_SEVKISEK\" | 10.0.0.1",
                "for=\"unknown:80\" | 10.0.0.1",
                "for=198.51.100.9, for=unknown | 10.0.0.1",
                "for=198.51.100.9, proto=https | 10.0.0.1",
                "for=198.51.100.9;for=6.6.6.6 | 10.0.0.1",
                "for=198.51.100.9:80 | 10.0.0.1",
                "for=[2001:db8::1] | 10.0.0.1",
                "for=\"2001:db8::1\" | 10.0.0.1",
                "for=\"[198.51.100.9]\" | 10.0.0.1",
                "for=\"198.51.100.9 | 10.0.0.1",
                "for=\"6.6.6.6, for=198.51.100.9 | 10.0.0.1",
                "for=6.6.6.6;by=\", for=\"[2001:db8::1]\" | 10.0.0.1",
                "for=\"198.51.100.9\\ | 10.0.0.1",
                "for=\"198.51.100.9\"x | 10.0.0.1",
                "for= | 10.0.0.1",
                "for | 10.0.0.1",
                "=198.51.100.9 | 10.0.0.1",
                "for = 198.51.100.9 | 10.0.0.1",
                "198.51.100.9 | 10.0.0.1",
                "for=\"\" | 10.0.0.1",
                "; | 10.0.0.1",
            })
    void a3ForwardedIsReadByItsRfcOrNotAtAll(String header, String expected) {
        assertThat(caller(FORWARDED, PROXY, Map.of("forwarded", List.of(header))))
                .isEqualTo(expected);
    }

    @Test
    void a3HeadersThatDisagreeSayNothing() {
        CallerAddress both = new CallerAddress(
                OURS,
                List.of(ForwardingHeader.X_FORWARDED_FOR, ForwardingHeader.FORWARDED, ForwardingHeader.X_REAL_IP));

        assertThat(caller(
                        both,
                        PROXY,
                        Map.of("x-forwarded-for", List.of("198.51.100.9"), "forwarded", List.of("for=6.6.6.6"))))
                .isEqualTo(PROXY);
        assertThat(caller(
                        both,
                        PROXY,
                        Map.of(
                                "x-forwarded-for",
                                List.of("198.51.100.9"),
                                "x-real-ip",
                                List.of("::ffff:198.51.100.9"))))
                .isEqualTo("198.51.100.9");
        assertThat(caller(both, PROXY, Map.of("x-real-ip", List.of("198.51.100.9"))))
                .isEqualTo("198.51.100.9");
        assertThat(caller(both, PROXY, Map.of("x-real-ip", List.of("198.51.100.9", "198.51.100.9"))))
                .isEqualTo(PROXY);
        assertThat(caller(both, PROXY, Map.of("x-real-ip", List.of("198.51.100.9, 6.6.6.6"))))
                .isEqualTo(PROXY);
    }

    @Test
    void a4HeadersThatAreNotConfiguredAreNotEvenAskedFor() {
        List<String> asked = new ArrayList<>();
        XFF.of(address(PROXY), name -> {
            asked.add(name);
            return List.of();
        });
        CallerAddress.ofPeer().of(address(PROXY), name -> {
            asked.add("never");
            return List.of();
        });

        assertThat(asked).containsExactly("x-forwarded-for");
    }

    @Test
    void a4OtherSpellingsOfTheNameChangeNothing() {
        Map<String, List<String>> headers = Map.of(
                "x_forwarded_for", List.of("6.6.6.6"),
                "x-forwarded-for ", List.of("6.6.6.6"),
                "x-forwarded", List.of("6.6.6.6"),
                "connection", List.of("X-Forwarded-For"),
                "x-forwarded-for", List.of("198.51.100.9"));

        assertThat(caller(XFF, PROXY, headers)).isEqualTo("198.51.100.9");
    }

    @Test
    void a4LinesAreReadAsOneListInTheirOrder() {
        assertThat(xff(XFF, PROXY, "6.6.6.6", "198.51.100.9")).isEqualTo("198.51.100.9");
        assertThat(xff(XFF, PROXY, "198.51.100.9", "10.0.0.3, 10.0.0.4", "")).isEqualTo("198.51.100.9");
        assertThat(xff(XFF, PROXY, "198.51.100.9, 10.0.0.2", "garbage")).isEqualTo(PROXY);
        assertThat(caller(FORWARDED, PROXY, Map.of("forwarded", List.of("for=6.6.6.6", "for=198.51.100.9"))))
                .isEqualTo("198.51.100.9");
        assertThat(caller(FORWARDED, PROXY, Map.of("forwarded", List.of("for=\"6.6.6.6", "for=198.51.100.9"))))
                .isEqualTo(PROXY);
    }

    @Test
    void a4AThousandHopsAreNoTrouble() {
        String trusted = "10.0.0.2, ".repeat(1_000);
        assertThat(xff(XFF, PROXY, "6.6.6.6, ".repeat(1_000) + "198.51.100.9")).isEqualTo("198.51.100.9");
        assertThat(xff(XFF, PROXY, "198.51.100.9, " + trusted)).isEqualTo("198.51.100.9");
        assertThat(caller(
                        FORWARDED,
                        PROXY,
                        Map.of("forwarded", List.of("for=6.6.6.6, ".repeat(1_000) + "for=198.51.100.9"))))
                .isEqualTo("198.51.100.9");
    }

    @ParameterizedTest
    @ValueSource(strings = {",", "a", "10.0.0.1,", "\"", ";"})
    void a4AMegabyteOfHeaderTakesTimeInProportionToItsLength(String part) {
        Proportion.require(
                part + " in x-forwarded-for",
                1_000_000,
                length -> part.repeat(length / part.length()),
                header -> assertThat(xff(XFF, PROXY, header)).isEqualTo(PROXY));
        Proportion.require(
                part + " in forwarded",
                1_000_000,
                length -> Map.of("forwarded", List.of(part.repeat(length / part.length()))),
                headers -> assertThat(caller(FORWARDED, PROXY, headers)).isEqualTo(PROXY));
    }

    @Test
    void a5AddressesOfOneNetworkAreOneCaller() {
        SeededRandom random = SeededRandom.of("a5AddressesOfOneNetworkAreOneCaller");
        Set<String> counted = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            String address = "2001:db8:1:2:" + Integer.toHexString(random.nextInt(0x10000)) + "::" + i % 7;
            counted.add(address(xff(XFF, PROXY, address)).counted(64));
        }

        assertThat(counted).containsExactly("2001:db8:1:2::/64");
    }

    @Test
    void a6SpellingsOfOneAddressAreOneCaller() {
        for (String spelling : List.of(
                "1.2.3.4",
                "::ffff:1.2.3.4",
                "::ffff:102:304",
                "::FFFF:0102:0304%eth0",
                "001.002.003.004",
                "1.2.3.4:80")) {
            assertThat(xff(XFF, PROXY, spelling)).isEqualTo("1.2.3.4");
        }
    }

    @Test
    void a6DifferentIpv4CallersAreNeverOne() {
        assertThat(address("::ffff:1.2.3.4").counted(64))
                .isNotEqualTo(address("::ffff:1.2.3.5").counted(64));
    }

    @Test
    void aPeerWithoutAnAddressIsTrustedByCountAlone() {
        List<ForwardingHeader> headers = List.of(ForwardingHeader.X_FORWARDED_FOR);
        CallerAddress counting = new CallerAddress(new TrustedProxies.Nearest(1), headers);

        assertThat(counting.of(null, name -> List.of("198.51.100.9"))).contains(address("198.51.100.9"));
        assertThat(counting.of(null, name -> List.of("garbage"))).isEmpty();
        assertThat(XFF.of(null, name -> List.of("198.51.100.9"))).isEmpty();
    }

    @Test
    void invalidConfigurationIsRefused() {
        assertThatThrownBy(() -> new TrustedProxies.Nearest(0))
                .hasMessage("trusted_proxies: 0 (expected: 1..100, or networks)");
        assertThatThrownBy(() -> ForwardingHeader.named("X_Forwarded_For"))
                .hasMessage("headers: X_Forwarded_For (expected: x-forwarded-for, forwarded or x-real-ip)");
        assertThat(ForwardingHeader.named("X-Forwarded-For")).isEqualTo(ForwardingHeader.X_FORWARDED_FOR);
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4",
        "' 1.2.3.4 ', 1.2.3.4",
        "1.2.3.4:80, 1.2.3.4",
        "[2001:DB8::1]:80, 2001:db8::1",
        "2001:DB8::0001, 2001:db8::1",
        "'', unknown",
        "garbage, unknown",
        "unix:, unknown",
        "${jndi:ldap://x}, unknown",
    })
    void theAttributeIsAnAddressOrUnknown(String given, String expected) {
        Attributes attributes = Attributes.of(Map.of("ip", given));

        assertThat(attributes.get("ip")).isEqualTo(expected);
        assertThat(attributes.address() == null).isEqualTo(expected.equals("unknown"));
    }

    @Test
    void neverThrowsAndNeverGivesAnythingButAnAddress() {
        SeededRandom random = SeededRandom.of("neverThrowsAndNeverGivesAnythingButAnAddress");
        CallerAddress all = new CallerAddress(OURS, List.of(ForwardingHeader.values()));
        for (int i = 0; i < 100_000; i++) {
            String text = random.text("for=\"\\;,.:[]_10.0.2.1 f::", 24);
            assertThat(all.of(address(PROXY), name -> List.of(text))).isPresent();
        }
    }

    private static String xff(CallerAddress callers, String peer, String... lines) {
        return caller(callers, peer, Map.of("x-forwarded-for", List.of(lines)));
    }

    private static String caller(CallerAddress callers, String peer, Map<String, List<String>> headers) {
        return callers.of(address(peer), name -> {
                    assertThat(name).isEqualTo(name.toLowerCase(Locale.ROOT));
                    return headers.getOrDefault(name, List.of());
                })
                .orElseThrow()
                .toString();
    }

    private static Address address(String text) {
        return Address.parse(text).orElseThrow();
    }
}
