package io.sluice.rules.internal.match;

import io.sluice.rules.model.Condition;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.Network;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Scopes and requests made of few words, so that they often match. */
public final class RandomScopes {

    private static final String[] METHODS = {"GET", "POST", "PUT"};

    private final SeededRandom random;
    private final int words;
    private final int deepest;

    /**
     * Creates a generator of scopes and requests.
     *
     * @param words how many values an attribute can have; the fewer, the more matches
     * @param deepest the length of the longest path
     */
    public RandomScopes(SeededRandom random, int words, int deepest) {
        this.random = random;
        this.words = words;
        this.deepest = deepest;
    }

    List<Scope> scopes(int count) {
        List<Scope> scopes = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            scopes.add(scope());
        }
        return scopes;
    }

    public Scope scope() {
        Set<String> methods = new HashSet<>();
        while (random.nextInt(3) == 0) {
            methods.add(random.oneOf(METHODS));
        }
        Map<String, Condition> match = new LinkedHashMap<>();
        for (String attribute : List.of("tenant", "header.x", "method", "service", "path", "ip")) {
            if (random.nextInt(5) == 0) {
                match.put(attribute, condition(attribute));
            }
        }
        return new Scope(
                random.nextInt(3) == 0 ? word() : null,
                random.nextInt(3) > 0 ? PathPattern.of(pattern()) : null,
                methods,
                match);
    }

    public Map<String, Condition> when() {
        return scope().match();
    }

    public Attributes request() {
        Map<String, String> request = new HashMap<>();
        putOften(request, "service", word());
        putOften(request, "path", path());
        putOften(request, "method", random.oneOf("get", "Post", "PUT", "x"));
        putOften(request, "tenant", random.nextInt(4) == 0 ? word() + word() : word());
        putOften(request, "header.X", random.nextInt(10) == 0 ? random.oneOf("", "é", "é𝄞", "w") : word());
        putOften(request, "ip", random.nextInt(10) == 0 ? "nonsense" : address());
        return Attributes.of(request);
    }

    private void putOften(Map<String, String> request, String name, String value) {
        if (random.nextInt(6) > 0) {
            request.put(name, value);
        }
    }

    private Condition condition(String attribute) {
        List<String> values = new ArrayList<>();
        do {
            values.add(
                    switch (attribute) {
                        case "ip" -> block();
                        case "path" ->
                            random.nextInt(2) == 0
                                    ? path().replace("*", "\\*")
                                    : random.oneOf("/*", "*", "/w1*", "*w1", "*/?1/*");
                        case "method" -> random.oneOf("get", "P*", "p?t", "*");
                        default -> value();
                    });
        } while (random.nextInt(3) == 0);
        return Condition.parse(attribute, values);
    }

    private String value() {
        return switch (random.nextInt(12)) {
            case 5 -> "w**";
            case 6 -> random.oneOf("*", "**", "", "*w*", "w*w*", "w?*", "é*𝄞", "*𝄞");
            case 0 -> "w*";
            case 1 -> "*" + random.nextInt(10);
            case 2 -> word() + "*";
            case 3 -> "w*" + random.nextInt(10);
            case 4 -> "*" + random.nextInt(10) + "?*";
            default -> word();
        };
    }

    private String block() {
        return switch (random.nextInt(6)) {
            case 3 -> network();
            case 0 -> "10.0.0.0/8";
            case 1 -> "10." + random.nextInt(2) + ".0.0/16";
            case 2 -> "2001:db8::/" + (32 + random.nextInt(97));
            default -> address();
        };
    }

    private String network() {
        Address address = Address.parse(address()).orElseThrow();
        return Network.of(address, random.nextInt(address.bytes().length * Byte.SIZE + 1))
                .toString();
    }

    private String address() {
        return random.nextInt(4) == 0
                ? "2001:db8::" + random.nextInt(words)
                : "10." + random.nextInt(2) + ".0." + random.nextInt(Math.min(words, 250));
    }

    private String pattern() {
        StringBuilder pattern = new StringBuilder();
        do {
            pattern.append('/').append(random.nextInt(3) == 0 ? "{x" + random.nextInt(2) + "}" : segment());
        } while (random.nextInt(deepest) > 0);
        return random.nextInt(50) == 0
                ? random.oneOf("/", "/**")
                : pattern.append(random.nextInt(3) == 0 ? "/**" : "").toString();
    }

    private String path() {
        StringBuilder path = new StringBuilder();
        do {
            path.append('/').append(segment());
        } while (random.nextInt(deepest) > 0);
        return random.nextInt(20) == 0 ? random.oneOf("*", "/") : path.toString();
    }

    private String segment() {
        return word();
    }

    private String word() {
        return "w" + random.nextInt(words);
    }
}
