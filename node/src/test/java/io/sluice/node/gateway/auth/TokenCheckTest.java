package io.sluice.node.gateway.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jca.JCAContext;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jose.util.Base64URL;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.sluice.core.time.Clock;
import io.sluice.core.time.ManualClock;
import io.sluice.node.gateway.RepliesClient;
import io.sluice.node.gateway.auth.TokenCheck.Outcome;
import io.sluice.node.gateway.chain.GatewayUnderTest;
import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.node.gateway.config.AuthSettings.KeySource;
import io.sluice.node.gateway.config.AuthSettings.Tokens;
import io.sluice.node.gateway.route.Access;
import io.sluice.testkit.Await;
import io.sluice.testkit.QuietClock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Attack A35: how much a forged token costs. */
class TokenCheckTest {

    private static final RSAKey FORGER = key("forger");
    /** One key under six names, because it takes seconds to make one. */
    private static final List<RSAKey> KEYS = named(key("k0"), "k0", "k1", "k2", "k3", "k4", "k5");

    private final AtomicInteger verified = new AtomicInteger();
    private final ManualClock clock = QuietClock.at(Clock.system().epochMicros());
    private final TokenCheck check = new TokenCheck(settings(Path.of("unused")), clock);
    private final KeyRing ring = ring(KEYS);

    @TempDir
    Path folder;

    @Test
    void a35AForgedTokenIsVerifiedOnceInFiveSeconds() {
        String forged = token(FORGER, "k1", Instant.MIN);
        for (int i = 0; i < 100; i++) {
            assertThat(check.check(forged, ring)).isEqualTo(new Outcome.Bad("not signed by its issuer"));
        }
        assertThat(verified).hasValue(1);
        assertThat(check.recall(forged, ring)).isInstanceOf(Outcome.Bad.class);

        clock.advance(Duration.ofSeconds(5));
        assertThat(check.recall(forged, ring)).isNull();
        assertThat(check.check(forged, ring)).isInstanceOf(Outcome.Bad.class);
        assertThat(verified).hasValue(2);
    }

    @Test
    void a35OnlyTheNamedKeyIsTriedAndAtMostFourWithoutAName() {
        check.check(token(FORGER, "k5", Instant.MIN), ring);
        assertThat(verified).hasValue(1);

        check.check(token(FORGER, null, Instant.MIN), ring);
        assertThat(verified).hasValue(1 + 4);

        assertThat(check.check(token(FORGER, "k9", Instant.MIN), ring)).isInstanceOf(Outcome.KeyUnknown.class);
        assertThat(verified).hasValue(1 + 4);
    }

    @Test
    void aRefusedTokenIsVerifiedAgainWithOtherKeys() {
        String token = token(FORGER, "forger", Instant.MIN);
        KeyRing wrong = ring(named(KEYS.get(0), "forger"));
        assertThat(check.check(token, wrong)).isInstanceOf(Outcome.Bad.class);

        assertThat(check.check(token, ring(List.of(FORGER)))).isInstanceOf(Outcome.Good.class);
    }

    @Test
    void aTokenThatIsNotValidYetIsNotRememberedAsBad() {
        Instant now = Instant.ofEpochSecond(clock.epochMicros() / 1_000_000);
        String token = token(KEYS.get(0), "k0", now.plusSeconds(7));
        assertThat(check.check(token, ring)).isEqualTo(new Outcome.Bad("not valid yet"));

        clock.advance(Duration.ofSeconds(3));

        assertThat(check.check(token, ring)).isInstanceOf(Outcome.Good.class);
    }

    @Test
    void forgedTokensDoNotPushOutVerifiedOnes() {
        String token = token(KEYS.get(0), "k0", Instant.MIN);
        assertThat(check.check(token, ring)).isInstanceOf(Outcome.Good.class);
        for (int i = 0; i < 50_000; i++) {
            ring.refused().keep(Sha256.of("forged " + i), new Outcome.Bad("no"), Long.MAX_VALUE);
        }

        assertThat(check.recall(token, ring)).isInstanceOf(Outcome.Good.class);
        assertThat(ring.refused().size()).isLessThanOrEqualTo(2 * 8_192);
    }

