package io.sluice.rules.document;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.AnswerAttribute.Source;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.By;
import io.sluice.rules.pattern.AttributeNames;
import io.sluice.rules.yaml.Errors;
import io.sluice.rules.yaml.Place;
import io.sluice.rules.yaml.PrintableText;
import io.sluice.rules.yaml.Spelling;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds legal values that would silently count other requests than intended: a mistyped attribute, method or pattern. A known
 * name in another case is an error, because no request has such an attribute. All other findings are warnings, because the
 * value may be intended.
 */
final class Plausibility {

    /** The methods that IANA registers, and the methods of caches, of UPnP and of Icecast. */
    private static final List<String> METHODS = List.of(
            "GET",
            "HEAD",
            "POST",
            "PUT",
            "DELETE",
            "PATCH",
            "OPTIONS",
            "TRACE",
            "CONNECT",
            "QUERY",
            "PURGE",
            "M-SEARCH",
            "NOTIFY",
            "SUBSCRIBE",
            "UNSUBSCRIBE",
            "SOURCE",
            "PROPFIND",
            "PROPPATCH",
            "MKCOL",
            "COPY",
            "MOVE",
            "LOCK",
            "UNLOCK",
            "SEARCH",
            "REPORT",
            "ACL",
            "BASELINE-CONTROL",
            "BIND",
            "CHECKIN",
            "CHECKOUT",
            "LABEL",
            "LINK",
            "MERGE",
            "MKACTIVITY",
            "MKCALENDAR",
            "MKREDIRECTREF",
            "MKWORKSPACE",
            "ORDERPATCH",
            "PRI",
            "REBIND",
            "UNBIND",
            "UNCHECKOUT",
            "UNLINK",
            "UPDATE",
            "UPDATEREDIRECTREF",
            "VERSION-CONTROL");

    /** Signs of a regular expression: a class of characters, a repetition, an alternative, an escape, or an end. */
    private static final Pattern REGULAR_EXPRESSION =
            Pattern.compile("\\[[^\\]/]*\\]|\\.[*+]|\\([^)]*\\|[^)]*\\)|\\(\\?|\\)[*+?]|\\\\|\\$$");

    /** The characters of which every regular expression above has one. */
    private static final String SIGNS = "[.()\\$";

    private static final int LONGEST = 32;

    /** Attributes with few values, which callers cannot choose freely. */
    private static final Set<String> FEW = Set.of("tenant", "app", "plan", "service", "domain", "method");

    /** The maximum number of durable counts. */
    private static final int MOST_DURABLE = 100_000;

    private Plausibility() {}

    /** Warns about an attribute that no front end sends. */
    static void warnUnknown(String key, String name, Place place, Errors errors) {
        if (AttributeNames.isKnown(name) || AttributeNames.respelled(name).isPresent()) {
            return;
        }
        int dot = name.indexOf('.') + 1;
        String near = near(name.substring(0, dot), AttributeNames.PREFIXES)
                .map(prefix -> prefix + name.substring(dot))
                .or(() -> near(name, AttributeNames.PLAIN))
                .map(other -> "; " + PrintableText.text(other) + ", perhaps? Declare")
                .orElse("; declare");
        errors.warnings()
                .addUnknown(
                        name,
                        place,
                        key + ": " + PrintableText.text(name) + ": nobody sends this attribute" + near
                                + " it under attributes: if it is yours");
    }

    /** Reports a known name in another case of letters. */
    static void refuseMisspelled(String key, String name, Place place, Errors errors) {
        Optional<String> right = AttributeNames.respelled(name);
        if (right.isPresent()) {
            errors.add(
                    place,
                    key + ": " + PrintableText.text(name) + " (expected: " + PrintableText.text(right.get()) + ")");
        }
    }

    static void method(String key, String method, Place place, Errors errors) {
        String name = method.toUpperCase(Locale.ROOT);
        if (!METHODS.contains(name)) {
            String near = near(name, METHODS)
                    .map(other -> "; " + other + ", perhaps?")
                    .orElse("");
            errors.warnings().add(place, key + ": " + PrintableText.text(method) + ": not a registered method" + near);
        }
    }

    /** Warns about a reservation that the limit can never hold. */
    static void cost(Cost cost, Limit limit, Place place, Errors errors) {
        if (!(cost instanceof Cost.Reserved reserved)) {
            return;
        }
        reserved.reserve().usual().ifPresent(permits -> {
            if (permits > limit.capacity() && limit.capacity() > 0) {
                errors.warnings()
                        .add(
                                place,
                                "cost: a reservation of " + permits + " is more than the limit can ever hold ("
                                        + limit.capacity() + "), so "
                                        + cost.attribute()
                                                .map(name -> "requests without " + PrintableText.text(name) + " are")
                                                .orElse("every request is")
                                        + " refused");
            }
        });
    }

    /** Warns about a cost that a caller can leave out, and about a settlement by an attribute that is not an amount. */
    static void settling(Cost.Reserved cost, Place place, Errors errors) {
        if (cost.reserve().usual().isEmpty()) {
            errors.warnings()
                    .add(
                            place,
                            "cost: no default: a request without "
                                    + PrintableText.text(cost.attribute().orElse(""))
                                    + " reserves only the permits that it asks for, usually 1");
        }
        if (cost.settling().filter(each -> each.by().source() == Source.STATUS).isPresent()) {
            errors.warnings().add(place, "settle: answer.status: a status such as 200 is not an amount");
        }
    }

    /** Warns about counts that may be too many to be durable. */
    static void durable(List<By> by, Place place, Errors errors) {
        List<String> many = by.stream()
                .flatMap(each -> Stream.concat(Stream.of(each.attribute()), each.otherwise().stream()))
                .filter(name -> !FEW.contains(name))
                .map(PrintableText::text)
                .toList();
        if (!many.isEmpty()) {
            errors.warnings()
                    .add(
                            place,
                            "durable: counts by " + String.join(", ", many) + " may be more than " + MOST_DURABLE
                                    + ", the most that are durable; the others are lost with the store");
        }
    }

    private static Optional<String> near(String name, List<String> all) {
        return name.length() > LONGEST
                ? Optional.empty()
                : all.stream()
                        .filter(known -> Spelling.distance(name, known) == 1)
                        .findFirst();
    }

    static void resource(String resource, Place place, Errors errors) {
        if (hasSign(resource) && REGULAR_EXPRESSION.matcher(resource).find()) {
            errors.warnings()
                    .add(
                            place,
                            "resource: " + PrintableText.text(resource) + ": looks like a regular expression, but is"
                                    + " compared as it is written; use {name} for one segment and ** for any rest");
        }
    }

    private static boolean hasSign(String resource) {
        for (int i = 0; i < resource.length(); i++) {
            if (SIGNS.indexOf(resource.charAt(i)) >= 0) {
                return true;
            }
        }
        return false;
    }
}
