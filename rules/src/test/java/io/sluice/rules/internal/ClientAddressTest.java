package io.sluice.rules.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4",
        "' 1.2.3.4 ', 1.2.3.4",
        "001.002.003.004, 1.2.3.4",
        "::ffff:1.2.3.4, 1.2.3.4",
        "::FFFF:102:304, 1.2.3.4",
        "::1, 0:0:0:0:0:0:0:1",
        "2001:DB8::0001, 2001:db8:0:0:0:0:0:1",
        "fe80::1%eth0, fe80:0:0:0:0:0:0:1",
        "1.2.3.256, 1.2.3.256",
        "1.2.3, 1.2.3",
        "example.com, example.com",
        "a:b, a:b",
        ".:x, .:x",
        ":::, :::"
    })
    void everyAddressHasOneSpelling(String given, String expected) {
        assertThat(ClientAddress.normalised(given)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "1.2.3.4, 1.2.3.4",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:0:0:0:0/64",
        "2001:db8:1:2::9, 2001:db8:1:2:0:0:0:0/64",
        "garbage, garbage",
        "a:b, a:b"
    })
    void ipv6CountsByItsNetwork(String given, String expected) {
        assertThat(ClientAddress.counted(ClientAddress.normalised(given))).isEqualTo(expected);
    }
}
