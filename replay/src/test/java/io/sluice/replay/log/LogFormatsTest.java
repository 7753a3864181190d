package io.sluice.replay.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each format, with lines of the shape that servers write. */
final class LogFormatsTest {

    private static final String COMBINED =
            "203.0.113.7 - alice [17/Nov/2026:22:41:33 +0100] \"GET /api/orders/7?page=2&q=a%20b HTTP/1.1\" 200 512"
                    + " \"https://shop.example/\" \"Mozilla/5.0 (X11; Linux) \\\"quoted\\\"\"";

    private static final String ALB =
            "https 2026-11-17T22:41:34.186641Z app/shop/50dc6c495c0c9188 198.51.100.23:2817 10.0.0.1:80"
                    + " 0.000 0.250 0.001 200 200 34 366 \"GET https://shop.example:443/api/login?x=1 HTTP/2.0\" \"curl/7.46.0\""
                    + " ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:eu-central-1:123:targetgroup/t/1"
                    + " \"Root=1-58337281-1d84f3d73c47ec4e58577259\" \"shop.example\" \"arn:aws:acm:eu-central-1:123:certificate/1\" 1"
                    + " 2026-11-17T22:41:33.935000Z \"authenticate,forward\" \"-\" \"-\"";

    private static final String ENVOY =
            "[2026-11-17T22:41:33.123Z] \"POST /api/login HTTP/2\" 429 RL 12 0 5 - \"192.0.2.1,203.0.113.9\""
                    + " \"okhttp/4\" \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"shop.example\" \"-\"";

    private static final String ENVOY_JSON =
            "{\"start_time\":\"2026-11-17T22:41:33.123Z\",\"method\":\"GET\",\"path\":\"/a?b=1\","
                    + "\"protocol\":\"HTTP/1.1\",\"response_code\":200,\"response_flags\":\"-\",\"duration\":15,"
                    + "\"authority\":\"Shop.Example:8443\",\"downstream_remote_address\":\"203.0.113.7:49152\",\"user_agent\":\"x\\u00e9\"}";

    @Test
    void readsCombined() {
        ReadLog log = ReadLog.of(COMBINED, "user", "query.page", "query.q", "header.user-agent");
        assertThat(log.formats()).containsEntry("log0", "combined");
        assertThat(log.only().atMicros()).isEqualTo(micros("2026-11-17T21:41:33Z"));
        assertThat(log.only().status()).isEqualTo(200);
        assertThat(log.only().durationMicros()).isEqualTo(LoggedRequest.UNKNOWN);
        assertThat(log.only("ip")).isEqualTo("203.0.113.7");
        assertThat(log.only("method")).isEqualTo("GET");
        assertThat(log.only("path")).isEqualTo("/api/orders/7");
        assertThat(log.only("user")).isEqualTo("alice");
        assertThat(log.only("query.page")).isEqualTo("2");
        assertThat(log.only("query.q")).isEqualTo("a b");
        assertThat(log.only("header.user-agent")).isEqualTo("Mozilla/5.0 (X11; Linux) \"quoted\"");
    }

    @Test
    void readsCommonWithIpv6() {
        ReadLog log = ReadLog.of("2001:DB8::7 - - [17/Nov/2026:22:41:33 +0000] \"HEAD / HTTP/1.0\" 304 -", "user");
        assertThat(log.formats()).containsEntry("log0", "common");
        assertThat(log.only("ip")).isEqualTo("2001:db8::7");
        assertThat(log.only("user")).isNull();
        assertThat(log.missing()).containsExactly("user");
    }

    @Test
    void readsALogFormatOfNginx() {
        ReadLog log = ReadLog.of(
                "$msec|$remote_addr|$host|$request_method $request_uri|${http_x_tenant}|$request_time|\"$http_cookie\"",
                Map.of("tenant", "$http_x_tenant"),
                Set.of("tenant", "header.host"),
                "1794955293.500|203.0.113.7|Shop.Example|POST /pay;v=1|acme|0.250|\"a\\x22b\"\n");
        // nginx writes the line when the request ends.
        assertThat(log.only().atMicros()).isEqualTo(1_794_955_293_250_000L);
        assertThat(log.only().durationMicros()).isEqualTo(250_000);
        assertThat(log.only("header.host")).isEqualTo("shop.example");
        assertThat(log.only("path")).isEqualTo("/pay");
        assertThat(log.only("tenant")).isEqualTo("acme");
    }

