package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.internal.Settlements;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Runs {@link SettledAnswers} on Tomcat. */
final class ServletSettledAnswersTest extends SettledAnswers {

    @Override
    RunningApp app() {
        return new RunningApp.Starting(false, ServletApp.class, Answers.class, Written.class).rules(RULES);
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Written.Writers.class)
    static class Written {

        @RestController
        static class Writers {

            @GetMapping("/chat/writer")
            void writer(HttpServletResponse response) throws IOException {
                response.setContentType("application/json;charset=utf-16");
                response.getWriter().print("{\"text\":\"é\",\"usage\":");
                response.getWriter().append('{').append("\"total_tokens\":").printf("%d}}", 33);
            }

            @GetMapping("/chat/lines")
            void lines(HttpServletResponse response) throws IOException {
                response.setContentType("text/event-stream");
                response.getWriter().println("data: {\"text\":\"a\"}");
                response.getWriter().println();
                response.getWriter().println("data: {\"usage\":{\"total_tokens\":33}}");
                response.getWriter().println();
            }

            @GetMapping("/chat/octets")
            void octets(HttpServletResponse response) throws IOException {
                response.setContentType("application/json");
                for (char c : "{\"usage\":{\"total_tokens\":33}}".toCharArray()) {
                    response.getOutputStream().write(c);
                }
            }

            @GetMapping("/chat/again")
            void again(HttpServletResponse response) throws IOException {
                response.setContentType("application/json");
                response.getWriter().print("{\"usage\":{\"total_tokens\":999");
                response.reset();
                response.setContentType("application/json");
                response.getWriter().print("{\"usage\":{\"total_tokens\":33}}");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"writer", "lines", "octets", "again"})
    void everyWayToWriteAResponseSettles(String way) throws Exception {
        List<String> settlements = running().bean(Settlements.class).all();
        assertThat(running().get("/chat/" + way).body()).contains("33}}");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !settlements.isEmpty());
        assertThat(settlements).containsExactly("chat.tokens 50 -> 33");
    }
}
