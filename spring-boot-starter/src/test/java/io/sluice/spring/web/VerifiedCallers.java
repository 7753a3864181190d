package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** Tests of callers whose tokens Spring Security verifies, for every server. */
abstract class VerifiedCallers {

    static final SecretKey KEY =
            new SecretKeySpec("of these tests, and of no others".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

    private static final String RULES = """
            rules:
              - { id: orgs, resource: /later, limits: [ { by: tenant, absent: skip, limit: 2, window: 1h } ] }
              - { id: free, resource: /x, match: { claim.tier: free }, limits: [ { limit: 0, window: 1h } ] }
              - { id: users, resource: /current, limits: [ { by: user, absent: ip, limit: 1, window: 1h } ] }
            """;

    abstract RunningApp.Starting app();

    private RunningApp started() {
        return app().with("sluice.web.claims.tenant=org").rules(RULES);
    }

    private static String bearer(String user, String org, String tier) throws JOSEException {
        SignedJWT token = new SignedJWT(
                new JWSHeader(JWSAlgorithm.HS256),
                new JWTClaimsSet.Builder()
                        .subject(user)
                        .claim("org", org)
                        .claim("tier", tier)
                        .build());
        token.sign(new MACSigner(KEY.getEncoded()));
        return "Bearer " + token.serialize();
    }

    @Test
    void rulesCountByClaimsOfVerifiedTokens() throws Exception {
        try (RunningApp app = started()) {
            String ada = bearer("ada", "acme", "pro");
            String bob = bearer("bob", "acme", "free");
            assertThat(status(app, "/later", "Authorization", ada)).isEqualTo(200);
            assertThat(status(app, "/later", "Authorization", bob)).isEqualTo(200);
            assertThat(status(app, "/later", "Authorization", ada)).isEqualTo(429);
            assertThat(status(app, "/later", "Authorization", bearer("eve", "other", "pro")))
                    .isEqualTo(200);
            assertThat(status(app, "/x", "Authorization", ada)).isEqualTo(200);
            assertThat(status(app, "/x", "Authorization", bob)).isEqualTo(429);
        }
    }

    @Test
    void valuesSentByTheCallerChangeNothing() throws Exception {
        try (RunningApp app = started()) {
            String ada = bearer("ada", "acme", "free");
            HttpResponse<String> first =
                    app.get("/current", "Authorization", ada, "X-User", "bob", "X-Tenant", "other", "User", "bob");
            assertThat(first.body()).endsWith(" ada");
            assertThat(status(app, "/current", "Authorization", ada, "X-User", "carol"))
                    .isEqualTo(429);
            assertThat(status(app, "/x?tier=pro", "Authorization", ada, "Claim.Tier", "pro", "X-Claim-Tier", "pro"))
                    .isEqualTo(429);
        }
    }

    @Test
    void unverifiedCallersHaveNoIdentity() throws Exception {
        try (RunningApp app = started()) {
            assertThat(app.get("/current", "X-User", "ada").body()).endsWith(" null");
            assertThat(status(app, "/current", "X-User", "bob")).isEqualTo(429);
            for (int i = 0; i < 4; i++) {
                assertThat(status(app, "/later", "X-Tenant", "acme")).isEqualTo(200);
            }
            String forged = bearer("ada", "acme", "pro");
            String other = forged.substring(0, forged.lastIndexOf('.') + 1)
                    + new StringBuilder(forged.substring(forged.lastIndexOf('.') + 1)).reverse();
            assertThat(status(app, "/later", "Authorization", other)).isEqualTo(401);
        }
    }

    private static int status(RunningApp app, String target, String... headers) throws Exception {
        return app.get(target, headers).statusCode();
    }
}
