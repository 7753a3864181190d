package io.sluice.center.explain;

import io.sluice.center.access.Access;
import io.sluice.center.access.Right;
import io.sluice.center.callers.AskedPerMinute;
import io.sluice.center.callers.NodeAnswer;
import io.sluice.center.callers.Questions;
import io.sluice.center.callers.Questions.Told;
import io.sluice.center.fleet.FleetRules;
import io.sluice.center.http.CurrentAccess;
import io.sluice.center.http.RequestBody;
import io.sluice.center.http.Turns;
import io.sluice.center.reach.Coverage;
import io.sluice.center.reach.Visibility;
import io.sluice.center.refusal.RefusedException;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Duration;
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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import tools.jackson.databind.JsonNode;

/**
 * Explains a request. The center compares the request with the rules itself, and asks the nodes for the counts. The explained request is
 * neither stored nor logged, and reaches nodes only over HTTP.
 */
@RestController
public final class ExplainRoutes {

    private static final Set<String> FIELDS = Set.of("attributes", "curl", "rule");
    private static final int MOST_ATTRIBUTES = 100;
    private static final int LONGEST_NAME = 300;

    /** The maximum length of all names and values of attributes together. */
    private static final int MOST_CHARACTERS = 64 * 1024;

    /** The maximum number of explanations for one actor in a minute. */
    private static final int MOST_A_MINUTE = 120;

    private static final int MOST_AT_ONCE = 4;
    private static final int MOST_WAITING = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** The maximum wait, in case the center itself is stalled. Questions end earlier. */
    private static final long LONGEST_WAIT_SECONDS = 20;

    private final ExplainParts center;
    private final AskedPerMinute lately;
    private final EffectiveRules effective = new EffectiveRules();

    /** Limits concurrent comparisons, because a comparison with many rules takes long. */
    private final Turns turns = new Turns(MOST_AT_ONCE, MOST_WAITING, PATIENCE);

    ExplainRoutes(ExplainParts center) {
        this.center = center;
        this.lately = new AskedPerMinute(MOST_A_MINUTE, center.clock());
    }

    @PostMapping("/api/explain")
    ExplainReply explain(
            @RequestAttribute(CurrentAccess.ACCESS) Access access,
            HttpServletRequest request,
            HttpServletResponse response) {
        if (!lately.admits(access.actor())) {
            throw tooMany("explain: more than " + MOST_A_MINUTE + " in a minute (expected: fewer; wait a minute)");
        }
        JsonNode body = RequestBody.object(request, FIELDS);
        Comparison compared = turn(() -> compare(access, body));
        List<String> warnings = new ArrayList<>(compared.asked.warnings());
        // Other explanations may run while a node is asked.
        Optional<Told> told = compared.explanation.hasLimits()
                ? ask(compared.asked.readBy(compared.seen.rules()), warnings)
                : Optional.empty();
        boolean answered =
                told.filter(answer -> take(answer, access, compared, warnings)).isPresent();
        if (!access.seesAll()) {
            warnings.add("only the rules that you may read are compared; others may apply too");
        }
        compared.fleet
                .trial()
                .filter(unused -> compared.seesTrial)
                .ifPresent(trial -> warnings.add("version " + trial.rules().version()
                        + " is on trial for some; this is version " + compared.version()));
        List<ExplainReply.ExplainedRule> rules = turn(() -> compared.explanation.rules(wanted(body)));
        response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
        return new ExplainReply(
                shown(compared.asked.attributes()),
                compared.asked.ignored(),
                warnings,
                compared.version(),
                rules,
                Math.max(0, compared.explanation.count() - rules.size()),
                compared.explanation.decision(),
                answered && access.mayEverywhere(Right.SEE_FLEET)
                        ? told.map(Told::node).orElse(null)
                        : null,
                answered);
    }

    /**
     * A request, and the rules that it is compared with.
     *
     * @param seen the released rules in force that the caller may read
     * @param sees whether the caller may read a rule, in any version that contains it
     * @param seesTrial whether the caller may know that a version is on trial
     */
    private record Comparison(
            FleetRules fleet,
            RuleSet seen,
            Predicate<String> sees,
            boolean seesTrial,
            AskedRequest asked,
            RequestExplanation explanation) {

        long version() {
            return fleet.inForce().version();
        }
    }

    private Comparison compare(Access access, JsonNode body) {
        FleetRules fleet = center.rules().get();
        RuleSet inForce = fleet.inForce();
        List<RuleSet> sets = fleet.all();
        Visibility visibility = new Visibility(access);
        Predicate<String> sees = access.seesAll() ? rule -> true : rule -> visibility.sees(rule, sets);
        RuleSet seen = access.seesAll()
                ? inForce
                : new RuleSet(
                        inForce.version(),
                        inForce.rules().stream()
                                .filter(rule -> sees.test(rule.id()))
                                .toList());
        AskedRequest asked = asked(body, seen);
        Instant now = Instant.ofEpochMilli(center.clock().epochMicros() / 1_000);
        RequestExplanation explanation = new RequestExplanation(
                effective.of(fleet, now),
                sees,
                rule -> Coverage.covers(access, Right.OPERATE, rule, sets),
                asked.attributes(),
                center.clock());
        boolean seesTrial = fleet.trial()
                .filter(trial -> visibility.seesDifference(inForce, trial.rules()))
                .isPresent();
        return new Comparison(fleet, seen, sees, seesTrial, asked, explanation);
    }

    private <T> T turn(Supplier<T> work) {
        return turns.take(
                work,
                () -> tooMany("explain: requests of others are being explained (expected: try again in a second)"));
    }

    private static ResponseStatusException tooMany(String message) {
        return new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, message);
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
            // A null value means that the attribute is absent.
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
        if (!Questions.isShort(attributes)) {
            warnings.add("the attributes are too long to ask a node for the counts (expected: at most "
                    + Questions.LONGEST_REQUEST + " characters as JSON)");
            return Optional.empty();
        }
        Optional<CompletableFuture<Optional<Told>>> asked = center.questions().ask(attributes);
        if (asked.isEmpty()) {
            warnings.add(
                    Questions.MOST_REQUESTS + " questions wait for nodes, so counts are missing (expected: try again)");
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

    /** Adds the answer of a node to the explanation. Returns whether the answer could be read. */
    private static boolean take(Told told, Access access, Comparison compared, List<String> warnings) {
        NodeAnswer.Explained answer;
        try {
            answer = NodeAnswer.explained(told.content(), compared.sees);
        } catch (IllegalArgumentException e) {
            return false;
        }
        compared.explanation.tell(answer, access.seesAll());
        if (answer.degraded()) {
            warnings.add("the shared store of the node that answered is unavailable, so counts are missing");
        }
        boolean isOther = answer.version().isPresent() && answer.version().getAsLong() != compared.version();
        // The version of a node would reveal a trial to callers who may not know of it.
        if (isOther && (compared.fleet.trial().isEmpty() || compared.seesTrial)) {
            warnings.add(
                    "the node that answered has version " + answer.version().getAsLong()
                            + " of the rules, and the request was compared with version " + compared.version());
        }
        return true;
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
