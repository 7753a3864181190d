package io.sluice.http.answer;

import io.sluice.core.spi.FailurePolicy;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.model.Action;
import java.time.Duration;
import java.util.Optional;

/**
 * The text that explains the reason and the level of a refusal. If several limits refuse, it names the limit that determines
 * the time to wait. A rule's own {@code message} replaces the detail. The text contains limits and times, never a key.
 * Immutable.
 *
 * @param type the kind of problem for programs: a type that the RateLimit headers draft registers, or {@code about:blank}
 */
public record RefusalText(String type, int status, String title, String detail) {

    private static final String TYPES = "https://iana.org/assignments/http-problem-types#";
    private static final String QUOTA = TYPES + "quota-exceeded";
    private static final String CAPACITY = TYPES + "temporary-reduced-capacity";
    private static final int TOO_MANY = 429;
    private static final int FORBIDDEN = 403;

    /**
     * Returns the text for a refusal.
     *
     * @param ruling a ruling that is not allowed
     */
    public static RefusalText of(Ruling.Settled ruling, AnswerLanguage language) {
        boolean english = language == AnswerLanguage.EN;
        if (ruling.action() == Action.DENY) {
            String rule = ruling.rule() == null ? "" : ruling.rule().id();
            return new RefusalText(
                    "about:blank",
                    FORBIDDEN,
                    english ? "Forbidden" : "禁止访问",
                    own(ruling, language)
                            .orElse(english ? "Rule " + rule + " denies this request." : "请求被规则 " + rule + " 拒绝。"));
        }
        boolean closed = ruling.degraded() != null
                && ruling.rule() != null
                && ruling.rule().handling().onFailure() == FailurePolicy.CLOSED;
        return new RefusalText(
                closed ? CAPACITY : QUOTA,
                TOO_MANY,
                english ? "Too Many Requests" : "请求过多",
                own(ruling, language).orElseGet(() -> why(ruling, closed, english) + when(ruling, english)));
    }

    private static Optional<String> own(Ruling.Settled ruling, AnswerLanguage language) {
        return Optional.ofNullable(ruling.rule())
                .flatMap(rule -> rule.about().message())
                .map(message -> message.in(language.code()));
    }

    private static String why(Ruling.Settled ruling, boolean closed, boolean english) {
        Ruling.Reported slowest = ruling.slowest();
        if (closed) {
            return english ? "The rate limit cannot be checked at the moment." : "暂时无法检查请求限额。";
        }
        if (slowest == null) {
            return english ? "The request was refused." : "请求被拒绝。";
        }
        if (ruling.keptForOthers() && slowest.equals(ruling.reported())) {
            return english
                    ? where(slowest, true) + ": the rest of limit " + slowest.id() + " is kept for others."
                    : where(slowest, false) + "：限额 " + slowest.id() + " 的剩余部分为其他请求保留。";
        }
        return english
                ? where(slowest, true) + ": limit " + slowest.id() + " is used up."
                : where(slowest, false) + "：限额 " + slowest.id() + " 已用完。";
    }

    private static String where(Ruling.Reported reported, boolean english) {
        String by = String.join(", ", reported.by());
        return switch (reported.level()) {
            case GLOBAL -> english ? "Too many requests overall" : "全局请求过多";
            case SERVICE -> english ? "Too many requests to this service" : "该服务请求过多";
            case RESOURCE -> english ? "Too many requests to this resource" : "该接口请求过多";
            case CALLER -> english ? "Too many requests from one caller (by " + by + ")" : "同一调用方（按 " + by + "）请求过多";
        };
    }

    private static String when(Ruling.Settled ruling, boolean english) {
        Optional<Duration> retry = ruling.retryAfter();
        if (retry.isEmpty()) {
            return english ? " Retrying later will not help." : "稍后重试也不会成功。";
        }
        long seconds = Math.max(1, AnswerHeaders.seconds(retry.get()));
        return english
                ? " Try again in " + seconds + (seconds == 1 ? " second." : " seconds.")
                : "请在 " + seconds + " 秒后重试。";
    }
}
