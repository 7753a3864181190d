package io.sluice.spring.boot.check;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A property that was renamed.
 *
 * @param before matches its earlier names, also as environment variables
 * @param now the present name
 */
record RenamedProperty(Pattern before, String now) {

    private static final List<RenamedProperty> ALL = List.of(
            of("sluice[._]client[._]trusted[-_]?proxies(.*)", "sluice.caller.trusted-proxies"),
            of("sluice[._]client[._]headers(.*)", "sluice.caller.headers"),
            of("sluice[._]client[._]ipv6[-_]?prefix", "sluice.caller.ipv6-prefix"),
            of("sluice[._]client[-_]?limits[._](?<name>[^.]+)\\.rate", "sluice.outbound.${name}.at-most"),
            of("sluice[._]client[-_]?limits[._](?<name>.+)", "sluice.outbound.${name}"),
            of("sluice[._]outbound[._](?<name>[^.]+)[._]rate", "sluice.outbound.${name}.at-most"),
            of("sluice[._]annotations[._]missing[-_]?rule", "sluice.missing-rule"));

    private static RenamedProperty of(String before, String now) {
        return new RenamedProperty(Pattern.compile(before, Pattern.CASE_INSENSITIVE), now);
    }

    /** Returns the present name of a property or environment variable; empty if it was not renamed. */
    static Optional<String> nowOf(String name) {
        for (RenamedProperty renamed : ALL) {
            Matcher matcher = renamed.before.matcher(name);
            if (matcher.matches()) {
                return Optional.of(matcher.replaceFirst(renamed.now));
            }
        }
        return Optional.empty();
    }
}
