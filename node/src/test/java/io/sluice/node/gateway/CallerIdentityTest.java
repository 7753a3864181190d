package io.sluice.node.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.http.request.CallerAddress;
import io.sluice.http.request.ForwardingHeader;
import io.sluice.http.request.TrustedProxies;
import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.sluice.rules.pattern.Network;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who a request belongs to, whatever its headers say. */
class CallerIdentityTest {

    private static final String BY_IP = "rules: [{ id: r, limits: [{ by: ip, limit: 3, window: 1h }] }]";

    private static GatewayUnderTest direct() throws Exception {
        return new GatewayUnderTest().rules(BY_IP).start();
    }

    private static GatewayUnderTest behind(ForwardingHeader... headers) throws Exception {
        return new GatewayUnderTest()
                .rules(BY_IP)
                .caller(new CallerAddress(
                        new TrustedProxies.Within(List.of(Network.parse("127.0.0.0/8"))), List.of(headers)))
                .start();
    }

    private static int admitted(GatewayUnderTest gateway, List<String[]> requests) throws Exception {
        int admitted = 0;
        for (String[] headers : requests) {
            admitted += gateway.get("/a", headers).status() == 200 ? 1 : 0;
        }
        return admitted;
    }

    @Test
    void a1RandomForwardedForOnADirectConnectionIsIgnored() throws Exception {
        try (GatewayUnderTest gateway = direct()) {
            assertThat(admitted(
                            gateway,
                            List.of(
                                    new String[] {"X-Forwarded-For: 1.1.1.1"},
                                    new String[] {"X-Forwarded-For: 1.1.1.2"},
                                    new String[] {"Forwarded: for=1.1.1.3"},
                                    new String[] {"X-Real-IP: 1.1.1.4"},
                                    new String[] {"X_Forwarded_For: 1.1.1.5"},
                                    new String[] {"Connection: X-Forwarded-For", "X-Forwarded-For: 1.1.1.6"})))
                    .isEqualTo(3);
        }
    }

    @Test
    void a2BehindATrustedProxyTheRightmostUntrustedAddressCounts() throws Exception {
        try (GatewayUnderTest gateway = behind(ForwardingHeader.X_FORWARDED_FOR)) {
            for (int i = 0; i < 5; i++) {
                RepliesClient.Reply reply = gateway.get("/a", "X-Forwarded-For: 9.9.9." + i + ", 203.0.113.7");
                assertThat(reply.status()).isEqualTo(i < 3 ? 200 : 429);
            }
            RepliesClient.Reply other = gateway.get("/a", "X-Forwarded-For: 203.0.113.7, 203.0.113.8");
            assertThat(other.told("caller")).isEqualTo("203.0.113.8");
            assertThat(other.told("trusted")).isEqualTo("true");
        }
    }

    @Test
    void a3ForwardedIsReadAsItsStandardRequiresOrThePeerCounts() throws Exception {
        try (GatewayUnderTest gateway = behind(ForwardingHeader.FORWARDED)) {
            assertThat(gateway.get("/a", "Forwarded: for=\"[2001:db8::7]:443\"").told("caller"))
                    .isEqualTo("2001:db8::7");
            for (String value : List.of("for=unknown", "for=_hidden")) {
                assertThat(gateway.get("/a", "Forwarded: " + value).told("caller"))
                        .as(value)
                        .isEqualTo("127.0.0.1");
            }
            assertThat(gateway.get("/a", "Forwarded: for=\"192.0.2.1").told("caller"))
                    .isEqualTo("127.0.0.1");
            assertThat(gateway.get("/a", "Forwarded: for=1.2.3.4;for=4.3.2.1").status())
                    .isEqualTo(429);
        }
    }

    @Test
    void a4ManyHopsAndDuplicateHeadersDoNotChangeTheCaller() throws Exception {
        try (GatewayUnderTest gateway = behind(ForwardingHeader.X_FORWARDED_FOR)) {
            String hops = "10.0.0.1, ".repeat(1_000) + "203.0.113.7";
            assertThat(gateway.get("/a", "X-Forwarded-For: " + hops).told("caller"))
                    .isEqualTo("203.0.113.7");
            assertThat(gateway.get(
                                    "/a",
                                    "X-Forwarded-For: 8.8.8.8",
                                    "X-Forwarded-For: 203.0.113.7",
                                    "X_Forwarded_For: 7.7.7.7")
                            .told("caller"))
                    .isEqualTo("203.0.113.7");
            assertThat(gateway.get("/a", "Connection: X-Forwarded-For", "X-Forwarded-For: 203.0.113.7")
                            .told("caller"))
                    .isEqualTo("203.0.113.7");
            assertThat(gateway.get("/a", "X-Forwarded-For: 203.0.113.7").status())
                    .isEqualTo(429);
        }
    }

    @Test
    void a5AddressesOfOneNetworkAreOneCaller() throws Exception {
        try (GatewayUnderTest gateway = behind(ForwardingHeader.X_FORWARDED_FOR)) {
            int admitted = 0;
            for (int i = 1; i <= 20; i++) {
                admitted +=
                        gateway.get("/a", "X-Forwarded-For: 2001:db8:1:2::" + i).status() == 200 ? 1 : 0;
            }
            assertThat(admitted).isEqualTo(3);
            assertThat(gateway.get("/a", "X-Forwarded-For: 2001:db8:1:3::1").status())
                    .isEqualTo(200);
        }
    }

    @Test
    void a6SpellingsOfAnAddressAreOneCallerAndOtherAddressesAreNot() throws Exception {
        try (GatewayUnderTest gateway = behind(ForwardingHeader.X_FORWARDED_FOR)) {
            int admitted = 0;
            for (String spelling : List.of(
                    "1.2.3.4",
                    "::ffff:1.2.3.4",
                    "::ffff:102:304",
                    "001.002.003.004",
                    "[::ffff:1.2.3.4]:80",
                    "1.2.3.4:99")) {
                admitted += gateway.get("/a", "X-Forwarded-For: " + spelling).status() == 200 ? 1 : 0;
            }
            assertThat(admitted).isEqualTo(3);
            assertThat(gateway.get("/a", "X-Forwarded-For: 1.2.3.5").status()).isEqualTo(200);
        }
    }
}
