package io.sluice.http.request;

import io.sluice.http.field.QueryFields;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Takes those headers and query fields out of a request that rules in force name, and no others. */
public final class RequestFields {

    private static final String HEADER = "header.";

    private RequestFields() {}

    /**
     * Adds what is there.
     *
     * @param lines gives the lines of the header of a name (in small letters), in the order they came; for {@code host} the one
     *     that was agreed on
     * @param query what follows the {@code ?}, as it was sent
     * @throws RefusedRequestException if a field that counts is there twice, or can be read in two ways
     */
    public static void addTo(
            Map<String, String> attributes, RuleSet rules, Function<String, List<String>> lines, String query)
            throws RefusedRequestException {
        for (String attribute : rules.headerFields()) {
            addHeader(attribute, lines, attributes);
        }
        try {
            QueryFields.of(rules.queryFields()).addTo(attributes, query);
        } catch (IllegalArgumentException e) {
            throw RefusedRequestException.bad(String.valueOf(e.getMessage()));
        }
    }

    private static void addHeader(
            String attribute, Function<String, List<String>> given, Map<String, String> attributes)
            throws RefusedRequestException {
        String name = attribute.substring(HEADER.length());
        List<String> lines = given.apply(name);
        if (lines.isEmpty()) {
            return;
        }
        // HTTP/2 may send cookies in several lines, which are one header.
        if (lines.size() > 1 && !name.equals("cookie")) {
            throw RefusedRequestException.bad(
                    "header " + name + ": " + lines.size() + " of them (expected: one, since it counts for a limit)");
        }
        attributes.put(attribute, lines.size() == 1 ? lines.get(0) : String.join("; ", lines));
    }
}
