package io.sluice.rules.caller;

import io.sluice.core.spi.KeyMatch;
import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.model.Scope;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The keys under which counts of one subject are stored: all counts with one value of one attribute. Immutable and thread-safe. It has no
 * text form that shows the subject.
 *
 * <p>Plain keys, such as {@code tenant=a&user=u-17}, {@code user~ip=192.0.2.7} and keys behind the hash tag {@code {a}}, are recognised by
 * their text, for any limit. So counts of rules that have changed, of candidates and of trials are also found. An IPv6 address stands for
 * its network, because the network is what was counted.
 *
 * <p>Keys of recordings, whose values are hashed one by one ({@link KeyMask}), are recognised in the same way.
 *
 * <p>Keys that are a hash are computed for the limits in force, for all combinations of the known attributes. If a limit counts by several
 * attributes and one of them is not known, its hashed keys cannot be found, and {@link #unfound} reports it.
 */
public final class SubjectKeys {

    private final Set<String> names = new HashSet<>();
    private final Set<String> parts = new HashSet<>();
    private final String text;
    private final @Nullable String addressPart;
    private final @Nullable String maskedAddressPart;
    private final @Nullable String tag;
    private final Set<String> hashed = new LinkedHashSet<>();
    private final Set<String> named = new HashSet<>();
    private final Set<String> unfound = new TreeSet<>();

    private SubjectKeys(Search search, List<Rule> rules) {
        names.add(search.attribute);
        for (Rule rule : rules) {
            limits(rule).forEach(limit -> limit.by().stream()
                    .filter(by ->
                            by.otherwise().filter(search.attribute::equals).isPresent())
                    .forEach(by -> names.add(by.attribute())));
        }
        String counted = search.counted();
        text = escaped(counted);
        names.forEach(name -> {
            parts.add(escaped(name) + "=" + text);
            parts.add(escaped(name) + KeyMask.HASHED_VALUE + search.keys.valueHash(name, counted));
        });
        boolean isAddress = search.attribute.equals("ip");
        addressPart = isAddress ? "~ip=" + text : null;
        maskedAddressPart =
                isAddress ? "~ip" + KeyMask.HASHED_VALUE + search.keys.valueHash(search.attribute, counted) : null;
        tag = search.together.filter(names::contains).isPresent() ? text : null;
        named.add(text);
        add(search, Scope.EVERYTHING, By.attribute(search.attribute), Privacy.HASH);
        add(search, Scope.EVERYTHING, By.attribute(search.attribute), Privacy.PLAIN);
        for (Rule rule : rules) {
            limits(rule).forEach(limit -> {
                add(search, rule.scope(), limit.by(), limit.absent(), limit.privacy());
                if (limit.privacy() != Privacy.HASH) {
                    // No count has this key, but other places identify the caller by the hash.
                    add(search, rule.scope(), limit.by(), limit.absent(), Privacy.HASH);
                }
                search.missing(limit).ifPresent(missing -> unfound.add(sentence(limit, missing)));
            });
        }
    }

    /**
     * Finds the keys of a subject.
     *
     * @param attribute the attribute, such as {@code user}
     * @param value the value as requests have it
     * @param known further attributes of the subject's requests
     * @param rules the rules in force
     * @param settings the settings for building keys from callers
     * @throws IllegalArgumentException if the attributes have no valid form: {@code ip} is not an address, or a path has no normal form.
     *     The message may contain the values
     */
    public static SubjectKeys of(
            String attribute, String value, Map<String, String> known, RuleSet rules, KeySettings settings) {
        CallerTrial trial = rules.trial();
        List<Rule> all = new ArrayList<>(rules.rules());
        all.addAll(trial == null ? List.of() : trial.rules().rules());
        return new SubjectKeys(
                new Search(Attributes.normalisedName(attribute), value, known, settings.keys(), settings.hashTag()),
                all);
    }

    /** Returns whether a key of a count belongs to the subject. */
    public boolean matches(String key) {
        int close = key.startsWith("{") ? key.indexOf('}') : -1;
        if (close > 0 && tag != null && key.substring(1, close).equals(tag)) {
            return true;
        }
        String rest = key.substring(close + 1);
        if (rest.startsWith("!")) {
            return hashed.contains(rest);
        }
        if (!rest.contains(text) && !rest.contains(KeyMask.HASHED_VALUE)) {
            return false;
        }
        for (String part : rest.split("&", -1)) {
            if (parts.contains(part)
                    || (addressPart != null && part.endsWith(addressPart))
                    || (maskedAddressPart != null && part.endsWith(maskedAddressPart))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the match for the counts of the subject in an engine. */
    public KeyMatch match() {
        return new KeyMatch(this::matches, named);
    }

    /** Returns the keyed hashes of the subject, as {@link io.sluice.rules.adjust.Caller.ByHash} and {@link CallerMark} have them. */
    public List<String> hashes() {
        return hashed.stream()
                .filter(key -> key.startsWith(CallerKeys.HASHED))
                .map(key -> key.substring(CallerKeys.HASHED.length()))
                .toList();
    }

    /**
     * Returns sentences about counts of the subject that cannot be found, and the time that they stay. The sentences do not name the
     * subject.
     */
    public List<String> unfound() {
        return List.copyOf(unfound);
    }

    @Override
    public String toString() {
        return "SubjectKeys(hidden)";
    }

    private void add(Search search, Scope scope, By by, Privacy privacy) {
        add(search, scope, List.of(by), AbsentPolicy.SKIP, privacy);
    }

    private void add(Search search, Scope scope, List<By> by, AbsentPolicy absent, Privacy privacy) {
        for (Attributes request : search.requests(by, absent)) {
            String key = search.key(by, absent, privacy, request);
            if (key != null) {
                named.add(key);
                named.add(search.keys.tagged(key, scope, by, privacy, request));
                if (key.startsWith("!")) {
                    hashed.add(key);
                }
            }
        }
    }

    private static Stream<RuleLimit> limits(Rule rule) {
        return Stream.concat(rule.limits().stream(), rule.candidate().stream());
    }

    private static String escaped(String text) {
        StringBuilder key = new StringBuilder();
        KeyText.append(text, key);
        return key.toString();
    }

    private static String sentence(RuleLimit limit, String missing) {
        String which = limit.privacy() == Privacy.HASH
                ? "counts of " + limit.id() + " cannot be found, because they are stored under a hash"
                : "counts of " + limit.id() + " with a key of more than " + CallerKeys.LONGEST
                        + " characters cannot be found, because they are stored under a hash";
        return which + " that includes " + missing + ", which is not known; they expire within "
                + inWords(2 * limit.limit().windowMicros());
    }

    private static String inWords(long micros) {
        long seconds = Math.max(1, TimeUnit.MICROSECONDS.toSeconds(micros + 999_999));
        if (seconds <= 120) {
            return seconds + " s";
        }
        long minutes = (seconds + 59) / 60;
        if (minutes <= 120) {
            return minutes + " minutes";
        }
        long hours = (minutes + 59) / 60;
        return hours <= 48 ? hours + " hours" : (hours + 23) / 24 + " days";
    }

    /** The subject, and requests that it may have sent. */
    private record Search(
            String attribute, String value, Map<String, String> known, CallerKeys keys, Optional<String> together) {

        Search {
            Map<String, String> others = new HashMap<>();
            known.forEach((name, text) -> others.put(Attributes.normalisedName(name), text));
            others.remove(attribute);
            known = Map.copyOf(others);
        }

        String counted() {
            Attributes alone = Attributes.of(Map.of(attribute, value));
            if (attribute.equals("ip") && alone.address() == null) {
                throw new IllegalArgumentException("ip: not an address (expected: an address such as 192.0.2.7)");
            }
            String counted = keys.counted(attribute, alone);
            return counted == null ? value : counted;
        }

        /** Returns a request for each combination of the known attributes that matter to a limit. */
        List<Attributes> requests(List<By> by, AbsentPolicy absent) {
            List<String> some = known.keySet().stream()
                    .filter(name -> uses(by, name)
                            || (name.equals("ip") && absent == AbsentPolicy.IP)
                            || together.filter(name::equals).isPresent())
                    .sorted()
                    .toList();
            List<Attributes> requests = new ArrayList<>(1 << some.size());
            for (int chosen = 0; chosen < 1 << some.size(); chosen++) {
                Map<String, String> given = new HashMap<>();
                for (int i = 0; i < some.size(); i++) {
                    if ((chosen >> i & 1) == 1) {
                        given.put(some.get(i), known.get(some.get(i)));
                    }
                }
                given.put(attribute, value);
                requests.add(Attributes.of(given));
            }
            return requests;
        }

        /** Returns the key of a request, or null if the subject's attribute does not contribute to it. */
        @Nullable
        String key(List<By> by, AbsentPolicy absent, Privacy privacy, Attributes request) {
            Map<String, String> others = new HashMap<>();
            request.names().stream()
                    .filter(name -> !name.equals(attribute))
                    .forEach(name -> others.put(name, String.valueOf(request.get(name))));
            CallerKey with = keys.key(by, absent, privacy, request);
            CallerKey without = keys.key(by, absent, privacy, Attributes.of(others));
            return with instanceof CallerKey.Of of && !with.equals(without) ? of.text() : null;
        }

        /** Returns a missing attribute without which the hashed keys of a limit cannot be computed; empty if they can be computed. */
        Optional<String> missing(RuleLimit limit) {
            List<By> by = limit.by();
            for (int own = 0; own < by.size(); own++) {
                if (!uses(List.of(by.get(own)), attribute)
                        && !(attribute.equals("ip") && limit.absent() == AbsentPolicy.IP)) {
                    continue;
                }
                for (int other = 0; other < by.size(); other++) {
                    if (other != own && !isKnown(by.get(other))) {
                        return Optional.of(by.get(other).attribute());
                    }
                }
            }
            return Optional.empty();
        }

        private boolean isKnown(By by) {
            return uses(List.of(by), attribute) || known.keySet().stream().anyMatch(name -> uses(List.of(by), name));
        }

        private static boolean uses(List<By> by, String name) {
            return by.stream()
                    .anyMatch(each -> each.attribute().equals(name)
                            || each.otherwise().filter(name::equals).isPresent());
        }
    }
}
