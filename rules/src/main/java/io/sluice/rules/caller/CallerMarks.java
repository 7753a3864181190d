package io.sluice.rules.caller;

import io.sluice.rules.model.AbsentPolicy;
import io.sluice.rules.model.By;
import io.sluice.rules.model.Privacy;
import io.sluice.rules.model.Rule;
import io.sluice.rules.model.RuleLimit;
import io.sluice.rules.pattern.Address;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.CallerTrial;
import io.sluice.rules.snapshot.RuleSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Names callers for people and for other processes without revealing their identity. Thread-safe.
 *
 * <p>A mark has a masked text and a keyed hash. Each costs about a microsecond, so marks are not made on the thread that decides.
 */
public final class CallerMarks {

    private static final String STARS = "****";

    /** The minimum length of a value whose end is shown. A shorter value would reveal too much. */
    private static final int SHORTEST_WITH_END = 6;

    /** The attributes that describe the purpose of a request and not its caller. */
    private static final Set<String> OPEN = Set.of("service", "path", "method");

    private static final List<By> ADDRESS = List.of(By.attribute("ip"));

    private final CallerKeys keys;

    /** The attributes that the last rule set counts by. */
    private volatile Counted counted = new Counted(null, Set.of(), Set.of());

    /** @param hidden the attributes that some limit counts under {@code privacy: hash} */
    private record Counted(@Nullable RuleSet set, Set<String> attributes, Set<String> hidden) {}

    public CallerMarks(KeySettings settings) {
        this.keys = settings.keys();
    }

    /**
     * Returns the caller that a limit counts, or the address if the limit counts all callers together or there is no limit; empty if no
     * attribute distinguishes callers.
     *
     * @param limit the name of the limit in reports; null if a rule decided
     */
    public Optional<CallerMark> caller(RuleSet set, @Nullable Rule rule, @Nullable String limit, Attributes request) {
        Optional<RuleLimit> own = limit(rule, limit).filter(each -> !each.by().isEmpty());
        if (own.isEmpty()) {
            return of(set, "ip", request);
        }
        RuleLimit found = own.get();
        return Optional.of(mark(set, found.by(), found.absent(), found.privacy(), request));
    }

    /** Returns the attributes of which {@link #caller} consists, such as {@code tenant,user}. */
    public static String attributes(@Nullable Rule rule, @Nullable String limit) {
        return limit(rule, limit)
                .filter(each -> !each.by().isEmpty())
                .map(each -> {
                    StringJoiner names = new StringJoiner(",");
                    each.by().forEach(by -> names.add(by.attribute()));
                    return names.toString();
                })
                .orElse("ip");
    }

    /** Returns all attributes that may identify {@link #caller}, such as {@code user} and its fallbacks. */
    public static Set<String> names(@Nullable Rule rule, @Nullable String limit) {
        Set<String> names = new HashSet<>();
        limit(rule, limit).ifPresent(found -> found.by().forEach(by -> {
            names.add(by.attribute());
            by.otherwise().ifPresent(names::add);
        }));
        return names;
    }

    /** Returns whether a limit in force counts by this attribute under {@code privacy: hash}. */
    public boolean hides(RuleSet set, String attribute) {
        return hidden(set).contains(attribute);
    }

    /** Returns one attribute of a request; empty if the request lacks it. */
    public Optional<CallerMark> of(RuleSet set, String attribute, Attributes request) {
        if (keys.counted(attribute, request) == null) {
            return Optional.empty();
        }
        List<By> by = attribute.equals("ip") ? ADDRESS : List.of(By.attribute(attribute));
        return Optional.of(mark(set, by, AbsentPolicy.SHARE, Privacy.PLAIN, request));
    }

    private CallerMark mark(RuleSet set, List<By> by, AbsentPolicy absent, Privacy privacy, Attributes request) {
        String hash = keys.keyedHash(by, absent, request);
        Set<String> hides = hidden(set);
        StringJoiner shown = new StringJoiner(",");
        for (By each : by) {
            if (privacy == Privacy.HASH || hides.contains(each.attribute())) {
                return new CallerMark("", hash);
            }
            String name = each.attribute();
            String value = keys.counted(name, request);
            if (value == null && each.otherwise().isPresent()) {
                name = each.otherwise().get();
                value = keys.counted(name, request);
            }
            if (value == null && absent == AbsentPolicy.IP) {
                name = "ip";
                value = keys.counted(name, request);
            }
            if (hides.contains(name)) {
                return new CallerMark("", hash);
            }
            shown.add(value == null ? "" : mask(name, value));
        }
        return new CallerMark(shown.toString(), hash);
    }

