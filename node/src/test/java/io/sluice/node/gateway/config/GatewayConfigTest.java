package io.sluice.node.gateway.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.node.gateway.Configs;
import io.sluice.node.gateway.config.AuthSettings.KeySource;
import io.sluice.node.gateway.config.ServiceSettings.Balance;
import io.sluice.node.gateway.config.ServiceSettings.HealthSettings;
import io.sluice.node.gateway.config.ServiceSettings.PassiveSettings;
import io.sluice.node.gateway.route.Access;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.yaml.Errors;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GatewayConfigTest {

    @TempDir
    Path folder;

    @Test
    void readsTheExampleOfTheContract() {
        GatewayConfig config = Configs.good("""
                client: { trusted_proxies: [10.0.0.0/8], headers: [x-forwarded-for] }
                auth: { jwks: jwks.json, algorithms: [RS256], audience: shop, claims: { user: sub, tenant: tenant, plan: plan }, api_keys: keys.yaml }
                routes:
                  - { host: shop.example, path: /api/orders/**, service: order-service, upstreams: ["http://127.0.0.1:9001"], auth: required }
                """);

        RouteSettings route = config.routes().get(0);
        assertThat(config.routes()).hasSize(1);
        assertThat(route.name()).isEqualTo("shop.example/api/orders/**");
        assertThat(route.service()).contains("order-service");
        assertThat(route.access()).isEqualTo(Access.REQUIRED);
        assertThat(route.upstreams().origins()).containsExactly(URI.create("http://127.0.0.1:9001"));
        assertThat(route.timeout()).isEqualTo(Duration.ofSeconds(30));
        AuthSettings auth = config.auth().orElseThrow();
        AuthSettings.Tokens tokens = auth.tokens().orElseThrow();
        assertThat(tokens.jwks())
                .isEqualTo(new KeySource.File(Path.of("jwks.json").toAbsolutePath()));
        assertThat(tokens.audience()).isEqualTo(Set.of("shop"));
        assertThat(tokens.claims()).isEqualTo(Map.of("user", "sub", "tenant", "tenant", "plan", "plan"));
        assertThat(auth.apiKeys().orElseThrow().file())
                .isEqualTo(Path.of("keys.yaml").toAbsolutePath());
        assertThat(caller(config, "10.1.1.1", "203.0.113.9, 10.2.2.2")).contains("203.0.113.9");
        assertThat(caller(config, "192.0.2.1", "203.0.113.9")).contains("192.0.2.1");
    }

    @Test
    void readsServicesWithAllSettings() {
        GatewayConfig config = Configs.good("""
                gateway:
                  tls: { cert: c.pem, key: k.pem, client_ca: ca.pem }
                  largest_header: 64KB
                  keep_alive: 10s
                  connect_timeout: 250ms
                  drain: 1m
                  connections: 500
                  paths: { ignore_case: true, resolve: true, encoded_slash: true, servlet: true }
                services:
                  orders:
                    upstreams: ["http://10.0.0.1:9001/", "https://B.example"]
                    balance: least_connections
                    http2: true
                    health: { path: /health?full=1, interval: 100ms, timeout: 50ms, unhealthy_after: 4, healthy_after: 5 }
                    passive: { failures: 7, for: 3s }
                    tls: { verify: false }
                routes:
                  - { path: /api/orders/**, service: orders, timeout: 5s, idle_timeout: 1h, largest_body: 2GB }
                  - { host: "*.Shop.Example", service: orders }
                  - { path: "/users/{Id}", upstreams: "http://[::1]:80" }
                """);

        assertThat(config.settings())
                .isEqualTo(new GatewaySettings(
                        0,
                        Optional.of(new TlsSettings(
                                Path.of("c.pem").toAbsolutePath(),
                                Path.of("k.pem").toAbsolutePath(),
                                Optional.of(Path.of("ca.pem").toAbsolutePath()))),
                        64 * 1024,
                        Duration.ofSeconds(10),
                        Duration.ofMillis(250),
                        Duration.ofMinutes(1),
                        500));
        assertThat(config.paths()).isEqualTo(new PathForm(true, true, true, true));
        ServiceSettings orders = config.routes().get(0).upstreams();
        assertThat(orders)
                .isEqualTo(new ServiceSettings(
                        "orders",
                        List.of(URI.create("http://10.0.0.1:9001"), URI.create("https://b.example:443")),
                        Balance.LEAST_CONNECTIONS,
                        true,
                        Optional.of(new HealthSettings(
                                "/health?full=1", Duration.ofMillis(100), Duration.ofMillis(50), 4, 5)),
                        new PassiveSettings(7, Duration.ofSeconds(3)),
                        new UpstreamTls(Optional.empty(), false, Optional.empty())));
        assertThat(config.routes())
                .extracting(RouteSettings::name)
                .containsExactly("/api/orders/**", "*.shop.example/**", "/users/{Id}");
        assertThat(config.routes().get(0).largestBody()).isEqualTo(2L << 30);
        assertThat(config.routes().get(1).upstreams()).isEqualTo(orders);
        assertThat(config.routes().get(2).upstreams().name()).isEqualTo("/users/{Id}");
        assertThat(config.routes()).extracting(RouteSettings::access).containsOnly(Access.OPEN);
    }

    @Test
    void withAuthenticationConfiguredRoutesRequireItUnlessTheySayOtherwise() {
        GatewayConfig config = Configs.good("""
                auth: { api_keys: keys.yaml }
                routes:
                  - { path: /a, upstreams: http://a }
                  - { path: /b, upstreams: http://a, auth: open }
                  - { path: /c, upstreams: http://a, auth: optional }
                """);

        assertThat(config.routes())
                .extracting(RouteSettings::access)
                .containsExactly(Access.REQUIRED, Access.OPEN, Access.OPTIONAL);
    }

    @Test
    void withoutRoutesThereIsNoGatewayButErrorsAreStillReported() {
        assertThat(Configs.read(Path.of("c"), "auth: { api_keys: k }", new Errors("c")))
                .isEmpty();
        assertThat(Configs.errors(Path.of("c.yaml"), "gateway: { drain: soon }"))
                .containsExactly("c.yaml:1:19: drain: soon (expected: 10ms to 1h, such as 250ms, 1s, 1m, 1h or 1d)");
        assertThat(Configs.good("routes: []").routes()).isEmpty();
    }

    @Test
    void trustedProxiesMayBeANumber() {
        GatewayConfig config = Configs.good("client: { trusted_proxies: 2 }\nroutes: []");

        assertThat(caller(config, "10.1.1.1", "203.0.113.8, 203.0.113.9, 10.2.2.2"))
                .contains("203.0.113.9");
    }

    static Stream<Arguments> badDocuments() {
        return Stream.of(
                bad("routes: {}", "1:9: routes: a mapping (expected: a list)"),
                bad(
                        "gateway: { refusals: [{ rule: a, content_type: b }] }\nroutes: []",
                        "1:23: text: missing (expected: either text or file)"),
                bad(
                        "gateway: { refusals: [{ content_type: b, text: a }] }\nroutes: []",
                        "1:23: rule: missing (expected: the id of a rule)"),
                bad(
                        "gateway: { refusals: [{ rule: a, content_type: \"b\\r\\nc\", text: d }] }\nroutes: []",
                        "1:48: content_type: not a header value"),
                bad(
                        "gateway: { refusals: [{ rule: a, content_type: b, file: none }] }\nroutes: []",
                        "1:57: file: unreadable"),
                bad(
                        "gateway: { refusals: [{ rule: a, content_type: b, text: c }, { rule: a, content_type: b, text: c }] }\nroutes: []",
                        "1:70: rule: a occurs twice (expected: one refusal per rule)"),
                bad("routes: [7]", "1:10: route: 7 (expected: a mapping)"),
                bad(
                        "routes: [{}]",
                        "1:10: upstreams: missing (expected: at least one, such as http://127.0.0.1:9001, or a service"
                                + " with upstreams)"),
                bad(
                        "routes: [{ service: x }]",
                        "1:21: service: x has no upstreams (expected: upstreams here, or the service under services)"),
                bad(
                        "routes: [{ upstreams: http://a, hots: b }]",
                        "1:33: unknown key: hots (expected: a known key; did you mean host?)"),
                bad(
                        "routes: [{ upstreams: a }]",
                        "1:23: upstreams: a (expected: http://host:port or https://host:port and nothing else)"),
                bad("routes: [{ upstreams: ftp://a }]", "1:23: upstreams: ftp://a"),
                bad("routes: [{ upstreams: 'http://a/x' }]", "1:23: upstreams: http://a/x"),
                bad("routes: [{ upstreams: 'http://a?x' }]", "1:23: upstreams: http://a?x"),
                bad("routes: [{ upstreams: 'http://a#x' }]", "1:23: upstreams: http://a#x"),
                bad("routes: [{ upstreams: 'http://a:0' }]", "1:23: upstreams: http://a:0"),
                bad("routes: [{ upstreams: 'http://a:65536' }]", "1:23: upstreams: http://a:65536"),
                bad("routes: [{ upstreams: 'http://u:secret@a' }]", "1:23: upstreams: http://***@a"),
                bad(
                        "routes: [{ upstreams: ['http://a', 'HTTP://A:80/'] }]",
                        "1:36: upstreams: http://a:80 (expected: each upstream once)"),
                bad("routes: [{ upstreams: [] }]", "1:23: upstreams: an empty list (expected: at least one"),
                bad("routes: [{ upstreams: http://a, host: 'a:80' }]", "1:39: host: a:80 (expected: a name such as"),
                bad("routes: [{ upstreams: http://a, host: '*' }]", "1:39: host: * (expected: "),
                bad("routes: [{ upstreams: http://a, host: 'a.*.b' }]", "1:39: host: a.*.b (expected: "),
                bad("routes: [{ upstreams: http://a, host: '*.[::1]' }]", "1:39: host: *.[::1] (expected: "),
                bad("routes: [{ upstreams: http://a, host: '' }]", "1:39: host: "),
                bad("routes: [{ upstreams: http://a, path: x }]", "1:39: path: x (expected: a path such as"),
                bad("routes: [{ upstreams: http://a, path: '/a/../b' }]", "1:39: path: /a/../b (expected: "),
                bad(
                        "routes: [{ upstreams: http://a, path: '/**/b' }]",
                        "1:39: path: /**/b (expected: ** only at the end)"),
                bad(
                        "routes: [{ upstreams: http://a, auth: required }]",
                        "1:39: auth: required (expected: open, or a section auth that says how callers authenticate)"),
                bad("auth: {api_keys: k}\nroutes: [{ upstreams: http://a, auth: yes }]", "2:39: auth: yes (expected: "),
                bad("routes: [{ upstreams: http://a, timeout: 5 }]", "1:42: timeout: 5 (expected: 10ms to 1d"),
                bad("routes: [{ upstreams: http://a, timeout: 2d }]", "1:42: timeout: 2d (expected: "),
                bad(
                        "routes: [{ upstreams: http://a, largest_body: 1TB }]",
                        "1:47: largest_body: 1TB (expected: 0 to 1024GB"),
                bad("routes: [{ upstreams: http://a, largest_body: -1 }]", "1:47: largest_body: -1 (expected: "),
                bad("routes: [{ upstreams: http://a, largest_body: 9999999999GB }]", "1:47: largest_body: "),
                bad("routes: [{ upstreams: http://a, service: '' }]", "1:42: service: "),
                bad(
                        "routes:\n- { path: '/u/{id}', upstreams: http://a }\n- { path: '/u/{x}', upstreams: http://b }",
                        "3:11: path: /u/{x} (expected: each route once; line 2 has a route for the same requests)"),
                bad(
                        "services: { a: { upstreams: http://a } }\nroutes: [{ service: a, upstreams: http://b }]",
                        "2:35: upstreams: set here and for service a (expected: one of the two)"),
                bad("services: { a: {} }\nroutes: []", "1:16: upstreams: missing (expected: at least one"),
                bad("services: { a: { upstreams: http://a, balance: random } }", "1:48: balance: random (expected: "),
                bad(
                        "services: { a: { upstreams: http://a, health: {} } }",
                        "1:47: path: missing (expected: a path that"),
                bad("services: { a: { upstreams: http://a, health: { path: x } } }", "1:55: path: x (expected: a path"),
                bad(
                        "services: { a: { upstreams: http://a, health: { path: /, unhealthy_after: 0 } } }",
                        "1:75: unhealthy_after: 0 (expected: 1..100)"),
                bad(
                        "services: { a: { upstreams: http://a, passive: { failures: -1 } } }",
                        "1:60: failures: -1 (expected: 0..1000000)"),
                bad("services: { a: { upstreams: http://a, tls: { ca: none.pem } } }", "1:50: ca: no certificates in "),
                bad("gateway: { tls: { cert: c } }", "1:17: key: missing (expected: a file in PEM)"),
                bad("gateway: { largest_header: 2MB }", "1:28: largest_header: 2MB (expected: 1KB to 1MB, such as"),
                bad("gateway: { paths: { ignore_case: 1 } }", "1:34: ignore_case: 1 (expected: true or false)"),
                bad(
                        "gateway: { paths: { ignore_case: true } }\nroutes: [{ upstreams: http://a, path: /API }]",
                        "2:39: path: /API (expected: lower case, because the gateway ignores case)"),
                bad("client: { headers: [forwarded] }", "1:20: headers: set without trusted_proxies (expected: "),
                bad("client: { trusted_proxies: [10.0.0.1/8] }", "1:29: trusted_proxies: "),
                bad("client: { trusted_proxies: 0 }", "1:28: trusted_proxies: 0 (expected: 1..100, or networks)"),
                bad("client: { trusted_proxies: 1, headers: [x-ip] }", "1:41: headers: x-ip (expected: "),
                bad("auth: {}", "1:7: auth: neither jwks nor api_keys (expected: at least one of the two)"),
                bad("auth: { jwks: k.json }", "1:7: audience: none (expected: audience or issuer"),
                bad("auth: { jwks: k.json, issuer: i, algorithms: [HS256] }", "1:46: algorithms: HS256 (expected: "),
                bad("auth: { jwks: k.json, issuer: i, claims: { role: r } }", "1:42: claims: role (expected: user"),
                bad("auth: { jwks: k.json, issuer: i, skew: 1h }", "1:40: skew: 1h (expected: "),
                bad("auth: { jwks: 'http://idp.example/keys', issuer: i }", "1:15: jwks: http://idp.example/keys"),
                bad("auth: { jwks: 'https:// x', issuer: i }", "1:15: jwks: https:// x (expected: a file"),
                bad(
                        "auth: { api_keys: k, audience: a }",
                        "1:22: audience: set without jwks (expected: jwks, the issuer's keys)"));
    }

    @ParameterizedTest
    @MethodSource("badDocuments")
    void reportsWhatIsWrongAndWhere(String text, String expected) {
        assertThat(Configs.errors(folder.resolve("c.yaml"), text))
                .singleElement()
                .asString()
                .startsWith("c.yaml:" + expected)
                .doesNotContain("secret");
    }

    @Test
    void reportsAllErrorsAtOnce() {
        assertThat(Configs.errors(folder.resolve("c.yaml"), """
                client: { trusted_proxies: [x] }
                auth: { jwks: k, issuer: i, algorithms: [none] }
                services:
                  a: { upstreams: x }
                routes:
                  - { service: b, timeout: 0s, host: "?" }
                  - { upstreams: http://a, path: x }
                """))
                .extracting(line -> line.replaceAll("^c.yaml:(\\d+:\\d+): ([a-z_]+).*", "$1 $2"))
                .containsExactly(
                        "1:29 trusted_proxies",
                        "2:41 algorithms",
                        "4:19 upstreams",
                        "6:16 service",
                        "6:28 timeout",
                        "6:38 host",
                        "7:34 path");
    }

    @Test
    void caFilesOfUpstreamsAreReadRelativeToTheFile() throws Exception {
        Files.writeString(folder.resolve("bad.pem"), "nonsense");

        assertThat(Configs.errors(
                        folder.resolve("c.yaml"), "services: { a: { upstreams: https://a, tls: { ca: bad.pem } } }"))
                .containsExactly("c.yaml:1:51: ca: no certificates in " + folder.resolve("bad.pem")
                        + " (expected: a file in PEM that this user may read)");
    }

    @Test
    void settingsThatCannotChangeWhileTheGatewayRunsAreNamed() {
        GatewayConfig before = Configs.good("routes: []");
        GatewayConfig after =
                Configs.good("gateway: { drain: 1s, tls: { cert: c, key: k } }\nroutes: [{ upstreams: http://a }]");

        assertThat(after.fixedChanges(before)).containsExactly("gateway.tls", "gateway.drain");
        assertThat(after.fixedChanges(after)).isEmpty();
    }

    private static Optional<String> caller(GatewayConfig config, String peer, String forwardedFor) {
        return config.caller()
                .of(
                        Address.parse(peer).orElseThrow(),
                        name -> name.equals("x-forwarded-for") ? List.of(forwardedFor) : List.of())
                .map(Address::toString);
    }

    private static Arguments bad(String text, String expected) {
        return Arguments.of(text, expected);
    }
}
