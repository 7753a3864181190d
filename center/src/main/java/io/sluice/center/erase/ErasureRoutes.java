package io.sluice.center.erase;

import io.sluice.center.access.Access;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.refusal.RefusedException;
import io.sluice.runtime.erasure.Subject;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** The API of erasures. No reply and no error message repeats the subject. */
@RestController
public final class ErasureRoutes {

    private static final int MOST_IN_LIST = 200;
    private static final int LONGEST_ATTRIBUTE = 300;

    private final Erasures erasures;

    ErasureRoutes(Erasures erasures) {
        this.erasures = erasures;
    }

    @PostMapping("/api/erasures")
    @ResponseStatus(HttpStatus.ACCEPTED)
    ErasureReply erase(@RequestAttribute(CurrentAccess.ACCESS) Access access, HttpServletRequest request) {
        JsonNode body = RequestBody.object(request, Set.of("attribute", "value", "known", "reason"));
        Subject subject = subject(body);
        return reply(erasures.begin(access.actor(), subject, RequestBody.string(body, "reason", "")));
    }

    @GetMapping("/api/erasures")
    List<ErasureReply> list(
            @RequestParam(name = "below", defaultValue = "" + Long.MAX_VALUE) long below,
            @RequestParam(name = "limit", defaultValue = "50") int limit) {
        return erasures.list(below, Math.max(1, Math.min(limit, MOST_IN_LIST))).stream()
                .map(this::reply)
                .toList();
    }

    @GetMapping("/api/erasures/{id}")
    ErasureReply find(@PathVariable("id") long id) {
        return reply(erasures.require(id));
    }

    private ErasureReply reply(Erasure erasure) {
        return ErasureReply.of(erasure, erasures.answers(erasure.id()), erasures.nodes());
    }

    private static Subject subject(JsonNode body) {
        String attribute = required(body, "attribute", "user");
        String value = required(body, "value", "u-17");
        Map<String, String> known = new HashMap<>();
        JsonNode further = body.path("known");
        if (!further.isMissingNode() && !further.isNull()) {
            if (!further.isObject() || !further.values().stream().allMatch(JsonNode::isString)) {
                throw RefusedException.invalid(
                        "known: not an object of texts (expected: further attributes, such as {\"tenant\": \"acme\"})");
            }
            further.properties()
                    .forEach(each -> known.put(each.getKey(), each.getValue().asString()));
        }
        if (attribute.length() > LONGEST_ATTRIBUTE || attribute.equals(value)) {
            throw RefusedException.invalid(
                    "attribute: not an attribute of requests (expected: its name, such as user)");
        }
        try {
            return new Subject(attribute, value, known);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static String required(JsonNode body, String name, String example) {
        String text = RequestBody.string(body, name, "");
        if (text.isBlank()) {
            throw RefusedException.invalid(name + ": missing (expected: a text, such as \"" + example + "\")");
        }
        return text;
    }
}
