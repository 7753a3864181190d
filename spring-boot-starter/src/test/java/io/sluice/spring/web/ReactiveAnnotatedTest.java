package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Runs {@link AnnotatedRequests} on Reactor Netty. */
final class ReactiveAnnotatedTest extends AnnotatedRequests {

    @Override
    RunningApp.Starting starting() {
        return new RunningApp.Starting(true, ReactiveApp.class, Annotated.class);
    }

    @Test
    void methodsOnOtherThreadsReportTheirLimits() throws Exception {
        assertThat(header(app().get("/elsewhere"), "RateLimit-Policy"))
                .isEqualTo("\"everything.0\";q=1000;w=3600, \"stock.0\";q=100;w=3600");
    }
}
