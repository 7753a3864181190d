package io.sluice.http.answer;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Creates the body that a refused caller receives from the gateway and the starter, which answer callers directly. You can
 * provide your own implementation. It must be fast and thread-safe.
 */
@FunctionalInterface
public interface RefusalBody {

    /** An RFC 9457 problem with {@code type}, {@code title}, {@code status}, {@code detail} and {@code rule}. */
    RefusalBody PROBLEM = RefusalBody::problem;

    /**
     * Returns the body for a refused request.
     *
     * @param ruling a ruling that is not allowed
     */
    Content of(Ruling.Settled ruling, AnswerLanguage language);

    /**
     * A body with its status and type.
     *
     * @param status 429, or 403 if a rule denies
     * @param language the language of its texts, for {@code Content-Language}
     */
    record Content(int status, String contentType, AnswerLanguage language, String text) {}

    private static Content problem(Ruling.Settled ruling, AnswerLanguage language) {
        RefusalText text = RefusalText.of(ruling, language);
        Rule rule = ruling.rule();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("type", text.type());
        fields.put("title", text.title());
        fields.put("status", text.status());
        fields.put("detail", text.detail());
        fields.put("rule", rule == null ? null : rule.id());
        return new Content(text.status(), "application/problem+json", language, JsonLine.of(fields));
    }
}