    @Test
    void a35CallersWithKnownTokensDoNotWaitForForgedOnes() throws Exception {
        Path file = Files.writeString(
                folder.resolve("jwks.json"), new JWKSet(KEYS.get(0).toPublicJWK()).toString());
        TokenThreads threads = new TokenThreads(1, 1);
        CountDownLatch flood = new CountDownLatch(1);
        try (GatewayUnderTest gateway = new GatewayUnderTest()
                .auth(
                        Access.REQUIRED,
                        Credentials.open(
                                new AuthSettings(Optional.of(settings(file)), Optional.empty()), clock, threads))
                .start()) {
            String known = "Authorization: Bearer " + token(KEYS.get(0), "k0", Instant.MIN);
            String other = "Authorization: Bearer " + token(KEYS.get(0), "k0", Instant.EPOCH);
            assertThat(gateway.get("/a", known).status()).isEqualTo(200);
            occupy(threads, flood);

            RepliesClient.Reply refusal = gateway.get("/a", other);

            assertThat(refusal.status()).isEqualTo(503);
            assertThat(refusal.header("retry-after")).isEqualTo("1");
            assertThat(gateway.get("/a", known).status()).isEqualTo(200);
            flood.countDown();
            Await.until("there is room again", Duration.ofMinutes(5), () -> status(gateway, other) == 200);
        }
    }

    private static int status(GatewayUnderTest gateway, String header) {
        try {
            return gateway.get("/a", header).status();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Keeps the only thread busy, and the only place in the queue. */
    private static void occupy(TokenThreads threads, CountDownLatch until) throws Exception {
        CompletableFuture<String> begun = new CompletableFuture<>();
        var unused = threads.run(() -> {
            begun.complete(Thread.currentThread().getName());
            return waited(until);
        });
        assertThat(begun.get(60, TimeUnit.SECONDS)).isEqualTo("sluice-tokens");
        var unusedToo = threads.run(() -> waited(until));
    }

    private static Outcome waited(CountDownLatch until) {
        try {
            until.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new Outcome.KeyUnknown();
    }

    private KeyRing ring(List<RSAKey> keys) {
        List<JWK> all = new ArrayList<>();
        try {
            all.add(new ECKeyGenerator(Curve.P_256).keyID("curve").generate().toPublicJWK());
            keys.forEach(key -> all.add(key.toPublicJWK()));
            return KeyRing.of("test", new JWKSet(all)).with(CountedVerifier::new);
        } catch (JOSEException | AuthUnreadableException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Tokens settings(Path file) {
        return new Tokens(
                new KeySource.File(file),
                Set.of("RS256", "ES256"),
                Set.of("shop"),
                Optional.of("https://issuer.example"),
                Map.of("user", "sub"),
                Duration.ofSeconds(5));
    }

    /** Returns a token that is valid from a moment on; from the beginning with {@link Instant#MIN}. */
    private String token(RSAKey key, @Nullable String id, Instant from) {
        JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder()
                .subject("u-1")
                .issuer("https://issuer.example")
                .audience("shop")
                .expirationTime(Date.from(Instant.ofEpochSecond(clock.epochMicros() / 1_000_000 + 600)));
        if (!from.equals(Instant.MIN)) {
            claims.notBeforeTime(Date.from(from));
        }
        SignedJWT jwt = new SignedJWT(
                new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(id).build(), claims.build());
        try {
            jwt.sign(new RSASSASigner(key));
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
        return jwt.serialize();
    }

    private static RSAKey key(String id) {
        try {
            return new RSAKeyGenerator(2048).keyID(id).generate();
        } catch (JOSEException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<RSAKey> named(RSAKey key, String... ids) {
        return Stream.of(ids).map(id -> renamed(key, id)).toList();
    }

    private static RSAKey renamed(RSAKey key, String id) {
        return new RSAKey.Builder(key).keyID(id).build();
    }

    private final class CountedVerifier implements JWSVerifier {

        private final JWSVerifier behind;

        CountedVerifier(JWSVerifier behind) {
            this.behind = behind;
        }

        @Override
        public boolean verify(JWSHeader header, byte[] input, Base64URL signature) throws JOSEException {
            verified.incrementAndGet();
            return behind.verify(header, input, signature);
        }

        @Override
        public Set<JWSAlgorithm> supportedJWSAlgorithms() {
            return behind.supportedJWSAlgorithms();
        }

        @Override
        public JCAContext getJCAContext() {
            return behind.getJCAContext();
        }
    }
}
