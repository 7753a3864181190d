package io.sluice.node.gateway.config;

import io.sluice.node.gateway.config.AuthSettings.ApiKeys;
import io.sluice.node.gateway.config.AuthSettings.KeySource;
import io.sluice.node.gateway.config.AuthSettings.Tokens;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.YamlValue.YamlScalar;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Reads the section {@code auth}. */
final class AuthReader {

    private static final List<String> TOKEN_KEYS =
            List.of("jwks", "algorithms", "audience", "issuer", "claims", "skew");
    private static final List<String> KEYS =
            List.of("jwks", "algorithms", "audience", "issuer", "claims", "skew", "api_keys", "api_key_header");

    private static final Duration LONGEST_SKEW = Duration.ofMinutes(5);

    private AuthReader() {}

    /** Reads the section. Returns empty if it is missing or has errors. */
    static Optional<AuthSettings> read(Settings root) {
        Settings own = root.in("auth", KEYS);
        if (own.fields().isEmpty()) {
            return Optional.empty();
        }
        Fields fields = own.fields().get();
        if (!own.has("jwks") && !own.has("api_keys")) {
            own.error("jwks", "auth: neither jwks nor api_keys (expected: at least one of the two)");
            return Optional.empty();
        }
        Optional<Tokens> tokens = tokens(own, fields);
        Optional<ApiKeys> apiKeys = apiKeys(own, fields);
        return tokens.isEmpty() && apiKeys.isEmpty()
                ? Optional.empty()
                : Optional.of(new AuthSettings(tokens, apiKeys));
    }

    private static Optional<Tokens> tokens(Settings own, Fields fields) {
        if (!own.has("jwks")) {
            TOKEN_KEYS.stream()
                    .filter(fields::has)
                    .forEach(key ->
                            fields.refuseKey(key, key + ": set without jwks (expected: jwks, the issuer's keys)"));
            return Optional.empty();
        }
        Optional<KeySource> jwks = fields.read("jwks", text -> source(own, text));
        Set<String> algorithms = words(fields, "algorithms").orElse(AuthSettings.DEFAULT_ALGORITHMS);
        Set<String> audience = words(fields, "audience").orElse(Set.of());
        Optional<String> issuer = own.text("issuer");
        Map<String, String> claims = claims(own, fields);
        Duration skew = fields.isWord("skew", "0s") || fields.isWord("skew", "0")
                ? Duration.ZERO
                : own.span("skew", Duration.ofMillis(1), LONGEST_SKEW, AuthSettings.DEFAULT_SKEW);
        return jwks.flatMap(source ->
                refusing(own, "algorithms", () -> new Tokens(source, algorithms, audience, issuer, claims, skew)));
    }

    private static Optional<ApiKeys> apiKeys(Settings own, Fields fields) {
        if (!own.has("api_keys")) {
            if (fields.has("api_key_header")) {
                fields.refuseKey(
                        "api_key_header",
                        "api_key_header: set without api_keys (expected: api_keys, the file of keys)");
            }
            return Optional.empty();
        }
        String header = own.text("api_key_header").orElse(AuthSettings.DEFAULT_HEADER);
        return own.path("api_keys").flatMap(file -> refusing(own, "api_key_header", () -> new ApiKeys(file, header)));
    }

    private static KeySource source(Settings own, String text) {
        if (!text.contains("://")) {
            return new KeySource.File(own.beside(text));
        }
        try {
            return new KeySource.Url(new URI(text));
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(
                    "jwks: " + PrintableText.text(text) + " (expected: a file, https://…, or http:// on this machine)",
                    e);
        }
    }

    private static Optional<Set<String>> words(Fields fields, String key) {
        return fields.words(key).map(words -> {
            Set<String> texts = new LinkedHashSet<>();
            words.forEach(word -> texts.add(word.text()));
            return texts;
        });
    }

    private static Map<String, String> claims(Settings own, Fields fields) {
        return fields.entries("claims")
                .<Map<String, String>>map(entries -> {
                    Map<String, String> claims = new LinkedHashMap<>();
                    entries.forEach((name, value) -> {
                        if (value instanceof YamlScalar claim && !claim.isNull()) {
                            claims.put(name.text(), claim.text());
                        } else {
                            own.errors()
                                    .add(
                                            value.place(),
                                            "claims: " + value.shown() + " (expected: the name of a claim)");
                        }
                    });
                    return claims;
                })
                .orElse(AuthSettings.DEFAULT_CLAIMS);
    }

    /** Reports an error at the field that its message starts with. */
    private static <T> Optional<T> refusing(Settings own, String otherwise, Supplier<T> made) {
        try {
            return Optional.of(made.get());
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            int colon = message.indexOf(':');
            String key =
                    colon > 0 && KEYS.contains(message.substring(0, colon)) ? message.substring(0, colon) : otherwise;
            own.error(key, message);
            return Optional.empty();
        }
    }
}
