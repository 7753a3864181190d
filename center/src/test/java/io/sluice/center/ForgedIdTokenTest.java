package io.sluice.center;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sluice.center.signin.settings.MappedRole;
import io.sluice.center.signin.settings.OidcServer;
import io.sluice.center.signin.settings.SignInSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** An identity server that lies: tokens that are not for this center, and metadata that lead elsewhere. */
class ForgedIdTokenTest {

    private static final String REFUSED = "/sign-in?problem=refused";
    private static final String UNAVAILABLE = "/sign-in?problem=unavailable";

    private static final Map<String, Object> METADATA = new HashMap<>();
    private static final AtomicInteger FOREIGN_CALLS = new AtomicInteger();
    private static final RSAKey KEY = RsaKeys.FIRST;
    private static HttpServer server;
    private static HttpServer foreign;
    private static Center center;
    private static volatile String token = "";
    private static volatile int status = 200;

    @BeforeAll
    static void start(@TempDir Path directory) throws Exception {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/.well-known/openid-configuration", exchange -> {
            if (status == 302) {
                exchange.getResponseHeaders().set("Location", foreign() + "/metadata");
            }
            answer(exchange, status, JsonMapper.shared().writeValueAsString(METADATA));
        });
        server.createContext("/keys", exchange -> answer(exchange, 200, new JWKSet(KEY.toPublicJWK()).toString()));
        server.createContext(
                "/token",
                exchange -> answer(
                        exchange,
                        200,
                        "{\"access_token\":\"a\",\"token_type\":\"Bearer\",\"id_token\":\"" + token + "\"}"));
        server.start();
        foreign = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        foreign.createContext("/", exchange -> {
            FOREIGN_CALLS.incrementAndGet();
            answer(exchange, 200, "{}");
        });
        foreign.start();
        Path secret = Files.writeString(directory.resolve("secret"), "0123456789abcdef0123456789abcdef");
        center = Center.open(PreparedCenter.in(directory.resolve("data"))
                .signIn(SignInSettings.LOCAL.withServers(
                        List.of(
                                settings("good", secret),
                                settings("redirected", secret),
                                settings("keys", secret),
                                settings("tokens", secret),
                                settings("issuer", secret),
                                settings("broken", secret),
                                settings("users", secret)),
                        List.of())));
    }

    @AfterAll
    static void stop() {
        center.close();
        server.stop(0);
        foreign.stop(0);
    }

    @Test
    void aForgedIdTokenIsNeverTaken() throws Exception {
        metadata(Map.of());
        RSAKey another = RsaKeys.other("first");
        RSAKey unknown = RsaKeys.other("unknown");
        Instant now = Instant.now();
        assertThat(signIn((claims, nonce) -> signed(KEY, claims.build()))).isEqualTo("/");
        assertRefused("another key", (claims, nonce) -> signed(another, claims.build()));
        assertRefused("an unknown key", (claims, nonce) -> signed(unknown, claims.build()));
        assertRefused("no signature", (claims, nonce) -> new PlainJWT(claims.build()).serialize());
        assertRefused(
                "the public key as a password",
                (claims, nonce) -> signed(
                        new MACSigner(KEY.toPublicJWK().toString().getBytes(StandardCharsets.UTF_8)),
                        JWSAlgorithm.HS256,
                        claims.build()));
        assertRefused(
                "the client's secret as a key",
                (claims, nonce) ->
                        signed(new MACSigner("0123456789abcdef0123456789abcdef"), JWSAlgorithm.HS256, claims.build()));
        assertRefused("another audience", claims -> claims.audience("another"));
        assertRefused(
                "two audiences without the authorized party", claims -> claims.audience(List.of("another", "sluice")));
        assertRefused("another authorized party", claims -> claims.claim("azp", "another"));
        assertRefused("another issuer", claims -> claims.issuer("https://evil.example"));
        assertRefused("no issuer", claims -> claims.issuer(null));
        assertRefused("expired", claims -> claims.expirationTime(Date.from(now.minusSeconds(600)))
                .issueTime(Date.from(now.minusSeconds(900))));
        assertRefused("no expiry", claims -> claims.expirationTime(null));
        assertRefused("from the future", claims -> claims.issueTime(Date.from(now.plusSeconds(600))));
        assertRefused("not yet valid", claims -> claims.notBeforeTime(Date.from(now.plusSeconds(600))));
        assertRefused("another nonce", claims -> claims.claim("nonce", "another"));
        assertRefused("no nonce", claims -> claims.claim("nonce", null));
        assertRefused("no subject", claims -> claims.subject(null));
        assertRefused("a subject without an end", claims -> claims.subject("x".repeat(301)));
        assertRefused("a subject with half of a character", (claims, nonce) -> {
            // The library would write a question mark.
            String text = claims.build().toString().replace("\"17\"", "\"17\\ud800\"");
            JWSObject token = new JWSObject(
                    new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("first").build(), new Payload(text));
            token.sign(new RSASSASigner(KEY));
            return token.serialize();
        });
        assertRefused("garbage", (claims, nonce) -> "garbage");
    }

    @Test
    void onlyTheConfiguredIssuerIsEverContacted() throws Exception {
        status = 302;
        assertThat(begin("redirected")).isEqualTo(UNAVAILABLE);
        status = 200;
        metadata(Map.of("jwks_uri", foreign() + "/keys"));
        assertThat(begin("keys")).isEqualTo(UNAVAILABLE);
        metadata(Map.of("token_endpoint", foreign() + "/token"));
        assertThat(begin("tokens")).isEqualTo(UNAVAILABLE);
        metadata(Map.of("issuer", foreign().toString()));
        assertThat(begin("issuer")).isEqualTo(UNAVAILABLE);
        metadata(Map.of("response_types_supported", 7));
        assertThat(begin("broken")).isEqualTo(UNAVAILABLE);
        // The other way to learn about a person is left out if it is elsewhere.
        metadata(Map.of("userinfo_endpoint", foreign() + "/me"));
        assertThat(signIn("users", (claims, nonce) -> signed(KEY, claims.build())))
                .isEqualTo("/");
        assertThat(FOREIGN_CALLS).hasValue(0);
    }

    private interface Forger {
        String token(JWTClaimsSet.Builder claims, String nonce) throws JOSEException;
    }

    private interface ClaimChange {
        JWTClaimsSet.Builder on(JWTClaimsSet.Builder claims);
    }

    private static void assertRefused(String what, ClaimChange change) throws Exception {
        assertRefused(what, (claims, nonce) -> signed(KEY, change.on(claims).build()));
    }

    private static void assertRefused(String what, Forger forger) throws Exception {
        assertThat(signIn(forger)).as(what).isEqualTo(REFUSED);
    }

    private static String signIn(Forger forger) throws Exception {
        return signIn("good", forger);
    }

    private static String signIn(String name, Forger forger) throws Exception {
        OidcBrowser browser = new OidcBrowser(center);
        String start = center.publicUrl() + "/sign-in/oidc/" + name;
        String asked = OidcBrowser.at(browser.get(start)).orElseThrow();
        String nonce = OidcBrowser.parameter(asked, "nonce");
        Instant now = Instant.now();
        token = forger.token(
                new JWTClaimsSet.Builder()
                        .issuer(issuer().toString())
                        .subject("17")
                        .audience("sluice")
                        .issueTime(Date.from(now))
                        .expirationTime(Date.from(now.plusSeconds(300)))
                        .claim("nonce", nonce)
                        .claim("groups", "sre"),
                nonce);
        String end = browser.end(start + "/callback?code=c&state=" + OidcBrowser.parameter(asked, "state"));
        assertThat(browser.session().isPresent()).isEqualTo(end.equals("/"));
        return end;
    }

    private static String begin(String name) {
        return new OidcBrowser(center).end(center.publicUrl() + "/sign-in/oidc/" + name);
    }

    private static String signed(RSAKey by, JWTClaimsSet claims) throws JOSEException {
        return signed(new RSASSASigner(by), JWSAlgorithm.RS256, claims, by.getKeyID());
    }

    private static String signed(JWSSigner signer, JWSAlgorithm algorithm, JWTClaimsSet claims) throws JOSEException {
        return signed(signer, algorithm, claims, "first");
    }

    private static String signed(JWSSigner signer, JWSAlgorithm algorithm, JWTClaimsSet claims, String id)
            throws JOSEException {
        SignedJWT jwt = new SignedJWT(new JWSHeader.Builder(algorithm).keyID(id).build(), claims);
        jwt.sign(signer);
        return jwt.serialize();
    }

    private static void metadata(Map<String, Object> changes) {
        METADATA.clear();
        METADATA.putAll(Map.of(
                "issuer", issuer().toString(),
                "authorization_endpoint", issuer() + "/authorize",
                "token_endpoint", issuer() + "/token",
                "jwks_uri", issuer() + "/keys",
                "response_types_supported", List.of("code"),
                "subject_types_supported", List.of("public"),
                "id_token_signing_alg_values_supported", List.of("RS256")));
        METADATA.putAll(changes);
    }

    private static OidcServer settings(String name, Path secret) {
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

    private static URI foreign() {
        return URI.create("http://127.0.0.1:" + foreign.getAddress().getPort());
    }

    private static void answer(HttpExchange exchange, int code, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(code, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
