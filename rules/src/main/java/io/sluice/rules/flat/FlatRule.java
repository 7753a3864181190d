package io.sluice.rules.flat;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.document.RuleJson;
import io.sluice.rules.model.Rule;
import io.sluice.rules.yaml.DocumentError;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The founding form of a rule, in which every field is a text: a hash in Redis, or a flat JSON object.
 *
 * <table>
 *   <caption>Fields</caption>
 *   <tr><td>{@code id}, {@code ruleName}<td>the rule's id and name; the id is required
 *   <tr><td>{@code limitType}, {@code limitTarget}<td>{@code GLOBAL}: everything; {@code SERVICE}: a service; {@code INTERFACE}: {@code
 *       service:path}; {@code IP}, {@code USER}, {@code TENANT}: a value; {@code CUSTOM}: {@code attribute:value}. {@code *} in place
 *       of a value gives every value a count of its own
 *   <tr><td>{@code limitCount}, {@code timeWindow}, {@code strategy}<td>so many in so many seconds, by {@code TOKEN_BUCKET} (refills
 *       the count in that time, with a burst of it), {@code LEAKY_BUCKET}, {@code FIXED_WINDOW}, {@code SLIDING_WINDOW}, {@code
 *       SLIDING_LOG}, or {@code CONCURRENCY} (taken back after that time)
 *   <tr><td>{@code mode}, {@code batchSize}<td>{@code DISTRIBUTED}, {@code LOCAL_DISTRIBUTED} or {@code LOCAL}; the size of a lease
 *   <tr><td>{@code enabled}<td>{@code true} unless it says {@code false}
 *   <tr><td>{@code document}<td>the whole rule as JSON, for what the others cannot say; then it counts, and the others are its mirror
 * </table>
 */
public final class FlatRule {

    private FlatRule() {}

    /**
     * Reads one; that it is a single rule, or why it is none.
     *
     * @param name what errors call it, such as its key in Redis
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
     * Writes one, the other way round. Every rule can be: what the flat fields cannot say is in {@code document}, and then they
     * are only close to it. Reading gives the same rule again.
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
