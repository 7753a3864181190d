package io.sluice.center.explain;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.access.Visibility;
import io.sluice.center.callers.NodeAnswer;
import io.sluice.center.callers.Questions;
import io.sluice.center.callers.Questions.Told;
import io.sluice.center.command.RefusedException;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.rules.adjust.AdjustedRules;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/**
 * Explains a request. The center compares it with the rules itself, and asks the nodes for the counts. What somebody asks about is neither
 * stored nor logged, and reaches nodes over HTTP alone.
 */
@RestController
public final class ExplainRoutes {

    private static final Set<String> FIELDS = Set.of("attributes", "curl", "rule");
    private static final int MOST_ATTRIBUTES = 100;
    private static final int LONGEST_NAME = 300;

    /** All names and values of attributes together. */
    private static final int MOST_CHARACTERS = 64 * 1024;

    /** Nodes take no longer questions: all of them are in one message. */
    private static final int MOST_ASKED = 8_000;

    /** If the center itself stands still. Questions end earlier. */
    private static final long LONGEST_WAIT_SECONDS = 20;

    private final ExplainParts center;

    ExplainRoutes(ExplainParts center) {
        this.center = center;
    }

    @PostMapping("/api/explain")
    ExplainReply explain(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request,
            HttpServletResponse response) {
        JsonNode body = RequestBody.object(request, FIELDS);
        FleetRules fleet = center.rules().get();
        Visibility visibility = new Visibility(access);
        RuleSet seen = visibility.of(fleet.inForce());
        AskedRequest asked = asked(body, seen);
        Predicate<String> sees =
                access.seesAll() ? rule -> true : rule -> seen.rule(rule).isPresent();
        RequestExplanation explanation =
                new RequestExplanation(effective(fleet), sees, asked.attributes(), center.clock());
        List<String> warnings = new ArrayList<>(asked.warnings());
        Optional<Told> told = explanation.hasLimits() ? ask(asked.readBy(seen.rules()), warnings) : Optional.empty();
        boolean answered =
                told.filter(answer -> take(answer, sees, explanation)).isPresent();
        if (!access.seesAll()) {
            warnings.add("only the rules that you may read are compared; others may apply too");
        }
        fleet.trial()
                .ifPresent(trial ->
                        warnings.add("version " + trial.rules().version() + " is on trial for some; this is version "
                                + fleet.inForce().version()));
        List<ExplainReply.ExplainedRule> rules = explanation.rules(wanted(body));
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        return new ExplainReply(
                shown(asked.attributes()),
                asked.ignored(),
                warnings,
                fleet.inForce().version(),
                rules,
                Math.max(0, explanation.count() - rules.size()),
                explanation.decision(),
                answered && access.mayEverywhere(Right.SEE_FLEET)
                        ? told.map(Told::node).orElse(null)
                        : null,
                answered);
    }

    private RuleSet effective(FleetRules fleet) {
        Instant now = Instant.ofEpochMilli(center.clock().epochMicros() / 1_000);
        return fleet.adjustments().isEmpty()
                ? fleet.inForce()
                : AdjustedRules.of(fleet.inForce(), fleet.adjustments(), now).rules();
    }

    private static AskedRequest asked(JsonNode body, RuleSet rules) {
        JsonNode given = body.get("attributes");
        String curl = RequestBody.string(body, "curl", "");
        if (given == null && curl.isEmpty()) {
            throw RefusedException.invalid(
                    "body: neither attributes nor curl (expected: {\"attributes\": {\"path\": \"/api/login\"}} or"
                            + " {\"curl\": \"curl https://shop.example/api/login\"})");
        }
        Map<String, String> attributes = attributes(given);
        try {
            return curl.isEmpty()
                    ? AskedRequest.of(attributes, rules)
                    : AskedRequest.of(CurlCommand.parse(curl), attributes, rules);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static Map<String, String> attributes(@Nullable JsonNode given) {
        Map<String, String> attributes = new HashMap<>();
        if (given == null || given.isNull()) {
            return attributes;
        }
        if (!given.isObject() || given.size() > MOST_ATTRIBUTES) {
            throw RefusedException.invalid("attributes: no object or too large (expected: an object of at most "
                    + MOST_ATTRIBUTES + " fields)");
        }
        int characters = 0;
        for (Map.Entry<String, JsonNode> field : given.properties()) {
            JsonNode value = field.getValue();
            if (value.isContainer()
                    || field.getKey().length() > LONGEST_NAME
                    || field.getKey().isEmpty()) {
                throw RefusedException.invalid(
                        "attributes: a value that is no text, or a name that is too long (expected: text, a number or a"
                                + " boolean; names of at most " + LONGEST_NAME + " characters)");
            }
            // A null value counts as absent.
            if (!value.isNull()) {
                String text = value.asString();
                characters += field.getKey().length() + text.length();
                attributes.put(field.getKey(), text);
            }
        }
        if (characters > MOST_CHARACTERS) {
            throw RefusedException.invalid(
                    "attributes: " + characters + " characters (expected: at most " + MOST_CHARACTERS + ")");
        }
        return attributes;
    }

    private static Optional<String> wanted(JsonNode body) {
        return Optional.of(RequestBody.string(body, "rule", "")).filter(rule -> !rule.isEmpty());
    }

    private Optional<Told> ask(Map<String, String> attributes, List<String> warnings) {
        int characters = attributes.entrySet().stream()
                .mapToInt(each -> each.getKey().length() + each.getValue().length())
                .sum();
        if (characters > MOST_ASKED) {
            warnings.add("the attributes are too long to ask a node for the counts (expected: at most " + MOST_ASKED
                    + " characters)");
            return Optional.empty();
        }
        Optional<CompletableFuture<Optional<Told>>> asked = center.questions().ask(attributes);
        if (asked.isEmpty()) {
            warnings.add(Questions.MOST + " questions wait for nodes, so counts are missing (expected: try again)");
            return Optional.empty();
        }
        try {
            return asked.get().get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        } catch (ExecutionException | TimeoutException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the answer of a node could be read. */
    private static boolean take(Told told, Predicate<String> sees, RequestExplanation explanation) {
        try {
            explanation.tell(NodeAnswer.limits(told.content(), sees));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static Map<String, String> shown(Attributes attributes) {
        Map<String, String> shown = new TreeMap<>();
        for (String name : attributes.names()) {
            String value = attributes.get(name);
            if (value != null) {
                shown.put(name, value);
            }
        }
        return shown;
    }
}
