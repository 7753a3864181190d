package io.sluice.spring.web;

import io.sluice.core.spi.CallbackFailures;
import io.sluice.core.time.Clock;
import io.sluice.http.answer.AnswerHeaders;
import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.spring.internal.RuleNames;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Converts rulings to headers and responses, for the filters and for exceptions. Thread-safe. */
public final class WebAnswers {

    private static final String REMAINING = "X-RateLimit-Remaining";

    private final RefusalBody refusals;
    private final boolean xRateLimit;
    private final boolean onAllowed;
    private final ShownRulings shown;
    private final FailureLog failures;

    /**
     * Creates the converter.
     *
     * @param xRateLimit whether responses also carry {@code X-RateLimit-*} headers
     * @param onAllowed whether responses to allowed requests carry rate limit headers; responses to refused requests always do
     */
    public WebAnswers(RefusalBody refusals, boolean xRateLimit, boolean onAllowed, Clock clock) {
        this(refusals, xRateLimit, onAllowed, RuleNames.IDS, clock);
    }

    /**
     * Creates the converter.
     *
     * @param names the names that callers see instead of the ids of rules
     */
    public WebAnswers(RefusalBody refusals, boolean xRateLimit, boolean onAllowed, RuleNames names, Clock clock) {
        this.refusals = refusals;
        this.xRateLimit = xRateLimit;
        this.onAllowed = onAllowed;
        this.shown = new ShownRulings(names);
        this.failures = new FailureLog(clock);
    }

    /** Returns the headers to add to the application's response. */
    public Map<String, String> allowed(Ruling.Settled ruling) {
        return onAllowed ? AnswerHeaders.of(shown.of(ruling), xRateLimit) : Map.of();
    }

    /**
     * Adds the headers of an admitted call to the headers that a response already has. Each limit is one member of {@code RateLimit} and
     * {@code RateLimit-Policy}. The older headers can name only one limit; the limit with fewer remaining permits is kept.
     *
     * @param present returns the value of a header of the response, or null if it has none
     * @param set sets a header of the response
     */
    public void addAllowed(
            Ruling.Settled ruling, Function<String, @Nullable String> present, BiConsumer<String, String> set) {
        Map<String, String> more = allowed(ruling);
        String before = present.apply(REMAINING);
        boolean scarcer = before == null || isLess(more.get(REMAINING), before);
        more.forEach((name, value) -> {
            if (!name.startsWith("X-")) {
                set.accept(name, AnswerHeaders.join(present.apply(name), value));
            } else if (scarcer) {
                set.accept(name, value);
            }
        });
    }

    private static boolean isLess(@Nullable String number, String other) {
        try {
            return number != null && Long.parseLong(number) < Long.parseLong(other);
        } catch (NumberFormatException e) {
            return true;
        }
    }

    /**
     * Returns the response to a refused request: status 429, or 403 if a rule denies.
     *
     * @param ruling a ruling that does not allow the request
     * @param acceptLanguage the value of the header; null if there is none
     */
    public WebAnswer refused(Ruling.Settled ruling, @Nullable String acceptLanguage) {
        Ruling.Settled told = shown.of(ruling);
        RefusalBody.Content content = content(told, AnswerLanguage.of(acceptLanguage));
        Map<String, String> headers = new LinkedHashMap<>(AnswerHeaders.of(told, xRateLimit));
        headers.put("Content-Type", content.contentType());
        headers.put("Content-Language", content.language().code());
        headers.put("Cache-Control", "no-store");
        return new WebAnswer(content.status(), headers, content.text());
    }

    /** Returns the response to a failure. It does not contain the cause, which is logged. */
    WebAnswer failed(String what, @Nullable Throwable failure) {
        failures.told(what, failure);
        return WebAnswer.problem(500, "the rate limits of the request could not be decided; see the application's log");
    }

    /** Logs a failure that the caller does not notice. */
    void told(String what, Throwable failure) {
        failures.told(what, failure);
    }

    /**
     * Returns the body of a refusal. If the application's own {@link RefusalBody} fails, the default is used, so no refused request passes.
     */
    @SuppressWarnings("NullAway") // an implementation of the application may return null although it must not
    private RefusalBody.Content content(Ruling.Settled ruling, AnswerLanguage language) {
        try {
            RefusalBody.Content content = refusals.of(ruling, language);
            if (content != null) {
                return content;
            }
            failures.told("building a refusal's body", null);
        } catch (Throwable e) {
            CallbackFailures.rethrowIfBroken(e);
            failures.told("building a refusal's body", e);
        }
        return RefusalBody.PROBLEM.of(ruling, language);
    }
}
