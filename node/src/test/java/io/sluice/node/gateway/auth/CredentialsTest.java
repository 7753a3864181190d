package io.sluice.node.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSAEncrypter;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.node.gateway.config.AuthSettings.ApiKeys;
import io.sluice.node.gateway.config.AuthSettings.KeySource;
import io.sluice.node.gateway.config.AuthSettings.Tokens;
import io.sluice.node.gateway.route.Access;
import io.sluice.testkit.QuietClock;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class CredentialsTest {

    private static final RSAKey KEY = key("k1");
    private static final RSAKey OTHER = key("k2");
    private static final String SECRET = "sk_live_9f8e7d6c5b4a39281706";

    @TempDir
    Path folder;

    private GatewayUnderTest gateway;

    private static RSAKey key(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void start() throws Exception {
        Files.writeString(folder.resolve("jwks.json"), new JWKSet(KEY.toPublicJWK()).toString());
        Files.writeString(
                folder.resolve("keys.yaml"),
                "keys: [{ sha256: " + sha256(SECRET) + ", user: robot, tenant: acme, app: batch }]");
        gateway = gateway(Access.REQUIRED);
    }

    @AfterEach
    void stop() throws Exception {
        gateway.close();
    }

    private GatewayUnderTest gateway(Access access) throws Exception {
        return new GatewayUnderTest()
                .auth(
                        access,
                        Authenticators.open(settings(new KeySource.File(folder.resolve("jwks.json"))), Clock.system()))
                .start();
    }

    private AuthSettings settings(KeySource jwks) {
        return new AuthSettings(
                Optional.of(new Tokens(
                        jwks,
                        Set.of("RS256"),
                        Set.of("shop"),
                        Optional.of("https://issuer.example"),
                        Map.of("user", "sub", "tenant", "tenant", "plan", "plan"),
                        Duration.ofSeconds(5))),
                Optional.of(new ApiKeys(folder.resolve("keys.yaml"), "X-API-Key")));
    }

    private static String sha256(String text) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static JWTClaimsSet.Builder claims() {
        return new JWTClaimsSet.Builder()
                .subject("u-1")
                .issuer("https://issuer.example")
                .audience("shop")
                .claim("tenant", "acme")
                .claim("level", 7)
                .claim("roles", List.of("a"))
                .expirationTime(Date.from(Instant.now().plusSeconds(600)));
    }

    private static String token(JWSHeader.Builder header, JWTClaimsSet claims, RSAKey key) throws Exception {
        SignedJWT jwt = new SignedJWT(header.build(), claims);
        jwt.sign(new RSASSASigner(key));
        return jwt.serialize();
    }

    private static String token(Consumer<JWTClaimsSet.Builder> change) throws Exception {
        JWTClaimsSet.Builder claims = claims();
        change.accept(claims);
        return token(header(), claims.build(), KEY);
    }

    private static JWSHeader.Builder header() {
        return new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k1");
    }

    private RepliesClient.Reply with(String token) throws Exception {
        return gateway.get("/a", "Authorization: Bearer " + token);
    }

    private void refused(String token) throws Exception {
        RepliesClient.Reply reply = with(token);
        assertThat(reply.status()).as(reply.body()).isEqualTo(401);
        assertThat(reply.header("www-authenticate")).isEqualTo("Bearer error=\"invalid_token\"");
        assertThat(token.length() > 20 && reply.body().contains(token.substring(0, 20)))
                .isFalse();
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void verifiedClaimsAreTheIdentity() throws Exception {
        RepliesClient.Reply reply = with(token(claims -> {}));
        assertThat(reply.status()).isEqualTo(200);
        assertThat(reply.told("identity"))
                .contains("user=u-1", "tenant=acme", "claim.level=7", "claim.sub=u-1")
                .doesNotContain("claim.roles", "plan");
        assertThat(with(token(claims -> {})).told("withheld")).isEqualTo("[x-api-key]");
    }

    @Test
    void withoutCredentialsTheAnswerIs401WithAChallenge() throws Exception {
        for (String[] headers : List.of(new String[] {}, new String[] {"Authorization: Basic dTpw"}, new String[] {
            "X-User: u-1", "X-Tenant: acme", "X-Tenant-Id: acme"
        })) {
            RepliesClient.Reply reply = gateway.get("/a", headers);
            assertThat(reply.status()).isEqualTo(401);
            assertThat(reply.header("www-authenticate")).isEqualTo("Bearer");
        }
        refused("");
        assertThat(gateway.forwarded()).isZero();
    }

    @Test
    void a17AlgNoneIsRefused() throws Exception {
        refused(new PlainJWT(claims().build()).serialize());
        String[] parts = token(claims -> {}).split("\\.", -1);
        String none = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("{\"alg\":\"none\",\"kid\":\"k1\"}".getBytes(StandardCharsets.UTF_8));
        refused(none + "." + parts[1] + ".");
        refused(none + "." + parts[1] + "." + parts[2]);
        refused(parts[0] + "." + parts[1] + ".");
    }

    @Test
    void a17Hs256WithThePublicKeyIsRefused() throws Exception {
        RSAPublicKey key = KEY.toRSAPublicKey();
        for (byte[] secret : List.of(
                key.getEncoded(),
                KEY.toPublicJWK().toJSONString().getBytes(StandardCharsets.UTF_8),
                ("-----BEGIN PUBLIC KEY-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded())
                                + "\n-----END PUBLIC KEY-----\n")
                        .getBytes(StandardCharsets.UTF_8))) {
            SignedJWT jwt = new SignedJWT(
                    new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("k1").build(), claims().build());
            jwt.sign(new MACSigner(secret));
            refused(jwt.serialize());
        }
        assertThatThrownBy(() -> new Tokens(
                        new KeySource.File(folder),
                        Set.of("HS256"),
                        Set.of("shop"),
                        Optional.empty(),
                        Map.of(),
                        Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("algorithms: HS256");
    }

    @Test
    void a17OtherAlgorithmsKeysAndKeyNamesAreRefused() throws Exception {
        refused(token(new JWSHeader.Builder(JWSAlgorithm.RS512).keyID("k1"), claims().build(), KEY));
        refused(token(new JWSHeader.Builder(JWSAlgorithm.PS256).keyID("k1"), claims().build(), KEY));
        refused(token(header(), claims().build(), OTHER));
        for (String id : List.of("k2", "../../etc/passwd", "k1' OR '1'='1", "")) {
            refused(token(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(id), claims().build(), KEY));
        }
        refused(token(new JWSHeader.Builder(JWSAlgorithm.RS256), claims().build(), OTHER));
        assertThat(with(token(new JWSHeader.Builder(JWSAlgorithm.RS256), claims().build(), KEY))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void a17KeysInsideATokenAreIgnored() throws Exception {
        URI evil = URI.create("http://127.0.0.1:1/jwks.json");
        refused(token(header().jwk(OTHER.toPublicJWK()), claims().build(), OTHER));
        refused(token(header().jwkURL(evil), claims().build(), OTHER));
        refused(token(header().x509CertURL(evil), claims().build(), OTHER));
    }

    @Test
    void a17TokensThatAreNotForUsOrNotValidNowAreRefused() throws Exception {
        Instant now = Instant.now();
        refused(token(claims -> claims.expirationTime(Date.from(now.minusSeconds(60)))));
        refused(token(claims -> claims.expirationTime(null)));
        refused(token(claims -> claims.notBeforeTime(Date.from(now.plusSeconds(60)))));
        refused(token(claims -> claims.audience("other")));
        refused(token(claims -> claims.audience((String) null)));
        refused(token(claims -> claims.issuer("https://evil.example")));
        refused(token(claims -> claims.issuer(null)));
        refused(token(header().type(new JOSEObjectType("logout+jwt")), claims().build(), KEY));
    }

    @Test
    void a17CriticalExtensionsAreRefused() throws Exception {
        refused(token(header().criticalParams(Set.of("exp")).customParam("exp", 1), claims().build(), KEY));
    }

    @Test
    void a17EncryptedHugeAndBrokenTokensAreRefused() throws Exception {
        EncryptedJWT encrypted = new EncryptedJWT(
                new JWEHeader.Builder(JWEAlgorithm.RSA_OAEP_256, EncryptionMethod.A256GCM).build(), claims().build());
        encrypted.encrypt(new RSAEncrypter(KEY.toRSAPublicKey()));
        refused(encrypted.serialize());
        refused(token(claims -> claims.claim("x", "y".repeat(9_000))));
        String deep = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(("{\"alg\":\"RS256\",\"x\":" + "[".repeat(5_000)).getBytes(StandardCharsets.UTF_8));
        for (String broken : List.of("x", "a.b", "a.b.c", "....", deep + ".e30.e30", "\u00e9.\u00e9.\u00e9")) {
            refused(broken);
        }
        String[] parts = token(claims -> {}).split("\\.", -1);
        String forged = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(claims().subject("admin").build().toString().getBytes(StandardCharsets.UTF_8));
        refused(parts[0] + "." + forged + "." + parts[2]);
    }

    @Test
    void anApiKeyIdentifiesItsOwner() throws Exception {
        RepliesClient.Reply reply = gateway.get("/a", "x-api-key: " + SECRET);
        assertThat(reply.told("identity")).isEqualTo("{app=batch, tenant=acme, user=robot}");
        assertThat(reply.told("withheld")).isEqualTo("[x-api-key]");
        for (String bad : List.of("", SECRET + "x", sha256(SECRET), "' OR 1=1")) {
            RepliesClient.Reply refused = gateway.get("/a", "X-API-Key: " + bad);
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.body()).doesNotContain(SECRET);
        }
        assertThat(gateway.get("/a", "X_API_Key: " + SECRET).status()).isEqualTo(401);
    }

    @Test
    void ifBothAreSentBothMustBeValidAndIdentifyTheSameCaller() throws Exception {
        String bearer = "Authorization: Bearer " + token(claims -> claims.subject("robot"));
        assertThat(gateway.get("/a", bearer, "X-API-Key: " + SECRET).told("identity"))
                .contains("app=batch", "user=robot", "claim.level=7");
        assertThat(gateway.get("/a", bearer, "X-API-Key: wrong").status()).isEqualTo(401);
        assertThat(gateway.get("/a", "Authorization: Bearer x", "X-API-Key: " + SECRET)
                        .status())
                .isEqualTo(401);
        assertThat(gateway.get("/a", "Authorization: Bearer " + token(claims -> {}), "X-API-Key: " + SECRET)
                        .status())
                .isEqualTo(400);
        assertThat(gateway.get("/a", bearer, bearer).status()).isEqualTo(400);
        assertThat(gateway.get("/a", "X-API-Key: " + SECRET, "X-API-Key: " + SECRET)
                        .status())
                .isEqualTo(400);
    }

    @Test
    void optionalRoutesAcceptNoCredentialsButNoBadOnesAndOpenRoutesIgnoreThem() throws Exception {
        try (GatewayUnderTest optional = gateway(Access.OPTIONAL);
                GatewayUnderTest open = gateway(Access.OPEN)) {
            assertThat(optional.get("/a").told("identity")).isEqualTo("{}");
            assertThat(optional.get("/a", "X-Tenant: acme").told("identity")).isEqualTo("{}");
            assertThat(optional.get("/a", "Authorization: Bearer x").status()).isEqualTo(401);
            assertThat(optional.get("/a", "X-API-Key: " + SECRET).told("identity"))
                    .contains("user=robot");
            RepliesClient.Reply reply = open.get("/a", "Authorization: Bearer x", "X-API-Key: " + SECRET);
            assertThat(reply.told("identity")).isEqualTo("{}");
            assertThat(reply.told("withheld")).isEqualTo("[]");
        }
    }

    @Test
    void a17ATokenThatOnlyAnUpstreamMightFindIsRefused() throws Exception {
        String token = token(claims -> {});
        try (GatewayUnderTest optional = gateway(Access.OPTIONAL)) {
            for (String value : List.of(
                    "Bearer\t" + token,
                    "bearer\u000b" + token,
                    "Bearer\u00a0" + token,
                    "\u00a0Bearer " + token,
                    "Bearer:" + token,
                    "Bearer=" + token,
                    "Bearer,Bearer " + token,
                    "\"Bearer\" " + token,
                    "Bearer" + token,
                    "Basic dTpw, Bearer " + token,
                    "Basic dTpw;\tbearer\t" + token)) {
                assertThat(optional.get("/a", "Authorization: " + value).status())
                        .as(value)
                        .isEqualTo(400);
            }
            assertThat(optional.get("/a", "Authorization: Bearer " + token, "Authorization: Basic dTpw")
                            .status())
                    .isEqualTo(400);
            assertThat(optional.forwarded()).isZero();
            for (String other : List.of("", "Basic dTpw", "Digest username=\"bearer\", realm=\"a b\"", "Negotiate")) {
                assertThat(optional.get("/a", "Authorization: " + other).told("identity"))
                        .as(other)
                        .isEqualTo("{}");
            }
            assertThat(optional.get("/a", "Authorization: bEARER   " + token).told("identity"))
                    .contains("user=u-1");
        }
    }

    @Test
    void changedFilesAreAppliedAndBadOnesAreNot() throws Exception {
        String old = token(claims -> {});
        assertThat(with(old).status()).isEqualTo(200);
        Files.writeString(folder.resolve("jwks.json"), "{");
        Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + SECRET + ", user: x }]");
        AuthSettings settings = settings(new KeySource.File(folder.resolve("jwks.json")));
        assertThatThrownBy(() -> Authenticators.open(settings, Clock.system()))
                .isInstanceOf(AuthUnreadableException.class)
                .hasMessageNotContaining(SECRET);
        assertThat(with(old).status()).isEqualTo(200);
        Files.writeString(folder.resolve("jwks.json"), new JWKSet(OTHER.toPublicJWK()).toString());
        assertThatThrownBy(() -> Authenticators.open(settings, Clock.system()))
                .isInstanceOf(AuthUnreadableException.class)
                .hasMessageContaining("sha256")
                .hasMessageNotContaining(SECRET);
        await().until(() -> with(old).status() == 401);
        String next = token(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("k2"), claims().build(), OTHER);
        assertThat(with(next).status()).isEqualTo(200);
        assertThat(gateway.get("/a", "X-API-Key: " + SECRET).status()).isEqualTo(200);
        Files.writeString(folder.resolve("keys.yaml"), "keys: []");
        await().until(() -> gateway.get("/a", "X-API-Key: " + SECRET).status() == 401);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aKeyFileThatWasBrokenIsTakenAgainOnceItIsRepaired() throws Exception {
        Path keys = folder.resolve("keys.yaml");
        String good = Files.readString(keys);
        try (Authenticators auth =
                Authenticators.open(settings(new KeySource.File(folder.resolve("jwks.json"))), Clock.system())) {
            Files.writeString(keys, "keys: nonsense");
            await().until(() -> auth.findings().size() == 1);
            Files.writeString(keys, good);
            await().until(() -> auth.findings().isEmpty());

            Files.delete(keys);
            assertThat(new ProcessBuilder("mkfifo", keys.toString()).start().waitFor())
                    .isZero();
            await().until(() -> auth.findings()
                    .equals(List.of(keys + ": not a regular file (expected: a regular file or a link to one)")));
            assertThat(gateway.get("/a", "X-API-Key: " + SECRET).status()).isEqualTo(200);

            Files.delete(keys);
            Files.writeString(keys, "keys: []");
            await().until(() -> auth.findings().isEmpty());
            await().until(() -> gateway.get("/a", "X-API-Key: " + SECRET).status() == 401);
        }
    }

    @Test
    void a32NeitherTokensNorKeysAreLogged() throws Exception {
        Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        root.addAppender(log);
        try {
            String token = token(claims -> claims.audience("other"));
            with(token);
            gateway.get("/a", "X-API-Key: " + SECRET + "x");
            Files.writeString(folder.resolve("keys.yaml"), "keys: [{ sha256: " + SECRET + ", user: x }]");
            await().until(() -> log.list.stream()
                    .anyMatch(event -> event.getFormattedMessage().contains("keys unusable")));
            assertThat(log.list)
                    .noneMatch(event -> event.getFormattedMessage().contains(SECRET)
                            || event.getFormattedMessage().contains(token.substring(0, 30)));
        } finally {
            root.detachAppender(log);
        }
    }

    @Test
    void keysOfAUrlAreFetchedAgainForUnknownKeyNamesAtABoundedRate() throws Exception {
        AtomicReference<String> served = new AtomicReference<>(new JWKSet(KEY.toPublicJWK()).toString());
        AtomicInteger fetched = new AtomicInteger();
        URI uri = issuer(request -> {
            fetched.incrementAndGet();
            request.response().end(served.get());
        });
        ManualClock clock = QuietClock.at(Clock.system().epochMicros());
        try (GatewayUnderTest remote = new GatewayUnderTest()
                .auth(Access.REQUIRED, Authenticators.open(settings(new KeySource.Url(uri)), clock))
                .start()) {
            String good = "Authorization: Bearer " + token(claims -> {});
            await().until(() -> {
                clock.advance(Duration.ofSeconds(1));
                return remote.get("/a", good).status() == 200;
            });
            int before = fetched.get();
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < 20; i++) {
                    String made = token(
                            new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("made" + round + i),
                            claims().build(),
                            OTHER);
                    assertThat(remote.get("/a", "Authorization: Bearer " + made).status())
                            .isEqualTo(401);
                }
                clock.advance(Duration.ofSeconds(10));
            }
            assertThat(fetched.get() - before).isBetween(1, 3);
        }
    }

    @Test
    void newKeysOfAUrlAreUsedAndBadAnswersKeepTheLastOnes() throws Exception {
        AtomicReference<String> served = new AtomicReference<>(new JWKSet(KEY.toPublicJWK()).toString());
        ManualClock clock = QuietClock.at(0);
        try (FetchedKeys keys =
                FetchedKeys.open(issuer(request -> request.response().end(served.get())), clock)) {
            KeyRing first = asked(keys);
            assertThat(first.candidates(JWSAlgorithm.RS256, "k1")).hasSize(1);
            served.set(new JWKSet(OTHER.toPublicJWK()).toString());
            assertThat(asked(keys)).isSameAs(first);
            clock.advance(Duration.ofSeconds(10));
            KeyRing second = asked(keys);
            assertThat(second.candidates(JWSAlgorithm.RS256, "k1")).isEmpty();
            assertThat(second.candidates(JWSAlgorithm.RS256, "k2")).hasSize(1);
            for (String bad : List.of("{", "{\"keys\":[]}", " ".repeat(2_000_000), "[".repeat(100_000))) {
                served.set(bad);
                clock.advance(Duration.ofSeconds(10));
                assertThat(asked(keys)).isSameAs(second);
                assertThat(keys.fault()).isNotEmpty();
            }
        }
    }

    @Test
    void oldKeysOfAUrlAreFetchedAgainAndUnchangedKeysKeepTheirVerifiedTokens() throws Exception {
        String set = new JWKSet(KEY.toPublicJWK()).toString();
        AtomicInteger fetched = new AtomicInteger();
        ManualClock clock = QuietClock.at(0);
        URI uri = issuer(request -> request.response().end(set + " ".repeat(fetched.incrementAndGet())));
        try (FetchedKeys keys = FetchedKeys.open(uri, clock)) {
            KeyRing first = asked(keys);
            clock.advance(Duration.ofMinutes(4));
            assertThat(fetched).hasValue(1);
            clock.advance(Duration.ofMinutes(1));
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                clock.advance(Duration.ofMillis(500));
                return fetched.get() == 2;
            });
            clock.advance(Duration.ofSeconds(10));
            assertThat(asked(keys)).isSameAs(first);
        }
    }

    @Test
    void theLastGoodKeysOfAUrlStayWhileTheIssuerIsUnavailable() throws Exception {
        AtomicReference<String> served = new AtomicReference<>(new JWKSet(KEY.toPublicJWK()).toString());
        ManualClock clock = QuietClock.at(0);
        URI uri = issuer(request -> {
            if (served.get().isEmpty()) {
                request.connection().close();
            } else {
                request.response().end(served.get());
            }
        });
        try (FetchedKeys keys = FetchedKeys.open(uri, clock)) {
            KeyRing first = asked(keys);
            served.set("");
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                clock.advance(Duration.ofMinutes(6));
                return !keys.fault().isEmpty();
            });
            clock.advance(Duration.ofMinutes(6));
            assertThat(asked(keys)).isSameAs(first);
            assertThat(keys.latest()).isSameAs(first);

            served.set(new JWKSet(OTHER.toPublicJWK()).toString());
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                clock.advance(Duration.ofSeconds(2));
                return keys.latest() != first;
            });
            assertThat(keys.fault()).isEmpty();
        }
    }

    @Test
    void anEndlessAnswerIsCutOffAndARedirectIsNotFollowed() throws Exception {
        String set = new JWKSet(KEY.toPublicJWK()).toString();
        ManualClock clock = QuietClock.at(0);
        URI elsewhere = issuer(request -> request.response().end(set));
        URI slow = issuer(request -> request.response().setChunked(true).write(set));
        URI redirect = issuer(request -> request.response()
                .setStatusCode(302)
                .putHeader("Location", elsewhere.toString())
                .end(set));
        try (FetchedKeys endless = FetchedKeys.open(slow, clock);
                FetchedKeys redirected = FetchedKeys.open(redirect, clock)) {
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                clock.advance(Duration.ofSeconds(5));
                return endless.fault().contains("no complete answer (expected: within 5 s)");
            });
            assertThat(endless.latest()).isNull();
            // On a busy machine an attempt may take too long, and is repeated.
            await().atMost(60, TimeUnit.SECONDS).until(() -> {
                clock.advance(Duration.ofSeconds(5));
                return redirected.fault().contains("status 302 (expected: 200)");
            });
            assertThat(redirected.latest()).isNull();
        }
    }

    @Test
    void afterCloseTheKnownKeysOfAUrlAreStillAvailable() throws Exception {
        ManualClock clock = QuietClock.at(0);
        String set = new JWKSet(KEY.toPublicJWK()).toString();
        FetchedKeys keys = FetchedKeys.open(issuer(request -> request.response().end(set)), clock);
        KeyRing first = asked(keys);
        keys.close();
        clock.advance(Duration.ofMinutes(6));
        assertThat(asked(keys)).isSameAs(first);
    }

    private URI issuer(Handler<HttpServerRequest> answers) throws Exception {
        int port = gateway.vertx()
                .createHttpServer()
                .requestHandler(answers)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(60, TimeUnit.SECONDS)
                .actualPort();
        return URI.create("http://127.0.0.1:" + port + "/jwks.json");
    }

    private static KeyRing asked(FetchedKeys keys) throws Exception {
        return keys.newer().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Test
    void withoutTheIssuersKeysTokensAre503AndNeverAccepted() throws Exception {
        URI nobody = URI.create("http://127.0.0.1:1/jwks.json");
        Authenticators auth = Authenticators.open(settings(new KeySource.Url(nobody)), Clock.system());
        try (GatewayUnderTest remote =
                new GatewayUnderTest().auth(Access.REQUIRED, auth).start()) {
            assertThat(remote.get("/a", "Authorization: Bearer " + token(claims -> {}))
                            .status())
                    .isEqualTo(503);
            assertThat(remote.get("/a", "X-API-Key: " + SECRET).status()).isEqualTo(200);
            assertThat(auth.findings()).isNotEmpty();
        }
        assertThatThrownBy(() -> new KeySource.Url(URI.create("http://issuer.example/jwks.json")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void settingsThatWouldAcceptTokensForOthersCannotBeCreated() {
        assertThatThrownBy(() -> new Tokens(
                        new KeySource.File(folder),
                        Set.of("RS256"),
                        Set.of(),
                        Optional.empty(),
                        Map.of(),
                        Duration.ZERO))
                .hasMessageContaining("audience");
        assertThatThrownBy(() -> new Tokens(
                        new KeySource.File(folder),
                        Set.of("RS256"),
                        Set.of("a"),
                        Optional.empty(),
                        Map.of("ip", "sub"),
                        Duration.ZERO))
                .hasMessageContaining("claims: ip");
        assertThatThrownBy(() -> new AuthSettings(Optional.empty(), Optional.empty()))
                .hasMessageContaining("auth");
    }

    @Test
    void verifiedTokensAreCachedOnlyUntilTheyExpireAndWithinABound() {
        RecentTokens<Identity> known = new RecentTokens<>();
        Identity who = new Identity(Map.of("user", "a"));
        known.keep(Sha256.of("t"), who, 1_000);
        assertThat(known.find(Sha256.of("t"), 999)).isEqualTo(who);
        assertThat(known.find(Sha256.of("t"), 1_000)).isNull();
        for (int i = 0; i < 50_000; i++) {
            known.keep(Sha256.of("t" + i), who, 1_000);
        }
        assertThat(known.size()).isLessThanOrEqualTo(2 * 8_192);
    }
}
