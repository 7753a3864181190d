package io.sluice.spring.web;

import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerHeaders;
import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.rules.evaluate.Ruling;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts rulings into words and headers, for filters and for exceptions alike. Safe for use by many threads. */
public final class WebAnswers {

    private final RefusalBody refusals;
    private final boolean xRateLimit;
    private final boolean onAllowed;
    private final FailureLog failures;

    /**
     * With these words.
     *
     * @param xRateLimit whether {@code X-RateLimit-*} are to be there, too
     * @param onAllowed whether allowed requests are told how their limit stands; refused ones always are
     */
    public WebAnswers(RefusalBody refusals, boolean xRateLimit, boolean onAllowed, Clock clock) {
        this.refusals = refusals;
        this.xRateLimit = xRateLimit;
        this.onAllowed = onAllowed;
        this.failures = new FailureLog(clock);
    }

    /** The headers of an answer that the application gives. */
    public Map<String, String> allowed(Ruling.Settled ruling) {
        return onAllowed ? AnswerHeaders.of(ruling, xRateLimit) : Map.of();
    }

    /**
     * The whole answer to a refused request: 429, or 403 where a rule denies.
     *
     * @param ruling not allowed
     * @param acceptLanguage the header; null if there is none
     */
    public WebAnswer refused(Ruling.Settled ruling, @Nullable String acceptLanguage) {
        RefusalBody.Content content = content(ruling, AnswerLanguage.of(acceptLanguage));
        Map<String, String> headers = new LinkedHashMap<>(AnswerHeaders.of(ruling, xRateLimit));
        headers.put("Content-Type", content.contentType());
        headers.put("Content-Language", content.language().code());
        headers.put("Cache-Control", "no-store");
        return new WebAnswer(content.status(), headers, content.text());
    }

    /** The caller hears nothing of why; the log does. */
    WebAnswer failed(String what, @Nullable Throwable failure) {
        failures.told(what, failure);
        return WebAnswer.problem(500, "the limits of the request could not be decided; the log says why");
    }

    /** A body that cannot be made is no reason to let anybody pass. */
    @SuppressWarnings("NullAway") // one of somebody else may do what it must not
    private RefusalBody.Content content(Ruling.Settled ruling, AnswerLanguage language) {
        try {
            RefusalBody.Content content = refusals.of(ruling, language);
            if (content != null) {
                return content;
            }
            failures.told("the body of a refusal", null);
        } catch (RuntimeException e) {
            failures.told("the body of a refusal", e);
        }
        return RefusalBody.PROBLEM.of(ruling, language);
    }
}