    @Test
    void readsAlb() {
        ReadLog log = ReadLog.of(ALB, "header.host");
        assertThat(log.formats()).containsEntry("log0", "alb");
        assertThat(log.only().atMicros()).isEqualTo(micros("2026-11-17T22:41:33.935Z"));
        assertThat(log.only().durationMicros()).isEqualTo(251_000);
        assertThat(log.only("ip")).isEqualTo("198.51.100.23");
        assertThat(log.only("path")).isEqualTo("/api/login");
        assertThat(log.only("header.host")).isEqualTo("shop.example");
    }

    @Test
    void readsAlbOfALoadBalancerWithoutTargets() {
        String line = ALB.replace("0.000 0.250 0.001 200 200", "-1 -1 -1 503 -").replace("\"shop.example\"", "\"-\"");
        ReadLog log = ReadLog.of(line, "header.host");
        assertThat(log.only().durationMicros()).isEqualTo(LoggedRequest.UNKNOWN);
        assertThat(log.only().status()).isEqualTo(503);
        assertThat(log.only("header.host")).isEqualTo("shop.example");
    }

    @Test
    void readsTheDefaultFormatOfEnvoy() {
        ReadLog log = ReadLog.of(ENVOY, "header.host", "header.x-request-id");
        assertThat(log.formats()).containsEntry("log0", "envoy");
        assertThat(log.only().durationMicros()).isEqualTo(5_000);
        assertThat(log.only().status()).isEqualTo(429);
        // The last address is the one that Envoy itself saw.
        assertThat(log.only("ip")).isEqualTo("203.0.113.9");
        assertThat(log.only("header.host")).isEqualTo("shop.example");
        assertThat(log.only("header.x-request-id")).startsWith("cc21d9b0");
    }

    @Test
    void readsJsonOfEnvoy() {
        ReadLog log = ReadLog.of(ENVOY_JSON, "header.host", "header.user-agent");
        assertThat(log.formats()).containsEntry("log0", "envoy-json");
        assertThat(log.only("ip")).isEqualTo("203.0.113.7");
        assertThat(log.only("path")).isEqualTo("/a");
        assertThat(log.only("header.host")).isEqualTo("shop.example");
        assertThat(log.only("header.user-agent")).isEqualTo("xé");
        assertThat(log.only().durationMicros()).isEqualTo(15_000);
    }

    @Test
    void readsJsonWithAMapping() {
        ReadLog log = ReadLog.of(
                "jsonl",
                Map.of("path", "$.request.path", "ip", "client.address", "time", "when.ms", "user", "who"),
                Set.of("user", "plan"),
                "{\"when\":{\"ms\":1794955293123},\"request\":{\"path\":\"/a\\/b\",\"skipped\":[1,{\"path\":\"/no\"}]},"
                        + " \"client\" : {\"address\": \"203.0.113.7\"}, \"who\": 17, \"plan\": null, \"path\": \"/not/this\"}");
        assertThat(log.only().atMicros()).isEqualTo(1_794_955_293_123_000L);
        assertThat(log.only("path")).isEqualTo("/a/b");
        assertThat(log.only("ip")).isEqualTo("203.0.113.7");
        assertThat(log.only("user")).isEqualTo("17");
        assertThat(log.only("plan")).isNull();
    }

