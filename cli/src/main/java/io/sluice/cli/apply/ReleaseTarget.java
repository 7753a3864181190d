package io.sluice.cli.apply;

import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The nodes or callers that get a change first.
 *
 * @param value the target in the form that the center expects
 * @param isTrial whether a person decides later about the other nodes or callers
 */
record ReleaseTarget(Object value, boolean isTrial) {

    static final ReleaseTarget ALL = new ReleaseTarget("all", false);

    private static final Pattern SHARE = Pattern.compile("(nodes|callers)=([1-9][0-9]?%)");
    private static final Pattern TENANTS = Pattern.compile("tenants=(.+)");

    /** Reads {@code all}, {@code candidate}, {@code nodes=10%}, {@code callers=5%} or {@code tenants=acme,globex}. */
    static final class Converter implements ITypeConverter<ReleaseTarget> {

        @Override
        public ReleaseTarget convert(String text) {
            if (text.equals("all")) {
                return ALL;
            }
            if (text.equals("candidate")) {
                return new ReleaseTarget("candidate", true);
            }
            Matcher share = SHARE.matcher(text);
            if (share.matches()) {
                return new ReleaseTarget(Map.of(share.group(1), share.group(2)), true);
            }
            Matcher tenants = TENANTS.matcher(text);
            if (tenants.matches()) {
                return new ReleaseTarget(
                        Map.of("tenants", List.of(tenants.group(1).split(",", -1))), true);
            }
            throw new TypeConversionException(
                    text + " (expected: all, nodes=10%, callers=5%, tenants=acme,globex or candidate)");
        }
    }
}
