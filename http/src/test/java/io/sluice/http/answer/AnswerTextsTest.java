package io.sluice.http.answer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.Limiter;
import io.sluice.core.local.LocalEngine;
import io.sluice.core.time.ManualClock;
import io.sluice.rules.caller.KeySecret;
import io.sluice.rules.caller.KeySettings;
import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.rules.snapshot.RuleSet;
import io.sluice.testkit.QuietClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What callers receive: headers, problem body, languages. */
class AnswerTextsTest {

    private final ManualClock clock = QuietClock.at(0);
    private final Limiter local = new Limiter(new LocalEngine(clock), clock, List.of());

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "login.0 | ~\"login.0\"~",
                "a\"b\\c | ~\"a\\\"b\\\\c\"~",
                "grün | ~\"gr%C3%BCn\"~",
            })
    void idsAreStringsOfStructuredFields(String id, String text) {
        assertThat(AnswerHeaders.text(id)).isEqualTo(text);
    }

    @Test
    void noIdCanEndAHeader() {
        assertThat(AnswerHeaders.text("a\r\nSet-Cookie: x\u0000\u007f")).isEqualTo("\"a%0D%0ASet-Cookie: x%00%7F\"");
    }

    @Test
    void olderHeadersAreSentIfEnabled() {
        Ruling.Settled ruling =
                ruling("rules: [{ id: a, limits: [{ algorithm: fixed_window, limit: 5, window: 1m }] }]", 2);

        assertThat(AnswerHeaders.of(ruling)).containsOnlyKeys("RateLimit-Policy", "RateLimit");
        assertThat(AnswerHeaders.of(ruling, true))
                .containsEntry("RateLimit-Policy", "\"a.0\";q=5;w=60")
                .containsEntry("X-RateLimit-Limit", "5")
                .containsEntry("X-RateLimit-Remaining", "3")
                .containsKey("X-RateLimit-Reset");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "-                            | EN",
                "zh                           | ZH",
                "zh-CN,zh;q=0.9,en;q=0.8      | ZH",
                "en-GB,zh;q=0.9               | EN",
                "fr, zh;q=0.2, en;q=0.1       | ZH",
                "fr                           | EN",
                "ZH-hans                      | ZH",
                "zh;q=0                       | EN",
                "zh;q=0, *                    | EN",
                "zho                          | EN",
                "zh;q=nonsense                | EN",
                ";;;,,,q=1                    | EN",
            })
    void theLanguageIsTheOneWithTheHighestWeight(String header, AnswerLanguage language) {
        assertThat(AnswerLanguage.of(header)).isEqualTo(language);
    }

    @Test
    void aVeryLongListOfLanguagesCostsLittle() {
        assertThat(AnswerLanguage.of("fr,".repeat(1_000_000) + "zh")).isEqualTo(AnswerLanguage.EN);
    }

    @Test
    void aRefusalIsAProblemInBothLanguages() {
        Ruling.Settled ruling =
                ruling("rules: [{ id: a, limits: [{ algorithm: sliding_log, limit: 1, window: 42s }] }]", 1, 1);

        RefusalBody.Content english = RefusalBody.PROBLEM.of(ruling, AnswerLanguage.EN);
        assertThat(english.status()).isEqualTo(429);
        assertThat(english.contentType()).isEqualTo("application/problem+json");
        assertThat(english.text())
                .isEqualTo(
                        "{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                                + "\"title\":\"Too Many Requests\",\"status\":429,"
                                + "\"detail\":\"Too many requests overall: limit a.0 is used up. Try again in 42 seconds.\",\"rule\":\"a\"}");
        assertThat(RefusalBody.PROBLEM.of(ruling, AnswerLanguage.ZH).text())
                .contains("\"title\":\"请求过多\"", "\"detail\":\"全局请求过多：限额 a.0 已用完。请在 42 秒后重试。\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                        | ''                | Too many requests overall: | 全局请求过多：",
                "service: s,               | ''                | Too many requests to this service: | 该服务请求过多：",
                "resource: /a,             | ''                | Too many requests to this resource: | 该接口请求过多：",
                "resource: /a, service: s, | 'by: ip,'         | Too many requests from one caller (by ip): | 同一调用方（按 ip）请求过多：",
                "''                        | 'by: [user, ip],' | Too many requests from one caller (by user, ip): | 同一调用方（按 user, ip）请求过多：",
            })
    void aRefusalSaysWhichLevelRefused(String scope, String by, String english, String chinese) {
        Ruling.Settled ruling = ruling("rules: [{ id: a, " + scope + " limits: [{ " + by + " rate: 0 }] }]", 1);

        assertThat(RefusalText.of(ruling, AnswerLanguage.EN).detail()).startsWith(english);
        assertThat(RefusalText.of(ruling, AnswerLanguage.ZH).detail()).startsWith(chinese);
    }

    @Test
    void ofSeveralLimitsThatRefuseTheOneToWaitForIsNamed() {
        String rules = """
                rules:
                  - id: sms
                    limits:
                      - { id: minute, by: ip, algorithm: sliding_log, limit: 1, window: 1m }
                      - { id: hour, by: ip, algorithm: sliding_log, limit: 1, window: 1h }
                      - { id: short, by: ip, algorithm: sliding_log, limit: 1, window: 10s }
                """;
        Evaluator evaluator = evaluator(rules);
        assertThat(settled(evaluator, 1).allowed()).isTrue();
        Ruling.Settled refused = settled(evaluator, 1);

        assertThat(refused.reported().id()).isEqualTo("sms.minute");
        assertThat(refused.slowest().id()).isEqualTo("sms.hour");
        assertThat(RefusalText.of(refused, AnswerLanguage.EN).detail())
                .isEqualTo(
                        "Too many requests from one caller (by ip): limit sms.hour is used up. Try again in 3600 seconds.");
        assertThat(RefusalText.of(refused, AnswerLanguage.ZH).detail())
                .isEqualTo("同一调用方（按 ip）请求过多：限额 sms.hour 已用完。请在 3600 秒后重试。");
        clock.advance(Duration.ofMinutes(59));
        assertThat(RefusalText.of(settled(evaluator, 1), AnswerLanguage.EN).detail())
                .isEqualTo(
                        "Too many requests from one caller (by ip): limit sms.hour is used up. Try again in 60 seconds.");
    }

    @Test
    void theSlowestLimitMayBeInAnotherRuleAndAtAnotherLevel() {
        Evaluator evaluator = evaluator("""
                rules:
                  - { id: all, limits: [{ algorithm: sliding_log, limit: 1, window: 10s }] }
                  - { id: mine, limits: [{ by: ip, algorithm: sliding_log, limit: 1, window: 1h }] }
                """);
        assertThat(settled(evaluator, 1).allowed()).isTrue();
        Ruling.Settled refused = settled(evaluator, 1);
        assertThat(refused.rule().id()).isEqualTo("all");
        assertThat(RefusalText.of(refused, AnswerLanguage.EN).detail())
                .isEqualTo(
                        "Too many requests from one caller (by ip): limit mine.0 is used up. Try again in 3600 seconds.");

        Ruling.Settled never = ruling("rules: [{ id: a, limits: [{ limit: 1, window: 1m, id: x }, { rate: 0 }] }]", 1);
        assertThat(RefusalText.of(never, AnswerLanguage.EN).detail())
                .isEqualTo("Too many requests overall: limit a.1 is used up. Retrying later will not help.");
    }

    @Test
    void limitsThatRefuseForTheSameTimeNameTheReportedOne() {
        Ruling.Settled never = ruling("rules: [{ id: a, limits: [{ rate: 0, id: x }, { rate: 0, id: y }] }]", 1);
        assertThat(RefusalText.of(never, AnswerLanguage.EN).detail()).contains("limit a.x is");
    }

    @Test
    void aRulesOwnMessageStandsInstead() {
        Ruling.Settled both =
                ruling("rules: [{ id: a, limits: [{ rate: 0 }], message: { en: 'Slow \"down\"', zh: 慢一点 } }]", 1);
        assertThat(RefusalText.of(both, AnswerLanguage.EN).detail()).isEqualTo("Slow \"down\"");
        assertThat(RefusalText.of(both, AnswerLanguage.ZH).detail()).isEqualTo("慢一点");
        assertThat(RefusalBody.PROBLEM.of(both, AnswerLanguage.EN).text()).contains("\"detail\":\"Slow \\\"down\\\"\"");

        Ruling.Settled any = ruling("rules: [{ id: b, limits: [{ rate: 0 }], message: '#{T(x)} ${y}' }]", 1);
        assertThat(RefusalText.of(any, AnswerLanguage.ZH).detail()).isEqualTo("#{T(x)} ${y}");
    }

    @Test
    void textsForRequestsThatNeverPassAndThatAreDenied() {
        assertThat(RefusalText.of(ruling("rules: [{ id: a, limits: [{ rate: 0 }] }]", 1), AnswerLanguage.EN)
                        .detail())
                .isEqualTo("Too many requests overall: limit a.0 is used up. Retrying later will not help.");
        RefusalText denied = RefusalText.of(ruling("rules: [{ id: no, action: deny }]", 1), AnswerLanguage.EN);
        assertThat(denied.status()).isEqualTo(403);
        assertThat(denied.type()).isEqualTo("about:blank");
        assertThat(denied.detail()).isEqualTo("Rule no denies this request.");
    }

    /** Returns the last of several rulings on the same request. */
    private Ruling.Settled ruling(String rules, long... permits) {
        Evaluator evaluator = evaluator(rules);
        Ruling.Settled last = settled(evaluator, permits[0]);
        for (int i = 1; i < permits.length; i++) {
            last = settled(evaluator, permits[i]);
        }
        return last;
    }

    private Evaluator evaluator(String rules) {
        RuleSet set = new RuleSet(1, ((RuleDocument.Accepted) RuleDocument.parse("t", rules)).rules());
        KeySettings keys = new KeySettings(KeySecret.random(), KeySettings.DEFAULT_IPV6_PREFIX, Optional.empty());
        return new Evaluator(() -> set, local, null, keys, clock, (ruling, nanos) -> {});
    }

    private static Ruling.Settled settled(Evaluator evaluator, long permits) {
        return (Ruling.Settled) evaluator
                .evaluate(Attributes.of(Map.of("service", "s", "path", "/a", "ip", "192.0.2.1", "user", "u")), permits)
                .toCompletableFuture()
                .join();
    }
}
