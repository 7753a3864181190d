package io.sluice.center.edge;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose address counts. */
class ProxyValveTest {

    private final ProxyValve valve = new ProxyValve(List.of("10.0.0.0/8", "2001:db8::/32"));

    private Request seen(String peer, List<String> forwardedFor, String scheme) throws Exception {
        org.apache.coyote.Request raw = new org.apache.coyote.Request();
        raw.scheme().setString("http");
        for (String line : forwardedFor) {
            raw.getMimeHeaders().addValue("X-Forwarded-For").setString(line);
        }
        if (!scheme.isEmpty()) {
            raw.getMimeHeaders().addValue("X-Forwarded-Proto").setString(scheme);
        }
        Request request = new Request(new Connector(), raw);
        request.setRemoteAddr(peer);
        AtomicBoolean passed = new AtomicBoolean();
        valve.setNext(new ValveBase(true) {
            @Override
            public void invoke(Request next, Response response) {
                passed.set(true);
            }
        });
        valve.invoke(request, new Response(new org.apache.coyote.Response()));
        assertThat(passed).isTrue();
        return request;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.0.1    | 203.0.113.7                      | 203.0.113.7",
                "10.0.0.1    | 198.51.100.1, 203.0.113.7        | 203.0.113.7",
                "10.0.0.1    | 1.1.1.1, 203.0.113.7, 10.2.0.1   | 203.0.113.7",
                "2001:db8::1 | 203.0.113.7                      | 203.0.113.7",
                "10.0.0.1    | ::ffff:203.0.113.7               | 203.0.113.7",
                "10.0.0.1    | 10.0.0.9                         | 10.0.0.9",
                "10.0.0.1    | unknown                          | 10.0.0.1",
                "10.0.0.1    | 203.0.113.7, <script>            | 10.0.0.1",
                "10.0.0.1    | 203.0.113.7, garbage, 10.0.0.2   | 10.0.0.2",
                "10.0.0.1    | ''                               | 10.0.0.1",
            })
    void aTrustedProxyNamesTheCaller(String peer, String header, String expected) throws Exception {
        assertThat(seen(peer, List.of(header), "").getRemoteAddr()).isEqualTo(expected);
    }

    @Test
    void aHeaderFromElsewhereIsNeverBelieved() throws Exception {
        for (String peer : List.of("203.0.113.9", "11.0.0.1", "127.0.0.1", "2001:db9::1")) {
            Request request = seen(peer, List.of("198.51.100.1"), "https");
            assertThat(request.getRemoteAddr()).isEqualTo(peer);
            assertThat(request.isSecure()).isFalse();
            assertThat(request.getScheme()).isEqualTo("http");
        }
    }

    @Test
    void severalHeadersAreOneList() throws Exception {
        assertThat(seen("10.0.0.1", List.of("1.1.1.1", "203.0.113.7", "10.0.0.2"), "")
                        .getRemoteAddr())
                .isEqualTo("203.0.113.7");
        assertThat(seen("10.0.0.1", List.of("10.0.0.3,".repeat(5_000) + "10.0.0.3"), "")
                        .getRemoteAddr())
                .isEqualTo("10.0.0.3");
    }

    @Test
    void aTrustedProxyNamesTheScheme() throws Exception {
        assertThat(seen("10.0.0.1", List.of("203.0.113.7"), "https").isSecure()).isTrue();
        assertThat(seen("10.0.0.1", List.of("203.0.113.7"), "https").getScheme())
                .isEqualTo("https");
        assertThat(seen("10.0.0.1", List.of("203.0.113.7"), "http").isSecure()).isFalse();
    }
}
