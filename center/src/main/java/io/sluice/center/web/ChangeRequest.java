package io.sluice.center.web;

import io.sluice.center.access.Access;
import io.sluice.center.command.RefusedException;
import io.sluice.center.edit.Edit;
import io.sluice.center.edit.Edits;
import io.sluice.center.http.RequestBody;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.yaml.DocumentError;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
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

    static ChangeRequest read(HttpServletRequest request, Access access, RuleGuard guard) {
        String text = RequestBody.text(request);
        return isYaml(request)
                ? ofDocument(request, text, access, guard)
                : ofJson(RequestBody.object(text, FIELDS), access, guard);
    }

    private static ChangeRequest ofDocument(HttpServletRequest request, String text, Access access, RuleGuard guard) {
        long base = base(parameter(request, "base"));
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

    private static ChangeRequest ofJson(JsonNode body, Access access, RuleGuard guard) {
        long base = RequestBody.number(body, "base", NONE);
        if (base == NONE) {
            throw missingBase();
        }
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

    /** Returns the edits to a whole document, or to the content of another version. */
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
        for (int i = 0; i < list.size(); i++) {
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
        JsonNode remove = item.get("remove");
        if (!item.isObject() || item.size() != 1 || (put == null && remove == null)) {
            errors.add(DocumentError.of(place, "unknown edit (expected: {\"put\": {rule}} or {\"remove\": \"id\"})"));
        } else if (put != null) {
            RuleDocument document = RuleDocument.parseRule(place + ".put", put.toString());
            if (document instanceof RuleDocument.Accepted accepted) {
                accepted.rules().forEach(rule -> edits.add(new Edit.Put(rule)));
            } else {
                errors.addAll(((RuleDocument.Refused) document).errors());
            }
        } else if (remove != null && remove.isString()) {
            edits.add(new Edit.Remove(remove.asString()));
        } else {
            errors.add(DocumentError.of(place, "remove: not a text (expected: the id of a rule)"));
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
                errors);
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
            throw missingBase();
        }
        return Long.parseLong(text);
    }

    private static RefusedException missingBase() {
        return RefusedException.invalid(
                "base: missing (expected: the version that the change is made on; 0 if there is none)");
    }
}
