package io.sluice.node.gateway.auth;

import io.sluice.node.gateway.config.AuthSettings;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Fields;
import io.sluice.rules.yaml.YamlReader;
import io.sluice.rules.yaml.YamlValue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** API keys by their hashes, with their owners. Immutable. */
final class ApiKeyTable {

    private static final List<String> FIELDS = List.of("sha256", "name", "user", "tenant", "app", "plan");
    private static final String HASH = "[0-9a-f]{64}";

    /** Entries by the first eight bytes of the hash; the rest is compared in constant time. */
    private final Map<Long, List<Entry>> entries;

    private record Entry(Sha256 hash, Identity who) {}

    private ApiKeyTable(Map<Long, List<Entry>> entries) {
        this.entries = entries;
    }

    /** Reads a document, or refuses all of it. Errors do not show hashes, because one may be a key by mistake. */
    static ApiKeyTable read(String file, String text) throws AuthUnreadableException {
        Errors errors = new Errors(file);
        Map<Long, List<Entry>> entries = new HashMap<>();
        YamlReader.read(file, text, errors)
                .flatMap(root -> Fields.of("keys", root, List.of("keys"), errors))
                .ifPresent(root -> {
                    if (!root.has("keys")) {
                        errors.add(root.place(), "keys: missing (expected: a list)");
                    }
                    root.list("keys").orElse(List.of()).forEach(key -> read(key, entries, errors));
                });
        if (!errors.isEmpty()) {
            throw new AuthUnreadableException(errors.list().get(0).toString());
        }
        return new ApiKeyTable(entries);
    }

    private static void read(YamlValue value, Map<Long, List<Entry>> entries, Errors errors) {
        Optional<Fields> read = Fields.of("key", value, FIELDS, errors);
        if (read.isEmpty()) {
            return;
        }
        Fields fields = read.get();
        Map<String, String> who = new HashMap<>();
        for (String attribute : AuthSettings.ATTRIBUTES) {
            fields.text(attribute).ifPresent(text -> who.put(attribute, text));
        }
        fields.text("name");
        String hash = fields.text("sha256").orElse("").toLowerCase(Locale.ROOT);
        if (!hash.matches(HASH)) {
            errors.add(fields.place(), "sha256: unreadable (expected: the 64 hexadecimal digits of the key's SHA-256)");
        } else if (who.isEmpty()) {
            errors.add(fields.place(), "key: no owner (expected: user, tenant, app or plan)");
        } else {
            Entry entry = new Entry(Sha256.of(HexFormat.of().parseHex(hash)), new Identity(who));
            List<Entry> same = entries.computeIfAbsent(entry.hash().first(), any -> new ArrayList<>(1));
            if (same.stream().anyMatch(other -> other.hash().equals(entry.hash()))) {
                errors.add(fields.place(), "sha256: occurs twice (expected: each key once)");
            }
            same.add(entry);
        }
    }

    /** Returns the owner of a key. */
    Optional<Identity> find(String key) {
        Sha256 hash = Sha256.of(key);
        Identity found = null;
        for (Entry entry : entries.getOrDefault(hash.first(), List.of())) {
            if (entry.hash().isSame(hash)) {
                found = entry.who();
            }
        }
        return Optional.ofNullable(found);
    }
}
