package io.sluice.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.spring.boot.starts.GatewayApp;
import io.sluice.spring.boot.starts.PlainApp;
import io.sluice.spring.boot.starts.WebApp;
import io.sluice.spring.internal.Party;
import io.sluice.testkit.redis.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Real applications with the class paths that users have, and no more configuration of Sluice than necessary. */
@Timeout(300)
@ExtendWith(OutputCaptureExtension.class)
class StartsEverywhereTest {

    private static final String OF_TESTS =
            "spring-test|spring-boot-(starter-)?test|sluice-testkit|junit|assertj|mockito|json-path"
                    + "|micrometer-(registry|observation-test)|prometheus|reactor-test|awaitility";
    private static final String OF_ACTUATOR =
            "spring-boot-(starter-)?(actuator|health|micrometer)|micrometer-(core|jakarta9)|HdrHistogram|LatencyUtils";
    private static final String OF_SECURITY = "spring-security|spring-boot-(starter-)?security|nimbus|bcprov";
    private static final String OF_REDIS = "spring-data|spring-boot-(starter-)?data|spring-tx|spring-oxm"
            + "|spring-boot-(transaction|persistence|netty)";
    private static final String OF_CLOUD = "spring-cloud|spring-boot-(starter-)?validation|hibernate|reactor-extra";
    private static final String OF_SERVLETS =
            "spring-webmvc|spring-boot-(starter-)?(webmvc|tomcat|servlet)|tomcat-embed-(core|websocket)|jakarta.servlet";
    private static final String OF_WEBFLUX = "spring-webflux|spring-boot-(starter-)?(webflux|reactor)|reactor-netty"
            + "|netty-codec-(http|native|classes)|netty-handler-proxy";
    private static final String OF_CLIENTS = "spring-boot-(restclient|webclient|http-client)";
    private static final String OF_WEB =
            "spring-web-|spring-boot-(web-server|http-co|jackson|starter-jackson)|jackson|aspectj";

    private static final String IN_THIS_PROCESS = "Sluice counts in this process only (no Redis configured)";

    private static final String ROUTE = "--spring.cloud.gateway.server.webflux.routes[0].";

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void withNothingButTheStarter(CapturedOutput output) throws Exception {
        Pattern without = Pattern.compile(String.join(
                "|",
                OF_TESTS,
                OF_ACTUATOR,
                OF_SECURITY,
                OF_REDIS,
                OF_CLOUD,
                OF_SERVLETS,
                OF_WEBFLUX,
                OF_CLIENTS,
                OF_WEB));
        try (OwnClassPath app = OwnClassPath.start(PlainApp.class, without)) {
            assertThat(app.has("org.springframework.http.HttpRequest")).isFalse();
            assertThat(app.beans())
                    .contains("sluiceLimiter", "sluiceEvaluator", "sluiceRuleSource", "sluiceLimitAdvisor")
                    .doesNotContain("sluiceLimitFilter", "sluiceCallLimits", "sluiceRateLimiter", "sluiceMetrics");
            assertThat(output).containsOnlyOnce(IN_THIS_PROCESS);
            assertThat(app.greet()).isEqualTo("hello");
            assertThat(app.greet()).startsWith("refused, try again in PT");
        }
    }

    @Test
    void withServlets(CapturedOutput output) throws Exception {
        Pattern without = Pattern.compile(String.join(
                "|", OF_TESTS, OF_ACTUATOR, OF_SECURITY, OF_REDIS, OF_CLOUD, OF_WEBFLUX, OF_CLIENTS, "aspectj"));
        try (OwnClassPath app = OwnClassPath.start(WebApp.class, without, "--server.port=0")) {
            assertThat(app.has("org.springframework.web.reactive.DispatcherHandler"))
                    .isFalse();
            assertThat(app.beans())
                    .contains("sluiceLimiter", "sluiceLimitFilter", "sluiceRefusalResolver", "sluiceCallLimits")
                    .doesNotContain("sluiceReactiveCallLimits", "sluiceRestClientCustomizer", "sluiceMetrics");
            assertThat(output).containsOnlyOnce(IN_THIS_PROCESS);
            assertPassesOnce(app, "/hello");
        }
    }