    @Test
    void readsCsvWithQuotesAndAnotherSeparator() {
        ReadLog log = ReadLog.of("""
                time;client_ip;method;path;tenant;ignored
                2026-11-17 22:41:33;203.0.113.7;GET;"/a;b";"ac""me";
                2026-11-17 22:41:34;203.0.113.8;GET
                """, "tenant");
        assertThat(log.formats()).containsEntry("log0", "csv");
        assertThat(log.only("path")).isEqualTo("/a");
        assertThat(log.only("tenant")).isEqualTo("ac\"me");
        assertThat(log.problems().firstUnreadable())
                .containsExactly("log0:3:36: 3 columns (expected: 6, as in the first line)");
    }

    @Test
    void readsTheDecisionLog() {
        String line =
                "{\"timestamp\":\"2027-01-02T03:04:05.678Z\",\"request_id\":\"req-1\",\"service\":\"user-service\","
                        + "\"resource\":\"/api/login\",\"method\":\"POST\",\"dimensions\":{\"ip\":\"203.0.113.*\",\"user\":\"u****86\"},"
                        + "\"hashes\":{\"ip\":\"9Vdx\",\"user\":\"x1Kx\",\"header.x-phone\":\"p0\"},\"rule_id\":\"login\","
                        + "\"decision\":\"rejected\",\"permits\":3,\"mode\":\"local\",\"rule_version\":7}";
        ReadLog log = ReadLog.of(line + "\n" + line.replace("9Vdx", "other"), "user", "service", "header.x-phone");
        assertThat(log.formats()).containsEntry("log0", "sluice");
        LoggedRequest first = log.requests().get(0);
        assertThat(first.permits()).isEqualTo(3);
        assertThat(first.attributes().get("service")).isEqualTo("user-service");
        assertThat(first.attributes().get("user")).isEqualTo("x1Kx");
        assertThat(first.attributes().get("header.x-phone")).isEqualTo("p0");
        assertThat(first.attributes().address()).isNotNull();
        assertThat(first.attributes().address().counted(64))
                .isNotEqualTo(log.requests().get(1).attributes().address().counted(64));
    }

    @Test
    void readsValuesThatARecordingHasAsTheyAre() {
        String line = "{\"timestamp\":\"2027-01-02T03:04:05.678901Z\",\"dimensions\":{\"user\":\"u***\"},"
                + "\"hashes\":{\"user\":\"x1Kx\"},\"attributes\":{\"ip\":\"203.0.113.7\",\"tenant\":\"acme\","
                + "\"header.host\":\"shop.example\"},\"decision\":\"allowed\",\"permits\":1}";
        ReadLog log = ReadLog.of("sluice", Map.of(), Set.of("user", "tenant", "header.host"), line);
        assertThat(log.only("ip")).isEqualTo("203.0.113.7");
        assertThat(log.only("tenant")).isEqualTo("acme");
        assertThat(log.only("user")).isEqualTo("x1Kx");
        assertThat(log.only("header.host")).isEqualTo("shop.example");
        assertThat(log.missing()).isEmpty();
    }

    @Test
    void constantsStandInForWhatALogLacks() {
        LogOptions options =
                new LogOptions(Optional.empty(), Map.of(), Map.of("service", "shop"), Set.of("service"), 1 << 20);
        ReadLog log = ReadLog.of(options, COMBINED.getBytes(StandardCharsets.UTF_8));
        assertThat(log.only("service")).isEqualTo("shop");
        assertThat(log.missing()).isEmpty();
    }

    @Test
    void refusesFormatsThatCannotWork() {
        assertThatThrownBy(() -> LogFormat.of("apache"))
                .hasMessageContaining("format: apache (expected: alb, combined");
        assertThatThrownBy(() -> LogFormat.of("$remote_addr $request")).hasMessageContaining("no time");
        assertThatThrownBy(() -> LogFormat.of("$msec$request")).hasMessageContaining("a character between them");
        assertThatThrownBy(() -> ReadLog.of("combined", Map.of("ip", "$nobody"), Set.of(), COMBINED))
                .hasMessageContaining("field ip: $nobody (expected: one of");
        assertThatThrownBy(() -> ReadLog.of("neither this\nnor that\n"))
                .hasMessageContaining("log0:1:1: the format is unknown");
    }

    private static long micros(String time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.parse(time));
    }
}
