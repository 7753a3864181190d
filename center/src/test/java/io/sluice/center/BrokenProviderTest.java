package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** An identity server whose answers have no end or make no sense. */
class BrokenProviderTest {

    private static final String REFUSED = "/sign-in?problem=refused";
    private static final String UNAVAILABLE = "/sign-in?problem=unavailable";
    private static final String METADATA = "/.well-known/openid-configuration";

    /** In the order of a sign-in, so that what an earlier answer said is not known yet. */
    private static final List<String> PATHS = List.of(METADATA, "/token", "/keys", "/me");

    /** The end of an answer without an end, so that the test can fail in another way than by running out of memory. */
    private static final long LARGE = 64_000_000;

    /** More than a megabyte and what the system buffers. */
    private static final long BOUNDED = 16_000_000;

    private static final Map<String, Object> METADATA_CHANGES = new ConcurrentHashMap<>();
    private static final Map<String, String> BODIES = new ConcurrentHashMap<>();
    private static final Set<String> ENDLESS = ConcurrentHashMap.newKeySet();
    private static final AtomicLong SENT = new AtomicLong();
    private static final AtomicInteger BROWSERS = new AtomicInteger();
    private static final Queue<String> CALLS = new ConcurrentLinkedQueue<>();
    private static final Queue<String> CREDENTIALS = new ConcurrentLinkedQueue<>();
    private static final ListAppender<ILoggingEvent> LOG = new ListAppender<>();
    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        return thread;
    });

    private static final RSAKey KEY = RsaKeys.FIRST;
    private static Path secret;
    private static HttpServer server;
    private static Center center;
    private static volatile String token = "";

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(THREADS);
        server.createContext("/", BrokenProviderTest::answer);
        server.start();
        secret = Files.writeString(directory.resolve("secret"), "the first secret");
        center = Center.open(PreparedCenter.in(directory.resolve("data"))
                .signIn(SignInSettings.LOCAL
                        .withTrustedProxies(List.of("127.0.0.1"))
                        .withServers(
                                List.of(
                                        settings("plain"),
                                        settings("endless"),
                                        settings("unusable"),
                                        settings("keys"),
                                        settings("secrets"),
                                        settings("issuer"),
                                        settings("tabs")),
                                List.of())));
        Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.center.identity.server.ServerState");
        LOG.start();
        logger.addAppender(LOG);
        logger.setAdditive(false);
    }

    @AfterAll
    static void stop() {
        Logger logger = (Logger) LoggerFactory.getLogger("io.sluice.center.identity.server.ServerState");
        logger.detachAppender(LOG);
        logger.setAdditive(true);
        center.close();
        server.stop(0);
        THREADS.shutdownNow();
    }

    @BeforeEach
    void repair() {
        METADATA_CHANGES.clear();
        BODIES.clear();
        ENDLESS.clear();
        CALLS.clear();
        CREDENTIALS.clear();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        CALLS.add(path);
        String credentials = exchange.getRequestHeaders().getFirst("Authorization");
        if (path.equals("/token")) {
            CREDENTIALS.add(String.valueOf(credentials));
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        try (exchange) {
            OutputStream body = exchange.getResponseBody();
            if (ENDLESS.contains(path)) {
                exchange.sendResponseHeaders(200, 0);
                body.write("{\"a\": \"".getBytes(StandardCharsets.US_ASCII));
                byte[] piece = "a".repeat(64_000).getBytes(StandardCharsets.US_ASCII);
                for (long sent = 0; sent < LARGE; sent += piece.length) {
                    body.write(piece);
                    SENT.addAndGet(piece.length);
                }
            } else {
                byte[] whole = body(path).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, whole.length == 0 ? -1 : whole.length);
                body.write(whole);
            }
        }
    }

    private static String body(String path) {
        String usual =
                switch (path) {
                    case METADATA -> metadata();
                    case "/keys" -> new JWKSet(KEY.toPublicJWK()).toString();
                    case "/token" ->
                        "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"id_token\":\"" + token + "\"}";
                    default -> "{\"sub\":\"17\"}";
                };
        return BODIES.getOrDefault(path, usual);
    }

    @Test
    void anAnswerWithoutAnEndIsCutOff() throws Exception {
        for (String path : PATHS) {
            SENT.set(0);
            ENDLESS.add(path);
            assertThat(signIn("endless", KEY)).as(path).isEqualTo(UNAVAILABLE);
            assertThat(SENT.get()).as(path).isLessThan(BOUNDED);
            ENDLESS.clear();
        }
        assertThat(signIn("endless", KEY)).isEqualTo("/");
        assertThat(logged()).contains(METADATA + ": its answer has more than 1048576 bytes");
    }

    @Test
    void anUnusableAnswerIsASentenceInTheLog() throws Exception {
        List<String> bodies = List.of("", "null", "[]", "7", "\"x\"", "<html>s3cret</html>", "{\"a\":", "{} {}");
        for (String path : PATHS) {
            for (String body : SeededRandom.sample(bodies, 4)) {
                assertUnusable(path, body, UNAVAILABLE);
            }
            if (path.equals(METADATA)) {
                assertThat(logged())
                        .contains(METADATA + " answered with status 200, application/json, 0 bytes (expected: a JSON");
                assertUnusable(path, "{}", UNAVAILABLE);
                assertUnusable(path, metadata().replace("[\"RS256\"]", "7"), UNAVAILABLE);
                assertUnusable(path, metadata().replace("[\"code\"]", "{\"a\":1}"), UNAVAILABLE);
            } else if (path.equals("/keys")) {
                assertUnusable(path, "{}", UNAVAILABLE);
                assertUnusable(path, "{\"keys\": 7}", UNAVAILABLE);
                assertUnusable(path, "{\"keys\": [7, null]}", UNAVAILABLE);
                assertUnusable(path, "{\"keys\": [" + "[".repeat(10_000) + "]}", UNAVAILABLE);
            }
        }
        assertUnusable("/token", "{}", REFUSED);
        assertUnusable("/token", "{\"access_token\":7,\"token_type\":{},\"id_token\":[]}", REFUSED);
        assertUnusable("/token", "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"id_token\":7}", UNAVAILABLE);
        assertUnusable("/me", "{}", UNAVAILABLE);
        assertUnusable("/me", "{\"sub\":{\"a\":1}}", REFUSED);
        assertThat(signIn("unusable", KEY)).isEqualTo("/");
        assertThat(logged()).doesNotContain("s3cret");
    }

    private static void assertUnusable(String path, String body, String problem) throws Exception {
        BODIES.put(path, body);
        assertThat(signIn("unusable", KEY)).as(path + " " + body).isEqualTo(problem);
        BODIES.clear();
    }

    @Test
    void tokensWithUnknownKeysAskForTheKeysOnce() throws Exception {
        assertThat(signIn("keys", KEY)).isEqualTo("/");
        RSAKey unknown = RsaKeys.other("unknown");
        for (int i = 0; i < SeededRandom.scaled(5, 20); i++) {
            assertThat(signIn("keys", unknown)).isEqualTo(REFUSED);
        }
        assertThat(CALLS.stream().filter("/keys"::equals)).hasSizeLessThanOrEqualTo(2);
        assertThat(signIn("keys", KEY)).isEqualTo("/");
    }

    @Test
    void aReplacedSecretIsUsedWithoutARestart() throws Exception {
        assertThat(signIn("secrets", KEY)).isEqualTo("/");
        Files.writeString(secret, "the second secret");
        assertThat(signIn("secrets", KEY)).isEqualTo("/");
        assertThat(CREDENTIALS).containsExactly(credentials("the+first+secret"), credentials("the+second+secret"));
        Files.delete(secret);
        assertThat(signIn("secrets", KEY)).isEqualTo(UNAVAILABLE);
        Files.writeString(secret, "the first secret");
        assertThat(signIn("secrets", KEY)).isEqualTo("/");
    }

    private static String credentials(String password) {
        return "Basic "
                + Base64.getEncoder().encodeToString(("sluice:" + password).getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void anAnswerWithoutTheAnnouncedIssuerIsRefused() throws Exception {
        METADATA_CHANGES.put("authorization_response_iss_parameter_supported", true);
        assertThat(signIn("issuer", KEY)).isEqualTo(REFUSED);
        assertThat(signIn("issuer", KEY, "&iss=" + issuer())).isEqualTo("/");
        assertThat(signIn("issuer", KEY, "&iss=https%3A%2F%2Fevil.example")).isEqualTo(REFUSED);
    }

    @Test
    void severalTabsOfABrowserSignIn() throws Exception {
        OidcBrowser browser = browser();
        String first = begin(browser, "tabs");
        String second = begin(browser, "tabs");
        assertThat(finish(browser, "tabs", second, KEY, "")).isEqualTo("/");
        assertThat(finish(browser, "tabs", first, KEY, "")).isEqualTo("/");
        assertThat(finish(browser, "tabs", first, KEY, "")).isEqualTo("/sign-in?problem=expired");
        List<String> many = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            many.add(begin(browser, "tabs"));
        }
        assertThat(finish(browser, "tabs", many.get(0), KEY, "")).isEqualTo(REFUSED);
        assertThat(finish(browser, "tabs", many.get(5), KEY, "")).isEqualTo("/");
        assertThat(finish(browser, "tabs", many.get(2), KEY, "")).isEqualTo("/");
    }

    private static String signIn(String name, RSAKey by) throws Exception {
        return signIn(name, by, "");
    }

    private static String signIn(String name, RSAKey by, String more) throws Exception {
        OidcBrowser browser = browser();
        String asked = begin(browser, name);
        return asked.startsWith(center.publicUrl().toString())
                ? asked.substring(center.publicUrl().toString().length())
                : finish(browser, name, asked, by, more);
    }

    /** Returns a browser at an address of its own, so that the limit of attempts is not reached. */
    private static OidcBrowser browser() {
        return new OidcBrowser(center, "10.0.0." + BROWSERS.incrementAndGet());
    }

    private static String begin(OidcBrowser browser, String name) {
        return OidcBrowser.at(browser.get(center.publicUrl() + "/sign-in/oidc/" + name))
                .orElseThrow();
    }

    private static String finish(OidcBrowser browser, String name, String asked, RSAKey by, String more)
            throws Exception {
        Instant now = Instant.now();
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(by.getKeyID()).build(),
                new JWTClaimsSet.Builder()
                        .issuer(issuer().toString())
                        .subject("17")
                        .audience("sluice")
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(now.plusSeconds(300)))
                        .claim("nonce", OidcBrowser.parameter(asked, "nonce"))
                        .claim("groups", "sre")
                        .build());
        jwt.sign(new RSASSASigner(by));
        token = jwt.serialize();
        return browser.end(center.publicUrl() + "/sign-in/oidc/" + name + "/callback?code=c&state="
                + OidcBrowser.parameter(asked, "state") + more);
    }

    private static String logged() {
        return List.copyOf(LOG.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .collect(Collectors.joining("\n"));
    }

    private static String metadata() {
        Map<String, Object> metadata = new HashMap<>(Map.of(
                "issuer",
                issuer().toString(),
                "authorization_endpoint",
                issuer() + "/authorize",
                "token_endpoint",
                issuer() + "/token",
                "userinfo_endpoint",
                issuer() + "/me",
                "jwks_uri",
                issuer() + "/keys",
                "response_types_supported",
                List.of("code"),
                "subject_types_supported",
                List.of("public"),
                "id_token_signing_alg_values_supported",
                List.of("RS256")));
        metadata.putAll(METADATA_CHANGES);
        return JsonMapper.shared().writeValueAsString(metadata);
    }

    private static OidcServer settings(String name) {
        return new OidcServer(
                name,
                name,
                issuer(),
                "sluice",
                secret,
                OidcServer.DEFAULT_SCOPES,
                Set.of(),
                Optional.empty(),
                OidcServer.Claims.USUAL,
                List.of(MappedRole.of("sre", "operator")));
    }

    private static URI issuer() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    }
}