    @Tag("long")
    @Test
    void withServletsClientsAndActuator() throws Exception {
        Pattern without = Pattern.compile(String.join(
                "|", OF_TESTS, OF_SECURITY, OF_REDIS, OF_CLOUD, OF_WEBFLUX, "spring-boot-webclient", "aspectj"));
        try (OwnClassPath app = OwnClassPath.start(
                WebApp.class, without, "--server.port=0", "--management.endpoints.web.exposure.include=sluice")) {
            assertThat(app.beans())
                    .contains("sluiceLimitFilter", "sluiceRestClientCustomizer", "sluiceRestTemplateCustomizer")
                    .contains("sluiceMetrics", "sluiceHealthIndicator")
                    .doesNotContain("sluiceReactiveCallLimits", "sluiceWebClientCustomizer");
            assertPassesOnce(app, "/hello");
            assertThat(get(app, "/actuator/sluice").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void withWebFlux(CapturedOutput output) throws Exception {
        Pattern without = Pattern.compile(String.join(
                "|", OF_TESTS, OF_ACTUATOR, OF_SECURITY, OF_REDIS, OF_CLOUD, OF_SERVLETS, OF_CLIENTS, "aspectj"));
        try (OwnClassPath app = OwnClassPath.start(WebApp.class, without, "--server.port=0")) {
            assertThat(app.has("jakarta.servlet.Filter")).isFalse();
            assertThat(app.beans())
                    .contains("sluiceLimiter", "sluiceLimitWebFilter", "sluiceCallLimits", "sluiceReactiveCallLimits")
                    .doesNotContain("sluiceLimitFilter", "sluiceWebClientCustomizer", "sluiceRateLimiter");
            assertThat(output).containsOnlyOnce(IN_THIS_PROCESS);
            assertPassesOnce(app, "/hello");
        }
    }

    /** Here the filters of the application also apply to the port of the actuator. */
    @Tag("long")
    @Test
    void withWebFluxAndTheActuatorOnAPortOfItsOwn() throws Exception {
        Pattern without = Pattern.compile(
                String.join("|", OF_TESTS, OF_SECURITY, OF_REDIS, OF_CLOUD, OF_SERVLETS, OF_CLIENTS, "aspectj"));
        try (OwnClassPath app = OwnClassPath.start(
                WebApp.class,
                without,
                "--server.port=0",
                "--management.server.port=0",
                "--sluice.rules[0].id=nothing",
                "--sluice.rules[0].limits[0].limit=0",
                "--sluice.rules[0].limits[0].window=1h")) {
            assertThat(get(app, "/hello").statusCode()).isEqualTo(429);
            URI actuator = URI.create("http://127.0.0.1:" + app.property("local.management.port") + "/actuator");
            assertThat(http.send(HttpRequest.newBuilder(actuator).build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Tag("long")
    @Test
    void withCloudGatewayOnTheRedisOfTheApplication(CapturedOutput output) throws Exception {
        Pattern without = Pattern.compile(String.join("|", OF_TESTS, OF_ACTUATOR, OF_SECURITY, OF_SERVLETS, "aspectj"));
        RedisServer redis = RedisServer.shared();
        try (Party upstream = new Party();
                OwnClassPath gateway = gateway(without, upstream, redis);
                OwnClassPath other = gateway(without, upstream, redis)) {
            assertThat(gateway.beans())
                    .contains(
                            "sluiceLimiter",
                            "sluiceLimitWebFilter",
                            "sluiceRateLimiter",
                            "sluiceGatewayFilterFactory",
                            "requestRateLimiterGatewayFilterFactory",
                            "redisRateLimiter",
                            "sluiceRestClientCustomizer",
                            "sluiceWebClientCustomizer");
            assertThat(output)
                    .contains("Sluice shares its counts through redis://127.0.0.1:" + redis.port())
                    .contains("1 rule from the application's properties");
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(get(gateway, "/x").statusCode()).isEqualTo(429));
            assertThat(get(other, "/x").statusCode()).isEqualTo(429);
            assertThat(get(other, "/x").headers().firstValue("Retry-After")).isPresent();
        }
    }

    /** Our limiter must exist when the gateway looks for one; otherwise the gateway defines no filter for it. */
    @Test
    void withCloudGatewayAndNoRedis(CapturedOutput output) throws Exception {
        Pattern without =
                Pattern.compile(String.join("|", OF_TESTS, OF_ACTUATOR, OF_SECURITY, OF_REDIS, OF_SERVLETS, "aspectj"));
        try (Party upstream = new Party();
                OwnClassPath gateway = OwnClassPath.start(
                        GatewayApp.class,
                        without,
                        "--server.port=0",
                        ROUTE + "id=upstream",
                        ROUTE + "uri=" + upstream.uri(),
                        ROUTE + "predicates[0]=Path=/**",
                        ROUTE + "filters[0].name=RequestRateLimiter",
                        ROUTE + "filters[0].args.redis-rate-limiter.replenishRate=1",
                        ROUTE + "filters[0].args.redis-rate-limiter.burstCapacity=3600",
                        ROUTE + "filters[0].args.redis-rate-limiter.requestedTokens=3600")) {
            assertThat(gateway.beans())
                    .contains("sluiceRateLimiter", "requestRateLimiterGatewayFilterFactory")
                    .doesNotContain("redisRateLimiter");
            assertThat(output).containsOnlyOnce(IN_THIS_PROCESS);
            assertThat(get(gateway, "/x").statusCode()).isEqualTo(200);
            HttpResponse<String> refused = get(gateway, "/x");
            assertThat(refused.statusCode()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        }
    }

    private static OwnClassPath gateway(Pattern without, Party upstream, RedisServer redis) throws Exception {
        return OwnClassPath.start(
                PlainApp.class,
                without,
                "--server.port=0",
                "--spring.data.redis.url=" + redis.uri(),
                "--sluice.rules[0].id=one",
                "--sluice.rules[0].service=by-name",
                "--sluice.rules[0].deadline=5s",
                "--sluice.rules[0].limits[0].limit=1",
                "--sluice.rules[0].limits[0].window=1h",
                ROUTE + "id=upstream",
                ROUTE + "uri=" + upstream.uri(),
                ROUTE + "predicates[0]=Path=/**",
                ROUTE + "filters[0]=Sluice=one");
    }

    private void assertPassesOnce(OwnClassPath app, String path) throws Exception {
        assertThat(get(app, path).statusCode()).isEqualTo(200);
        HttpResponse<String> refused = get(app, path);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
    }

    private HttpResponse<String> get(OwnClassPath app, String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(URI.create(app.uri() + path)).build(), HttpResponse.BodyHandlers.ofString());
    }
}
