package io.sluice.http.answer;

import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.json.JsonLine;
import io.sluice.rules.model.Rule;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a refused caller is sent by the front doors that speak to callers themselves: the gateway and the starter. Replaceable; must
 * be quick and is called by many threads.
 */
@FunctionalInterface
public interface RefusalBody {

    /** A problem of RFC 9457: {@code type}, {@code title}, {@code status}, {@code detail}, {@code rule}. */
    RefusalBody PROBLEM = RefusalBody::problem;

    /**
     * The body for a refused request.
     *
     * @param ruling not allowed
     */
    Content of(Ruling.Settled ruling, AnswerLanguage language);

    /**
     * A body and what it is.
     *
     * @param status 429, or 403 where a rule denies
     * @param language of its texts, for {@code Content-Language}
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
