package io.sluice.rules.pattern;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testkit.SeededRandom;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4",
        "0.0.0.0, 0.0.0.0",
        "255.255.255.255, 255.255.255.255",
        "001.002.003.004, 1.2.3.4",
        "010.1.1.1, 10.1.1.1",
        "::ffff:1.2.3.4, 1.2.3.4",
        "::FFFF:102:304, 1.2.3.4",
        "0:0:0:0:0:ffff:102:304, 1.2.3.4",
        "0000:0000:0000:0000:0000:ffff:0102:0304, 1.2.3.4",
        "::ffff:001.2.3.4, 1.2.3.4",
        "::ffff:1.2.3.4%eth0, 1.2.3.4",
        "::1.2.3.4, ::102:304",
        "::, ::",
        "::1, ::1",
        "1::, 1::",
        "0:0:0:0:0:0:0:0, ::",
        "2001:DB8::0001, 2001:db8::1",
        "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
        "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
        "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
        "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
        "64:ff9b::1.2.3.4, 64:ff9b::102:304",
        "fe80::1%eth0, fe80::1",
        "fe80::1%25eth0, fe80::1",
    })
    void everyAddressHasOneSpelling(String given, String expected) {
        assertThat(Address.parse(given).map(Address::toString)).contains(expected);
        assertThat(Address.parse(expected)).isEqualTo(Address.parse(given));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.256",
                "1.2.3.0004",
                "1.2.3.-4",
                "1.2.3.+4",
                "1.2.3.4.",
                ".1.2.3.4",
                "1..2.3",
                "1.2.3.4 ",
                " 1.2.3.4",
                "0x1.2.3.4",
                "16909060",
                "1.2.3.4:80",
                "1.2.3.4%eth0",
                "\u0661.2.3.4",
                "example.com",
                "localhost",
                "a:b",
                ":",
                ":::",
                ".:x",
                "::1::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1:2:3:4:5:6:7:1.2.3.4",
                "::1.2.3.4:5",
                "::1.2.3",
                "::12345",
                "::g",
                "::\uff11",
                "1:",
                ":1",
                "::1%",
                "%eth0",
                "[::1]",
                "::ffff:1.2.3.256",
                "::/0",
                "${jndi:ldap://x}",
                "::1\n",
            })
    void otherTextIsNotAnAddress(String given) {
        assertThat(Address.parse(given)).isEmpty();
    }

    @Test
    void longTextIsNoAddress() {
        assertThat(Address.parse("::1%" + "z".repeat(1_000_000))).isEmpty();
        assertThat(Address.parse("0".repeat(1_000_000) + "1.2.3.4")).isEmpty();
    }

    @Test
    void readsWhatItWritesAndAgreesWithTheJdk() throws UnknownHostException {
        SeededRandom random = SeededRandom.of("readsWhatItWritesAndAgreesWithTheJdk");
        for (int i = 0; i < 50_000; i++) {
            byte[] bytes = new byte[random.nextInt(4) == 0 ? 4 : 16];
            random.nextBytes(bytes);
            for (int j = 0; j < bytes.length; j++) {
                bytes[j] = random.nextInt(3) > 0 ? 0 : bytes[j];
            }
            Address address = Address.of(bytes);
            assertThat(Address.parse(address.toString())).contains(address);
            assertThat(address.bytes())
                    .isEqualTo(InetAddress.getByAddress(bytes).getAddress())
                    .isEqualTo(InetAddress.getByName(address.toString()).getAddress());
        }
    }

    @Test
    void neverThrowsOnAnyText() {
        SeededRandom random = SeededRandom.of("neverThrowsOnAnyText");
        for (int i = 0; i < 200_000; i++) {
            String text = random.text("0123456789afF:.%g ::::....", 20);
            Address.parse(text)
                    .ifPresent(a -> assertThat(Address.parse(a.toString())).contains(a));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 64, 1.2.3.4",
        "2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64",
        "2001:db8:1:2:3:4:5:6, 48, 2001:db8:1::/48",
        "2001:db8:1:2:3:4:5:6, 57, 2001:db8:1::/57",
        "2001:db8:1:2:3:4:5:6, 128, 2001:db8:1:2:3:4:5:6",
    })
    void ipv6CountsByItsNetwork(String given, int prefix, String expected) {
        assertThat(Address.parse(given).map(a -> a.counted(prefix))).contains(expected);
    }

    @Test
    void isMadeOfFourOrSixteenBytes() {
        assertThatThrownBy(() -> Address.of(new byte[5])).hasMessage("address: 5 bytes (expected: 4 or 16)");
    }

    @Test
    void cannotBeChangedThroughItsBytes() {
        byte[] given = {1, 2, 3, 4};
        Address address = Address.of(given);
        given[0] = 9;
        address.bytes()[0] = 9;

        assertThat(address).hasToString("1.2.3.4");
    }
}
