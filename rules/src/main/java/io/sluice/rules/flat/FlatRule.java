package io.sluice.rules.flat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The founding form of a rule, in which every field is text: a hash in Redis, or a flat JSON object.
 *
 * <table>
 *   <caption>Fields</caption>
 *   <tr><td>{@code id}, {@code ruleName}<td>the rule's id and name; the id is required
 *   <tr><td>{@code limitType}, {@code limitTarget}<td>{@code GLOBAL}: everything; {@code SERVICE}: a service;
 *       {@code INTERFACE}: {@code service:path}; {@code IP}, {@code USER}, {@code TENANT}: a value; {@code CUSTOM}:
 *       {@code attribute:value}. {@code *} in place of a value gives each value its own count
 *   <tr><td>{@code limitCount}, {@code timeWindow}, {@code strategy}<td>the count per window in seconds, by
 *       {@code TOKEN_BUCKET} (refills the count in that time, with a burst of the count), {@code LEAKY_BUCKET},
 *       {@code FIXED_WINDOW}, {@code SLIDING_WINDOW}, {@code SLIDING_LOG}, or {@code CONCURRENCY} (permits expire after that
 *       time)
 *   <tr><td>{@code mode}, {@code batchSize}<td>{@code DISTRIBUTED}, {@code LOCAL_DISTRIBUTED} or {@code LOCAL}; the size of a
 *       lease
 *   <tr><td>{@code enabled}<td>{@code true} unless it is {@code false}
 *   <tr><td>{@code document}<td>the whole rule as JSON, for settings that the other fields cannot express; if present, only
 *       this field counts, and the other fields mirror it
 * </table>
 */
public final class FlatRule {

    private FlatRule() {}

    /**
     * Reads a flat rule. The result is a single rule, or the errors.
     *
     * @param name the name of the rule in errors, such as its key in Redis
     */
    public static RuleDocument read(String name, Map<String, String> fields) {
        String document = fields.get("document");
        if (document != null && !document.isBlank()) {
            return RuleDocument.parseRule(name, document);
        }
        List<String> errors = new ArrayList<>();
        String rule = FlatShape.json(fields, errors);
        return errors.isEmpty()
                ? RuleDocument.parseRule(name, rule)
                : new RuleDocument.Refused(errors.stream()
                        .map(error -> DocumentError.of(name, error))
                        .toList());
    }

    /**
     * Writes a rule in the flat form. This works for every rule: if the flat fields cannot express it, they are approximate and
     * {@code document} has the whole rule. Reading the result gives an equal rule.
     */
    public static Map<String, String> write(Rule rule) {
        Map<String, String> fields = FlatWriter.fields(rule);
        if (read(rule.id(), fields).equals(new RuleDocument.Accepted(List.of(rule)))) {
            return fields;
        }
        fields.put("document", RuleJson.rule(rule));
        return fields;
    }
}
