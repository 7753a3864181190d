package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spring.RateLimited;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Runs {@link AnnotatedRequests} on Tomcat. */
final class ServletAnnotatedTest extends AnnotatedRequests {

    @Override
    RunningApp.Starting starting() {
        return new RunningApp.Starting(false, ServletApp.class, Annotated.class, Blocking.class);
    }

    @RestController
    static class Blocking {

        @GetMapping("/blocking")
        @RateLimited(id = "blocking", limit = "10", window = "1h")
        public String blocking() {
            return "blocking";
        }

        @GetMapping("/waiting")
        @RateLimited(id = "waiting", rate = "20/s", burst = "1", maxWait = "1m")
        public CompletableFuture<String> waiting() {
            return CompletableFuture.completedFuture("waited");
        }
    }

    @Test
    void plainMethodsReportTheirLimits() throws Exception {
        HttpResponse<String> response = app().get("/blocking");
        assertThat(response.body()).isEqualTo("blocking");
        assertThat(header(response, "RateLimit-Policy")).endsWith(", \"blocking.0\";q=10;w=3600");
        assertThat(header(response, "RateLimit")).contains("\"everything.0\";r=", ", \"blocking.0\";r=9;");
    }

    /** The second call waits, and is admitted by another thread than the request's. */
    @Test
    void methodsThatWaitedWithoutAThreadReportTheirLimits() throws Exception {
        for (int i = 0; i < 3; i++) {
            HttpResponse<String> response = app().get("/waiting");
            assertThat(response.body()).isEqualTo("waited");
            assertThat(header(response, "RateLimit-Policy")).endsWith(", \"waiting.0\";q=1;w=1");
        }
    }
}
