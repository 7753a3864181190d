package io.sluice.http.request;

import io.sluice.http.field.QueryFields;
import io.sluice.rules.snapshot.RuleSet;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reads only the headers and query fields that rules in force name. */
public final class RequestFields {

    private static final String HEADER = "header.";

    private RequestFields() {}

    /**
     * Adds the fields that are present.
     *
     * @param lines returns the lines of a header by its lower-case name, in the order of their arrival; for {@code host}, the
     *     canonical host
     * @param query the text after the {@code ?}, as it was sent
     * @throws RefusedRequestException if a field that a limit counts by occurs twice, or is ambiguous
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
        // HTTP/2 may send cookies in several lines that form one header.
        if (lines.size() > 1 && !name.equals("cookie")) {
            throw RefusedRequestException.bad(
                    "header " + name + ": " + lines.size() + " values (expected: one, because a limit counts by it)");
        }
        attributes.put(attribute, lines.size() == 1 ? lines.get(0) : String.join("; ", lines));
    }
}