    /** Returns a value masked for people: {@code u****86}, {@code 203.0.113.*}. */
    public static String mask(String attribute, String value) {
        if (attribute.equals("ip")) {
            return maskAddress(value);
        }
        int length = value.codePointCount(0, value.length());
        if (length < 3) {
            return STARS;
        }
        String first = value.substring(0, value.offsetByCodePoints(0, 1));
        String last = length < SHORTEST_WITH_END ? "" : value.substring(value.offsetByCodePoints(value.length(), -2));
        return printable(first + STARS + last);
    }

    /** Replaces invisible characters, and characters that change their neighbours, by question marks. */
    private static String printable(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(each -> {
            int type = Character.getType(each);
            boolean strange = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR
                    || type == Character.UNASSIGNED;
            shown.appendCodePoint(strange ? '?' : each);
        });
        return shown.toString();
    }

    /** Hides the last number of an IPv4 address, and all but the first three numbers of an IPv6 address. */
    private static String maskAddress(String value) {
        if (value.equals(Address.UNKNOWN)) {
            return value;
        }
        int dot = value.lastIndexOf('.');
        if (dot > 0 && value.indexOf(':') < 0) {
            return value.substring(0, dot) + ".*";
        }
        String[] groups = value.split(":", -1);
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < Math.min(3, groups.length) && !groups[i].isEmpty(); i++) {
            shown.append(groups[i]).append(':');
        }
        return shown.append('*').toString();
    }

    /**
     * Returns the attributes that some limit of the rules in force, or of the rules on trial, counts under {@code privacy: hash}. No part
     * of their values may be shown.
     */
    public Set<String> hidden(RuleSet set) {
        return counted(set).hidden;
    }

    /**
     * Returns the values of a request that identify the caller, with their masks: the values of the given attributes, and of the attributes
     * that any limit of the rules in force or on trial counts by. Service, path and method identify the caller only if a limit hides them.
     */
    public MaskedValues values(RuleSet set, Set<String> attributes, Attributes request) {
        Counted all = counted(set);
        Set<String> names = new HashSet<>(all.attributes);
        names.addAll(attributes);
        names.removeIf(name -> OPEN.contains(name) && !all.hidden.contains(name));
        MaskedValues values = new MaskedValues();
        for (String name : names) {
            String value = request.get(name);
            if (value != null) {
                of(set, name, request).ifPresent(mark -> values.add(value, mark.shown()));
            }
        }
        return values;
    }

    @SuppressWarnings("ReferenceEquality") // a set is never equal to another set
    private Counted counted(RuleSet set) {
        Counted known = counted;
        if (known.set != set) {
            Set<String> names = new HashSet<>();
            Set<String> hidden = new HashSet<>();
            CallerTrial trial = set.trial();
            List<Rule> rules = new ArrayList<>(set.rules());
            rules.addAll(trial == null ? List.of() : trial.rules().rules());
            for (Rule rule : rules) {
                for (List<RuleLimit> limits : List.of(rule.limits(), rule.candidate())) {
                    for (RuleLimit limit : limits) {
                        Set<String> own = new HashSet<>();
                        limit.by().forEach(by -> {
                            own.add(by.attribute());
                            by.otherwise().ifPresent(own::add);
                        });
                        names.addAll(own);
                        if (limit.privacy() == Privacy.HASH) {
                            hidden.addAll(own);
                        }
                    }
                }
            }
            known = new Counted(set, Set.copyOf(names), Set.copyOf(hidden));
            counted = known;
        }
        return known;
    }

    private static Optional<RuleLimit> limit(@Nullable Rule rule, @Nullable String limit) {
        return rule == null || limit == null
                ? Optional.empty()
                : rule.limits().stream().filter(each -> each.id().equals(limit)).findFirst();
    }
}
