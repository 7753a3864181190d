package io.sluice.center.govern;

import io.sluice.center.access.Access;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The content of a change in a request: edits, or a whole document. As {@code application/yaml} the body is the document, and the
 * other fields are parameters of the query.
 */
record ChangeRequest(String title, String reason, long base, long revision, Edits edits) {

    private static final Set<String> FIELDS =
            Set.of("title", "reason", "base", "edits", "document", "content_of", "revision");
    private static final long NONE = -1;

    /** The maximum number of reported errors. */
    static final int MOST_ERRORS = 1_000;

    private static final String RULE_ID = "[A-Za-z0-9._-]{1,128}";
    private static final Pattern EDIT = Pattern.compile("edits\\[(\\d{1,6})](\\..*)?");
    private static final Pattern ID = Pattern.compile("(?m)^[ -]{0,20}id: {0,20}[\"']?(" + RULE_ID + ")");

    static ChangeRequest read(HttpServletRequest request, Access access, RuleGuard guard) {
        return read(request, access, guard, ChangeRequest::missingBase);
    }

    /**
     * Reads a change.
     *
     * @param otherwise returns the base if the request does not contain one, or refuses
     */
    static ChangeRequest read(HttpServletRequest request, Access access, RuleGuard guard, LongSupplier otherwise) {
        String text = RequestBody.text(request);
        return isYaml(request)
                ? ofDocument(request, text, access, guard, otherwise)
                : ofJson(RequestBody.object(text, FIELDS), access, guard, otherwise);
    }

    /**
     * Returns the ids of the rules in edits, as far as they can be read from edits with errors. The body is parsed once, and each
     * edit is examined once. For use by one thread.
     *
     * @return a function from the place of an edit, such as {@code edits[0].put_text}, to the id of its rule
     */
    static Function<String, Optional<String>> ids(HttpServletRequest request) {
        if (isYaml(request)) {
            return place -> Optional.empty();
        }
        JsonNode edits = RequestBody.object(RequestBody.text(request), FIELDS).path("edits");
        Map<Integer, Optional<String>> known = new HashMap<>();
        return place -> {
            Matcher edit = EDIT.matcher(place);
            return edit.matches()
                    ? known.computeIfAbsent(Integer.valueOf(edit.group(1)), i -> id(edits.path(i)))
                    : Optional.empty();
        };
    }

    private static Optional<String> id(JsonNode edit) {
        Matcher id = ID.matcher(edit.path("put_text").asString(""));
        return id.find()
                ? Optional.of(id.group(1))
                : Optional.of(edit.path("put").path("id"))
                        .filter(JsonNode::isString)
                        .map(JsonNode::asString)
                        .filter(name -> name.matches(RULE_ID));
    }

    private static ChangeRequest ofDocument(
            HttpServletRequest request, String text, Access access, RuleGuard guard, LongSupplier otherwise) {
        String number = parameter(request, "base");
        long base = number.isEmpty() ? otherwise.getAsLong() : base(number);
        return new ChangeRequest(
                parameter(request, "title"),
                parameter(request, "reason"),
                base,
                0,
                guard.edits(
                        access,
                        base,
                        rules(RuleDocument.parse("document", text)).rules()));
    }

    private static ChangeRequest ofJson(JsonNode body, Access access, RuleGuard guard, LongSupplier otherwise) {
        long named = RequestBody.number(body, "base", NONE);
        long base = named == NONE ? otherwise.getAsLong() : named;
        JsonNode edits = body.get("edits");
        if (Stream.of("edits", "document", "content_of")
                        .filter(name -> body.get(name) != null)
                        .count()
                != 1) {
            throw RefusedException.invalid("body: needs edits, document or content_of (expected: exactly one of them)");
        }
        return new ChangeRequest(
                RequestBody.string(body, "title", ""),
                RequestBody.string(body, "reason", ""),
                base,
                RequestBody.number(body, "revision", 0),
                edits != null ? edits(edits) : edits(body, base, access, guard));
    }

    /** Returns the edits that result in a whole document or in the content of another version. */
    private static Edits edits(JsonNode body, long base, Access access, RuleGuard guard) {
        String document = RequestBody.string(body, "document", "");
        return body.get("content_of") != null
                ? guard.editsTo(access, base, RequestBody.number(body, "content_of", 0))
                : guard.edits(
                        access,
                        base,
                        rules(RuleDocument.parse("document", document)).rules());
    }

    private static Edits edits(JsonNode list) {
        if (!list.isArray() || list.isEmpty()) {
            throw RefusedException.invalid(
                    "edits: empty or no list (expected: [{\"put\": {rule}}, {\"remove\": \"id\"}])");
        }
        List<Edit> edits = new ArrayList<>();
        List<DocumentError> errors = new ArrayList<>();
        for (int i = 0; i < list.size() && errors.size() < MOST_ERRORS; i++) {
            edit(list.get(i), "edits[" + i + "]", edits, errors);
        }
        if (!errors.isEmpty()) {
            throw unprocessable(errors);
        }
        try {
            return new Edits(edits);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static void edit(JsonNode item, String place, List<Edit> edits, List<DocumentError> errors) {
        JsonNode put = item.get("put");
        JsonNode text = item.get("put_text");
        JsonNode remove = item.get("remove");
        if (!item.isObject() || item.size() != 1 || (put == null && text == null && remove == null)) {
            errors.add(DocumentError.of(
                    place,
                    "unknown edit (expected: {\"put\": {rule}}, {\"put_text\": \"a rule as YAML\"} or {\"remove\":"
                            + " \"id\"})"));
        } else if (put != null) {
            put(RuleDocument.parseRule(place + ".put", put.toString()), edits, errors);
        } else if (text != null && text.isString()) {
            put(RuleDocument.parseRule(place + ".put_text", text.asString()), edits, errors);
        } else if (text != null) {
            errors.add(DocumentError.of(place, "put_text: not a text (expected: a rule as YAML)"));
        } else if (remove != null && remove.isString()) {
            edits.add(new Edit.Remove(remove.asString()));
        } else {
            errors.add(DocumentError.of(place, "remove: not a text (expected: the id of a rule)"));
        }
    }

    private static void put(RuleDocument document, List<Edit> edits, List<DocumentError> errors) {
        if (document instanceof RuleDocument.Accepted accepted) {
            accepted.rules().forEach(rule -> edits.add(new Edit.Put(rule)));
        } else {
            errors.addAll(((RuleDocument.Refused) document).errors());
        }
    }

    private static RuleDocument.Accepted rules(RuleDocument document) {
        if (document instanceof RuleDocument.Accepted accepted) {
            return accepted;
        }
        throw unprocessable(((RuleDocument.Refused) document).errors());
    }

    private static RefusedException unprocessable(List<DocumentError> errors) {
        return RefusedException.unprocessable(
                "the rules have " + errors.size() + (errors.size() == 1 ? " error: " : " errors, the first: ")
                        + errors.get(0),
                errors.subList(0, Math.min(MOST_ERRORS, errors.size())));
    }

    private static boolean isYaml(HttpServletRequest request) {
        @Nullable String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).matches("(application|text)/(x-)?yaml\\b.*");
    }

    private static String parameter(HttpServletRequest request, String name) {
        @Nullable String value = request.getParameter(name);
        return value == null ? "" : value;
    }

    private static long base(String text) {
        if (!text.matches("[0-9]{1,15}")) {
            return missingBase();
        }
        return Long.parseLong(text);
    }

    private static long missingBase() {
        throw RefusedException.invalid(
                "base: missing (expected: the version that the change is made on; 0 if there is none)");
    }
}
