package io.sluice.examples.loginandsms;

import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.rules.model.Action;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;


@SpringBootApplication
public class LoginAndSms {

    private static final String UNREADABLE =
            """
            {"title":"Bad Request","status":400,"detail":"username: none found (expected: in a JSON object)"}""";

    public static void main(String[] args) {
        SpringApplication.run(LoginAndSms.class, args);
    }

    /**
     * Answers a login without a user name with 400. Such a request is refused forever, so 429 would be wrong: waiting does not
     * help.
     */
    @Bean
    RefusalBody refusals() {
        return (refusal, language) -> refusal.action() == Action.LIMIT && refusal.retryAfter().isEmpty()
                ? new RefusalBody.Content(400, "application/problem+json", AnswerLanguage.EN, UNREADABLE)
                : RefusalBody.PROBLEM.of(refusal, language);
    }
}
