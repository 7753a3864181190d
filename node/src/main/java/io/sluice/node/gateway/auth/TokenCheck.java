package io.sluice.node.gateway.auth;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.sluice.core.time.Clock;
import io.sluice.http.request.ClaimText;
import io.sluice.node.gateway.config.AuthSettings.Tokens;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Verifies JSON Web Tokens: with keys of ours and algorithms of ours alone, whatever a token says of either, and only those that end,
 * have begun, and are for us. Safe for use by many threads.
 *
 * <p>A token that was verified is taken for up to a minute without being verified again, not beyond its end, and not with other
 * keys.
 *
 * <p>Nimbus parses and verifies. Its processor around that is not used, because it does not tell a key that is not there, and may come,
 * from an algorithm that is not taken.
 */
final class TokenCheck {

    static final int LONGEST = 8 * 1024;

    private static final Duration TRUSTED = Duration.ofMinutes(1);
    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    private final Tokens settings;
    private final Clock clock;

    TokenCheck(Tokens settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** What came of it. */
    sealed interface Outcome {

        record Good(Identity who) implements Outcome {}

        /**
         * It is no proof.
         *
         * @param why in our own words
         */
        record Bad(String why) implements Outcome {}

        /** It names a key that is not there; perhaps it is a new one. */
        record KeyUnknown() implements Outcome {}
    }

    Outcome check(String token, KeyRing keys) {
        if (token.length() > LONGEST) {
            return new Outcome.Bad("too long");
        }
        long now = clock.epochMicros();
        Sha256 hash = Sha256.of(token);
        Identity known = keys.verified().find(hash, now);
        return known != null ? new Outcome.Good(known) : verify(token, hash, keys, now);
    }

    private Outcome verify(String token, Sha256 hash, KeyRing keys, long now) {
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            JWSHeader header = jwt.getHeader();
            if (!settings.algorithms().contains(header.getAlgorithm().getName()) || !isTaken(header)) {
                return new Outcome.Bad("of a kind that is not taken");
            }
            List<JWSVerifier> candidates = keys.candidates(header.getAlgorithm(), header.getKeyID());
            if (candidates.isEmpty()) {
                return new Outcome.KeyUnknown();
            }
            return isSigned(jwt, candidates)
                    ? judge(jwt.getJWTClaimsSet(), hash, keys, now)
                    : new Outcome.Bad("not signed by its issuer");
        } catch (ParseException | RuntimeException | StackOverflowError e) {
            return new Outcome.Bad("unreadable");
        }
    }

    /** Extensions that must be understood are not understood; keys that a token brings along are not looked at. */
    private static boolean isTaken(JWSHeader header) {
        JOSEObjectType type = header.getType();
        return header.getCriticalParams() == null
                && header.isBase64URLEncodePayload()
                && (type == null || TYPES.contains(type.getType().toLowerCase(Locale.ROOT)));
    }

    private static boolean isSigned(SignedJWT jwt, List<JWSVerifier> candidates) {
        for (JWSVerifier verifier : candidates) {
            try {
                if (verifier.verify(jwt.getHeader(), jwt.getSigningInput(), jwt.getSignature())) {
                    return true;
                }
            } catch (JOSEException e) {
                // Not with this one.
            }
        }
        return false;
    }

    private Outcome judge(JWTClaimsSet claims, Sha256 hash, KeyRing keys, long now) {
        Instant at = Instant.EPOCH.plus(now, ChronoUnit.MICROS);
        if (claims.getExpirationTime() == null) {
            return new Outcome.Bad("without an end");
        }
        Instant end = claims.getExpirationTime().toInstant().plus(settings.skew());
        if (!end.isAfter(at)) {
            return new Outcome.Bad("expired");
        }
        if (claims.getNotBeforeTime() != null
                && claims.getNotBeforeTime().toInstant().minus(settings.skew()).isAfter(at)) {
            return new Outcome.Bad("not yet good");
        }
        if (settings.issuer().isPresent() && !settings.issuer().get().equals(claims.getIssuer())) {
            return new Outcome.Bad("of another issuer");
        }
        if (!settings.audience().isEmpty() && claims.getAudience().stream().noneMatch(settings.audience()::contains)) {
            return new Outcome.Bad("for somebody else");
        }
        Identity who = identity(claims);
        Instant trusted = at.plus(TRUSTED);
        keys.verified()
                .keep(hash, who, ChronoUnit.MICROS.between(Instant.EPOCH, end.isBefore(trusted) ? end : trusted));
        return new Outcome.Good(who);
    }

    private Identity identity(JWTClaimsSet claims) {
        Map<String, String> attributes = new HashMap<>();
        claims.getClaims().forEach((name, value) -> {
            String text = ClaimText.of(value);
            if (text != null) {
                attributes.put("claim." + name, text);
            }
        });
        settings.claims().forEach((attribute, claim) -> {
            String text = ClaimText.of(claims.getClaim(claim));
            if (text != null) {
                attributes.put(attribute, text);
            }
        });
        return new Identity(attributes);
    }
}
