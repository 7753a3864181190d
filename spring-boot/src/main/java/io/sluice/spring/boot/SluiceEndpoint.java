package io.sluice.spring.boot;

import io.sluice.http.answer.AnswerJson;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Explanation;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.runtime.ShownRules;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.json.JsonParserFactory;

/**
 * The actuator endpoint {@code sluice}. Reading it returns the rules in force and the state of the engine. Writing attributes to it
 * explains the decision of the rules on such a request, without charging it. Keys of callers are masked. Thread-safe.
 */
@Endpoint(id = "sluice")
public final class SluiceEndpoint {

    private static final long LONGEST_SECONDS = 5;

    private final SluiceState state;
    private final Evaluator evaluator;
    private final PathForm paths;

    SluiceEndpoint(SluiceState state, Evaluator evaluator, PathForm paths) {
        this.state = state;
        this.evaluator = evaluator;
        this.paths = paths;
    }

    /** Returns the rules in force and the state of the engine. */
    @ReadOperation
    public Map<String, @Nullable Object> state() {
        RuleSet rules = state.rules();
        Map<String, @Nullable Object> engine = new LinkedHashMap<>();
        engine.put("mode", state.engine());
        engine.put("store", state.store().orElse(null));
        engine.put("degraded", state.degraded());
        engine.put(
                "degraded_since", state.degradedSince().map(Instant::toString).orElse(null));
        engine.put("findings", state.findings());
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("version", rules.version());
        all.put("digest", rules.digest());
        all.put("kept", state.hasKeptRules());
        all.put("trial", ShownRules.trial(rules));
        all.put("adjustments", state.adjustments());
        all.put("engine", engine);
        all.put(
                "rules",
                rules.rules().stream().map(rule -> parsed(RuleJson.rule(rule))).toList());
        return all;
    }

    /**
     * Explains the decision of the rules in force on a request, and the state of each limit.
     *
     * @param attributes the attributes by the names that rules use, written like a query string because the actuator takes only
     *     flat bodies: {@code path=/api/orders&user=u-17}
     * @param permits the number of permits that the request would ask for; 1 if null
     */
    @WriteOperation
    public Map<String, Object> explain(String attributes, @Nullable Long permits) {
        Explanation explanation;
        try {
            explanation = evaluator
                    .explain(Attributes.of(named(attributes), paths), permits == null ? 1 : permits)
                    .toCompletableFuture()
                    .get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException("the request could not be explained within 5 s", e);
        }
        if (explanation.ruling() instanceof Ruling.Impossible impossible) {
            throw refused("permits: " + impossible.permits() + " (expected: at most " + impossible.capacity()
                    + ", the capacity of limit " + impossible.limit() + ")");
        }
        return parsed(AnswerJson.explain(explanation).orElseThrow());
    }

    private static Map<String, String> named(String query) {
        Map<String, String> named = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            int equals = pair.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "attributes: not a name=value pair (expected: pairs such as path=/a&user=u-17)");
            }
            String name = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
            named.put(name, URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
        return named;
    }

    private static InvalidEndpointRequestException refused(String why) {
        return new InvalidEndpointRequestException(why, why);
    }

    private static Map<String, Object> parsed(String json) {
        return JsonParserFactory.getJsonParser().parseMap(json);
    }
}
