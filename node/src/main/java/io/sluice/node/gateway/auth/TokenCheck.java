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
import org.jspecify.annotations.Nullable;

/**
 * Verifies JSON Web Tokens. The configured keys and algorithms decide, whatever the token claims. A token must have an expiration time,
 * be valid now, and be meant for this gateway. Thread-safe.
 *
 * <p>A verified token is accepted for up to a minute without another verification, but not after its expiration and not with other keys.
 * A refused token is refused for a few seconds without another verification, so that a flood of copies of one forged token costs one
 * verification.
 *
 * <p>Nimbus parses and verifies. Its processor is not used, because it does not distinguish an unknown key, which may still be published,
 * from an algorithm that is not accepted.
 */
final class TokenCheck {

    static final int LONGEST = 8 * 1024;

    private static final Duration TRUSTED = Duration.ofMinutes(1);
    private static final Duration DISTRUSTED = Duration.ofSeconds(5);
    private static final Outcome.Bad TOO_LONG = new Outcome.Bad("too long");
    private static final Outcome.Bad TOO_EARLY = new Outcome.Bad("not valid yet");
    private static final Set<String> TYPES = Set.of("jwt", "at+jwt", "application/at+jwt");

    private final Tokens settings;
    private final Clock clock;

    TokenCheck(Tokens settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The result of a check. */
    sealed interface Outcome {

        record Good(Identity who) implements Outcome {}

        /**
         * The token is invalid.
         *
         * @param why the reason, without any part of the token
         */
        record Bad(String why) implements Outcome {}

        /** The token names an unknown key, which may be a new one. */
        record KeyUnknown() implements Outcome {}

        /** Too many tokens wait for their check. */
        record NotChecked() implements Outcome {}
    }

    /** Returns the result of a recent check; null if the token has to be checked. Takes no longer than a hash. */
    @Nullable
    Outcome recall(String token, KeyRing keys) {
        return token.length() > LONGEST ? TOO_LONG : recall(Sha256.of(token), keys, clock.epochMicros());
    }

    /** Checks a token, unless it was checked recently. May take as long as verifying several signatures. */
    Outcome check(String token, KeyRing keys) {
        if (token.length() > LONGEST) {
            return TOO_LONG;
        }
        long now = clock.epochMicros();
        Sha256 hash = Sha256.of(token);
        Outcome known = recall(hash, keys, now);
        if (known != null) {
            return known;
        }
        Outcome outcome = verify(token, hash, keys, now);
        if (outcome instanceof Outcome.Bad bad && !bad.equals(TOO_EARLY)) {
            keys.refused().keep(hash, bad, now + DISTRUSTED.toNanos() / 1_000);
        }
        return outcome;
    }

    private static @Nullable Outcome recall(Sha256 hash, KeyRing keys, long now) {
        Identity known = keys.verified().find(hash, now);
        return known != null ? new Outcome.Good(known) : keys.refused().find(hash, now);
    }

    private Outcome verify(String token, Sha256 hash, KeyRing keys, long now) {
        try {
            SignedJWT jwt = SignedJWT.parse(token);
            JWSHeader header = jwt.getHeader();
            if (!settings.algorithms().contains(header.getAlgorithm().getName()) || !isTaken(header)) {
                return new Outcome.Bad("its type or algorithm is not accepted");
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

    /** Refuses critical extensions, because none is supported. Keys that a token contains are ignored. */
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
                // Another key may match.
            }
        }
        return false;
    }

    private Outcome judge(JWTClaimsSet claims, Sha256 hash, KeyRing keys, long now) {
        Instant at = Instant.EPOCH.plus(now, ChronoUnit.MICROS);
        if (claims.getExpirationTime() == null) {
            return new Outcome.Bad("no expiration time");
        }
        Instant end = claims.getExpirationTime().toInstant().plus(settings.skew());
        if (!end.isAfter(at)) {
            return new Outcome.Bad("expired");
        }
        if (claims.getNotBeforeTime() != null
                && claims.getNotBeforeTime().toInstant().minus(settings.skew()).isAfter(at)) {
            return TOO_EARLY;
        }
        if (settings.issuer().isPresent() && !settings.issuer().get().equals(claims.getIssuer())) {
            return new Outcome.Bad("from another issuer");
        }
        if (!settings.audience().isEmpty() && claims.getAudience().stream().noneMatch(settings.audience()::contains)) {
            return new Outcome.Bad("for another audience");
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
