package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.SeededRandom;
import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8",
        "10.1.2.3, 10.1.2.3/32",
        "0.0.0.0/0, 0.0.0.0/0",
        "::/0, ::/0",
        "2001:DB8::/32, 2001:db8::/32",
        "::1, ::1/128",
        "::ffff:10.0.0.0/104, 10.0.0.0/8",
        "::ffff:0:0/96, 0.0.0.0/0",
        "::ffff:1.2.3.4, 1.2.3.4/32",
    })
    void readsNetworks(String given, String expected) {
        assertThat(Network.parse(given)).hasToString(expected).isEqualTo(Network.parse(expected));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.0/33 | network: 10.0.0.0/33 (expected: a prefix length of 0..32)",
                "10.0.0.0/ | network: 10.0.0.0/ (expected: a prefix length of 0..32)",
                "10.0.0.0/-1 | network: 10.0.0.0/-1 (expected: a prefix length of 0..32)",
                "10.0.0.0/08 | network: 10.0.0.0/08 (expected: a prefix length of 0..32)",
                "10.0.0.0/8/8 | network: 10.0.0.0/8/8 (expected: a prefix length of 0..32)",
                "10.0.0.0/99999999999 | network: 10.0.0.0/99999999999 (expected: a prefix length of 0..32)",
                "::/129 | network: ::/129 (expected: a prefix length of 0..128)",
                "::ffff:10.0.0.0/8 | network: ::ffff:10.0.0.0/8 (expected: a prefix length of 96..128)",
                "10.1.2.3/8 | network: 10.1.2.3/8 (expected: 10.0.0.0/8, or 10.1.2.3 alone)",
                "010.0.0.0/8 | network: 010.0.0.0/8 (expected: 10.0.0.0/8)",
                "fe80::1%eth0 | network: fe80::1%eth0 (expected: fe80::1)",
                "office | network: office (expected: an address, or a network such as 10.0.0.0/8 or 2001:db8::/32)",
                "/8 | network: /8 (expected: an address, or a network such as 10.0.0.0/8 or 2001:db8::/32)",
                "10.0.0.0/255.0.0.0 | network: 10.0.0.0/255.0.0.0 (expected: a prefix length of 0..32)",
            })
    void saysWhatToWriteInstead(String given, String message) {
        assertThatThrownBy(() -> Network.parse(given))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "10.0.0.0/8, ::ffff:10.1.1.1, true",
        "10.0.0.0/8, ::10.1.1.1, false",
        "203.0.113.9, 203.0.113.9, true",
        "203.0.113.9, 203.0.113.8, false",
        "172.16.0.0/12, 172.31.255.255, true",
        "172.16.0.0/12, 172.32.0.0, false",
        "0.0.0.0/0, 255.1.2.3, true",
        "0.0.0.0/0, ::1, false",
        "::/0, 1.2.3.4, false",
        "::/0, ffff::, true",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
    })
    void holdsItsAddressesAlone(String network, String address, boolean expected) {
        Address parsed = Address.parse(address).orElseThrow();

        assertThat(Network.parse(network).contains(parsed)).isEqualTo(expected);
        assertThat(Network.parse(network).contains(parsed.bytes())).isEqualTo(expected);
    }

    @Test
    void agreesWithArithmetic() {
        SeededRandom random = SeededRandom.of("agreesWithArithmetic");
        for (int i = 0; i < 50_000; i++) {
            byte[] one = new byte[random.nextBoolean() ? 4 : 16];
            random.nextBytes(one);
            byte[] other = one.clone();
            other[random.nextInt(other.length)] ^= (byte) (1 << random.nextInt(8));
            int prefix = random.nextInt(one.length * 8 + 1);
            int shift = one.length * 8 - prefix;
            boolean same = new BigInteger(1, one).shiftRight(shift).equals(new BigInteger(1, other).shiftRight(shift));

            assertThat(Network.of(Address.of(one), prefix).contains(other)).isEqualTo(same);
        }
    }
}
