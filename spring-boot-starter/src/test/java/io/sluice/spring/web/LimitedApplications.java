package io.sluice.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.time.ManualClock;
import io.sluice.http.answer.AnswerHeaders;
import io.sluice.http.answer.AnswerLanguage;
import io.sluice.http.answer.RefusalBody;
import io.sluice.rules.evaluate.Evaluator;
import io.sluice.rules.evaluate.Ruling;
import io.sluice.rules.pattern.Attributes;
import io.sluice.spring.RateLimited;
import io.sluice.spring.boot.method.MethodLimitAutoConfiguration;
import io.sluice.testkit.QuietClock;
import io.sluice.testkit.SeededRandom;
import io.sluice.testkit.http.PathMixtures;
import io.sluice.testkit.http.PathVariants;
import io.sluice.testkit.http.RawCaller;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Tests of limited requests that hold for every server. */
abstract class LimitedApplications {

    private static final String FORM = "application/x-www-form-urlencoded";
    private static final String JSON = "application/json";
    private static final String ZERO = "limits: [ { limit: 0, window: 1s } ] }";
    private static final String ONE = "limits: [ { limit: 1, window: 1h } ] }";

    abstract RunningApp.Starting app();

    abstract void open(RunningApp app, String result);

    static String rules(String... lines) {
        StringBuilder all = new StringBuilder("rules:\n");
        for (String line : lines) {
            all.append("  - ").append(line).append('\n');
        }
        return all.toString();
    }

    @Test
    void reportsTheLimitToEveryCallerAndTheRetryTimeToRefusedOnes() throws Exception {
        try (RunningApp app = app().rules(rules("{ id: login, resource: /api/login, " + ONE))) {
            HttpResponse<String> first = app.get("/api/login");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.headers().firstValue("RateLimit-Policy")).hasValue("\"login.0\";q=1;w=3600");
            assertThat(first.headers().firstValue("Retry-After")).isEmpty();
            HttpResponse<String> second = app.get("/api/login", "Accept-Language", "zh-CN,en;q=0.5");
            assertThat(second.statusCode()).isEqualTo(429);
            assertThat(second.headers().firstValue("Content-Type")).hasValue("application/problem+json");
            assertThat(second.headers().firstValue("Content-Language")).hasValue("zh");
            assertThat(second.headers().firstValue("Cache-Control")).hasValue("no-store");
            assertThat(second.headers().firstValue("Retry-After")).isPresent();
            assertThat(second.body()).contains("\"rule\":\"login\"", "\"status\":429", "请求过多");
            assertThat(app.get("/elsewhere").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aRuleForCodeLimitsNoRequestAndNeedsNoneOfItsFields() throws Exception {
        String rules = rules("{ id: report, for: code, limits: [ { by: header.x-app, limit: 0, window: 1h } ] }");
        try (RunningApp app = app().rules(rules)) {
            HttpResponse<String> answer = app.get("/api/login", "X-App", "a", "X-App", "b");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("RateLimit")).isEmpty();
        }
    }

    @Tag("boot-3-long")
    @Test
    void answersAsTheCoreDecides() throws Exception {
        String rules = rules(
                "{ id: all, limits: [ { rate: 50/s, burst: 60 } ] }",
                "{ id: shop, service: shop, resource: \"/api/**\", limits: [ { by: header.x-user, limit: 4, window: 1m } ] }",
                "{ id: posts, methods: [POST], resource: \"/api/orders/{id}\", limits: [ { by: json.name, limit: 2, window: 1h } ] }",
                "{ id: search, match: { query.q: \"s*\" }, limits: [ { by: query.q, limit: 3, window: 10s } ], message: Slowly }",
                "{ id: banned, match: { header.x-user: bad }, action: deny }",
                "{ id: free, match: { header.x-user: good }, action: exempt }");
        ManualClock clock = QuietClock.at(1_000_000_000L);
        Evaluator expected = SluiceBeans.evaluatorOf(rules, clock);
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println("answersAsTheCoreDecides: seed " + seed);
        Random random = new Random(seed);
        Map<Integer, Integer> seen = new TreeMap<>();
        try (RunningApp app = app().at(clock).rules(rules)) {
            for (int i = 0; i < 300; i++) {
                Map<String, String> known = new HashMap<>(Map.of("service", "shop", "ip", "127.0.0.1"));
                String path = List.of("/api/orders/7", "/api/login", "/x", "/api/orders/8/")
                        .get(random.nextInt(4));
                String query = List.of("", "?q=s1", "?q=s2", "?q=t").get(random.nextInt(4));
                String user = List.of("u1", "u2", "bad", "good", "").get(random.nextInt(5));
                String language = random.nextBoolean() ? "zh" : "en";
                HttpRequest.Builder request = app.request(path + query).header("Accept-Language", language);
                known.put("path", path);
                if (!query.isEmpty()) {
                    known.put("query.q", query.substring(3));
                }
                if (!user.isEmpty()) {
                    request.header("X-User", user);
                    known.put("header.x-user", user);
                }
                known.put("method", random.nextBoolean() ? "POST" : "GET");
                if (known.get("method").equals("POST")) {
                    request.header("Content-Type", JSON)
                            .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"n" + i % 3 + "\"}"));
                    known.put("json.name", "n" + i % 3);
                }
                HttpResponse<String> answer = app.send(request);
                Ruling.Settled ruling = (Ruling.Settled) expected.evaluate(Attributes.of(known), 1)
                        .toCompletableFuture()
                        .join();
                same(answer, ruling, AnswerLanguage.of(language), known.toString());
                seen.merge(answer.statusCode(), 1, Integer::sum);
                clock.advance(Duration.ofMillis(random.nextInt(300)));
            }
        }
        assertThat(seen).containsKeys(200, 403, 429);
    }

    private static void same(
            HttpResponse<String> answer, Ruling.Settled ruling, AnswerLanguage language, String request) {
        Map<String, String> headers = AnswerHeaders.of(ruling);
        for (String name : List.of("RateLimit-Policy", "RateLimit", "Retry-After")) {
            assertThat(answer.headers().firstValue(name).orElse(null))
                    .as(name + " of " + request)
                    .isEqualTo(headers.get(name));
        }
        if (ruling.allowed()) {
            assertThat(answer.statusCode()).as(request).isEqualTo(200);
        } else {
            RefusalBody.Content content = RefusalBody.PROBLEM.of(ruling, language);
            assertThat(answer.statusCode()).as(request).isEqualTo(content.status());
            assertThat(answer.body()).isEqualTo(content.text());
        }
    }

    @Test
    void a7_howeverAPathIsWrittenNothingLimitedIsReachedPastItsLimit() throws Exception {
        long seed = Long.getLong("sluice.tests.seed", new Random().nextLong());
        System.out.println(getClass().getSimpleName() + ": seed " + seed);
        List<String> variants = PathVariants.of(
                List.of("/api/login", "/api/orders/7", "/api/orders/7/items", "/admin/users/u-1/keys"),
                new Random(seed),
                1_500);
        String limited = rules(
                "{ id: login, resource: /api/login, " + ZERO,
                "{ id: orders, resource: \"/api/orders/**\", " + ZERO,
                "{ id: keys, resource: \"/admin/users/{user}/keys\", " + ZERO);
        int reachable = 0;
        List<String> escaped = new ArrayList<>();
        Map<Integer, Integer> answers = new TreeMap<>();
        try (RunningApp app = app().rules(limited);
                RunningApp bare = app().rules("rules: []");
                RawCaller through = new RawCaller(app.port());
                RawCaller past = new RawCaller(bare.port())) {
            for (String variant : variants) {
                RawCaller.Answer answer = through.get(variant);
                answers.merge(answer.status(), 1, Integer::sum);
                if (answer.body().equals("limited")) {
                    escaped.add(variant);
                }
                if (past.get(variant).body().equals("limited")) {
                    reachable++;
                }
            }
        }
        System.out.println(reachable + " reach a limited handler without limits; with them " + answers);
        assertThat(escaped).isEmpty();
        assertThat(reachable).isGreaterThan(50);
        assertThat(answers).containsKeys(200, 400, 429);
    }

    /** A7 and A43 with spellings that are on no list, against rules and against an exclusion of a neighbour. */
    @Test
    void a43_noMixtureOfSpellingsReachesALimitedHandler() throws Exception {
        SeededRandom random = SeededRandom.of(getClass().getSimpleName());
        List<String> mixtures = PathMixtures.of(
                List.of("/api/login", "/api/orders/7", "/admin/users/u-1/keys", "/open/../api/login", "/open/x"),
                random,
                SeededRandom.scaled(400, 10_000));
        String limited = rules(
                "{ id: login, resource: /api/login, " + ZERO,
                "{ id: orders, resource: \"/api/orders/**\", " + ZERO,
                "{ id: keys, resource: \"/admin/users/{user}/keys\", " + ZERO);
        List<String> escaped = new ArrayList<>();
        int reachable = 0;
        try (RunningApp app = app().rules(limited);
                RunningApp excluding = app().with("sluice.web.exclude=/open/**").rules(rules("{ id: all, " + ZERO));
                RunningApp bare = app().rules("rules: []");
                RawCaller toRules = new RawCaller(app.port());
                RawCaller toExclusion = new RawCaller(excluding.port());
                RawCaller past = new RawCaller(bare.port())) {
            for (String mixture : mixtures) {
                reachable += body(past, mixture).equals("limited") ? 1 : 0;
                if (body(toRules, mixture).equals("limited")
                        || body(toExclusion, mixture).equals("limited")) {
                    escaped.add(mixture);
                }
            }
            assertThat(body(toExclusion, "/open/x")).isEqualTo("open");
        }
        System.out.println(reachable + " of " + mixtures.size() + " reach a limited handler without limits");
        assertThat(escaped).isEmpty();
        assertThat(reachable).isGreaterThan(mixtures.size() / 50);
    }

    /** Servers close the connection without an answer to some targets. */
    private static String body(RawCaller caller, String target) {
        try {
            return caller.get(target).body();
        } catch (IOException closed) {
            return "";
        }
    }

    /** A43: a segment that has no name, or none but parameters, is a name to some frameworks. */
    @Test
    void a43_segmentsWithoutANameAreRefused() throws Exception {
        String keys = rules("{ id: keys, resource: \"/admin/users/{user}/keys\", " + ZERO);
        try (RunningApp app = app().rules(keys);
                RawCaller caller = new RawCaller(app.port())) {
            for (String name : List.of(";x", ";", ".", "%2e", "", "u;x", "%75")) {
                assertThat(caller.get("/admin/users/" + name + "/keys").status())
                        .as(name)
                        .isIn(400, 429);
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void forgedPrefixesDoNotMoveAPathOutOfItsLimit() throws Exception {
        for (String strategy : List.of("framework", "native", "none")) {
            try (RunningApp app = app().with("server.forward-headers-strategy=" + strategy)
                    .rules(rules("{ id: login, resource: /api/login, " + ZERO))) {
                assertThat(app.get("/api/login", "X-Forwarded-Prefix", "/x").statusCode())
                        .as(strategy)
                        .isEqualTo(429);
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void a1_forgedAddressesAreIgnored() throws Exception {
        for (String strategy : List.of("framework", "none")) {
            try (RunningApp app = app().with("server.forward-headers-strategy=" + strategy)
                    .rules(rules("{ id: each, limits: [ { by: ip, limit: 3, window: 1h } ] }"))) {
                int allowed = 0;
                for (int i = 0; i < 20; i++) {
                    String forged = "203.0.113." + i;
                    HttpResponse<String> answer =
                            app.get("/", "X-Forwarded-For", forged, "Forwarded", "for=" + forged, "X-Real-IP", forged);
                    allowed += answer.statusCode() == 200 ? 1 : 0;
                }
                assertThat(allowed).as(strategy).isEqualTo(3);
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void a2toA6_behindATrustedProxyTheRightmostUntrustedAddressCounts() throws Exception {
        try (RunningApp app = app().with("test.trusted=127.0.0.0/8")
                .rules(rules("{ id: each, limits: [ { by: ip, limit: 1, window: 1h } ] }"))) {
            assertThat(status(app, "198.51.100.1, 203.0.113.9")).isEqualTo(200);
            assertThat(status(app, "198.51.100.2, 203.0.113.9")).isEqualTo(429);
            assertThat(status(app, "1.2.3.4")).isEqualTo(200);
            for (String same : List.of("::ffff:1.2.3.4", "::ffff:102:304", "001.002.003.004", "1.2.3.4:99")) {
                assertThat(status(app, same)).as(same).isEqualTo(429);
            }
            assertThat(status(app, "1.2.3.5")).isEqualTo(200);
            assertThat(status(app, "2001:db8:0:1::1")).isEqualTo(200);
            for (int i = 2; i < 50; i++) {
                assertThat(status(app, "2001:db8:0:1::" + Integer.toHexString(i * 977)))
                        .isEqualTo(429);
            }
            assertThat(status(app, "2001:db8:0:2::1")).isEqualTo(200);
            assertThat(status(app, "nonsense")).isEqualTo(200);
            assertThat(status(app, "other nonsense")).isEqualTo(429);
        }
    }

    private static int status(RunningApp app, String forwardedFor) throws Exception {
        return app.get("/", "X-Forwarded-For", forwardedFor).statusCode();
    }

    @Tag("boot-3-long")
    @Test
    void a9_theMethodThatIsServedIsTheOneThatIsLimited() throws Exception {
        try (RunningApp app = app().with("spring.mvc.hiddenmethod.filter.enabled=true")
                .rules(
                        rules(
                                "{ id: reads, resource: /api/login, methods: [GET], " + ZERO,
                                "{ id: deletes, resource: /form, methods: [DELETE], limits: [ { by: form.name, limit: 1, window: 1h } ] }"))) {
            assertThat(app.send(app.request("/api/login").method("HEAD", HttpRequest.BodyPublishers.noBody()))
                            .statusCode())
                    .isEqualTo(429);
            assertThat(app.send(app.request("/api/login").method("get", HttpRequest.BodyPublishers.noBody()))
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.get("/api/login", "X-HTTP-Method-Override", "POST").statusCode())
                    .isEqualTo(429);
            assertThat(app.post("/form", FORM, "_method=delete&name=a&other=b").body())
                    .isEqualTo("DELETE a b");
            assertThat(app.post("/form", FORM, "_method=delete&name=a&other=b").statusCode())
                    .isEqualTo(429);
            assertThat(app.post("/form", FORM, "_method=delete&name=c&other=b").body())
                    .isEqualTo("DELETE c b");
            assertThat(app.post("/form", FORM, "name=a&other=b").body()).isEqualTo("POST a b");
        }
    }

    @Tag("boot-3-long")
    @Test
    void a14_ofFiveHundredAtOnceExactlyAsManyPassAsTheLimitSays() throws Exception {
        try (RunningApp app = app().rules(rules("{ id: few, limits: [ { limit: 10, window: 1h } ] }"))) {
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                all.add(app.client().sendAsync(app.request("/later").build(), HttpResponse.BodyHandlers.ofString()));
            }
            int allowed = 0;
            for (CompletableFuture<HttpResponse<String>> each : all) {
                allowed += each.get(60, TimeUnit.SECONDS).statusCode() == 200 ? 1 : 0;
            }
            assertThat(allowed).isEqualTo(10);
        }
    }

    @Test
    void a20_expressionsAreText() throws Exception {
        List<String> expressions = List.of(
                "#{T(java.lang.System).setProperty('sluice.a20','x')}",
                "${jndi:ldap://127.0.0.1:1/x}",
                "${java.version}",
                "%{(#a=1)}",
                "{{7*7}}",
                "__${T(java.lang.System).setProperty('sluice.a20','x')}__::.x");
        try (RunningApp app = app().rules(
                        rules(
                                "{ id: each, message: \"#{1+1} ${java.version}\", limits: [ { by: header.x-key, limit: 1, window: 1h } ] }"))) {
            for (String expression : expressions) {
                assertThat(app.get("/later", "X-Key", expression, "Accept-Language", expression)
                                .statusCode())
                        .as(expression)
                        .isEqualTo(200);
                HttpResponse<String> refused = app.get("/later", "X-Key", expression);
                assertThat(refused.statusCode()).isEqualTo(429);
                assertThat(refused.body()).contains("#{1+1} ${java.version}");
            }
            assertThat(app.get("/later", "X-Key", "2").statusCode()).isEqualTo(200);
        }
        assertThat(System.getProperty("sluice.a20")).isNull();
    }

    @Test
    void countsByBodyFieldsAndTheApplicationStillReadsTheWholeBody() throws Exception {
        try (RunningApp app = app().rules(
                        rules(
                                "{ id: names, resource: \"/{any}\", limits: [ { by: json.name, absent: skip, unread: absent, limit: 2, window: 1h } ] }",
                                "{ id: forms, resource: /form, limits: [ { by: form.name, absent: skip, unread: absent, limit: 1, window: 1h } ] }"))) {
            String body = "{\"name\":\"a\",\"rest\":\"" + "x".repeat(30_000) + "\"}";
            assertThat(app.post("/echo", JSON, body).body()).isEqualTo(body);
            assertThat(app.post("/size", "text/plain", body).body()).isEqualTo(Integer.toString(body.length()));
            assertThat(app.post("/echo", JSON, body).statusCode()).isEqualTo(429);
            assertThat(app.post("/echo", JSON, body.replace("\"a\"", "\"b\"")).statusCode())
                    .isEqualTo(200);
            assertThat(app.post("/echo", JSON, "{\"name\":\"c\",\"name\":\"d\"}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(app.post("/form", FORM, "name=a%20b&other=%C3%A9&name2=").body())
                    .isEqualTo("POST a b é");
            assertThat(app.post("/form", FORM, "name=a+b&other=2").statusCode()).isEqualTo(429);
            assertThat(app.post("/form", FORM, "name=x&name=y").statusCode()).isEqualTo(400);
            assertThat(app.post("/form?name=z", FORM, "name=x").statusCode()).isEqualTo(400);
            assertThat(app.post("/form", FORM, "other=2").body()).isEqualTo("POST null 2");
            String large = "{\"name\":\"a\",\"rest\":\"" + "x".repeat(3_000_000) + "\"}";
            assertThat(app.post("/size", JSON, large).body()).isEqualTo(Integer.toString(large.length()));
            byte[] bytes = large.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            HttpRequest.Builder chunked = app.request("/size")
                    .header("Content-Type", JSON)
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() -> new java.io.ByteArrayInputStream(bytes)));
            assertThat(app.send(chunked).body()).isEqualTo(Integer.toString(large.length()));
            String form = "name=large&other=" + "x".repeat(100_000);
            HttpRequest.Builder chunkedForm = app.request("/form")
                    .header("Content-Type", FORM)
                    .POST(HttpRequest.BodyPublishers.ofInputStream(() ->
                            new java.io.ByteArrayInputStream(form.getBytes(java.nio.charset.StandardCharsets.UTF_8))));
            assertThat(app.send(chunkedForm).body()).isEqualTo("POST large " + "x".repeat(100_000));
            String parts = "--b\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\npart\r\n--b--\r\n";
            assertThat(app.post("/parts", "multipart/form-data; boundary=b", parts)
                            .body())
                    .isEqualTo("part");
            HttpRequest.Builder expecting = app.request("/echo")
                    .header("Content-Type", JSON)
                    .expectContinue(true)
                    .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"e\"}"));
            assertThat(app.send(expecting).body()).isEqualTo("{\"name\":\"e\"}");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> app.bean(BodyMemory.class).taken() == 0);
        }
    }

    @Test
    void aHostHasOneCountWhateverPortIsNamed() throws Exception {
        try (RunningApp app = app().rules(rules(
                        "{ id: shop, match: { header.host: shop.example }, limits: [ { limit: 1, window: 1h } ] }",
                        "{ id: each, resource: /later, limits: [ { by: header.host, limit: 1, window: 1h } ] }"));
                RawCaller caller = new RawCaller(app.port())) {
            assertThat(caller.get("/api/login", "shop.example").status()).isEqualTo(200);
            for (String host : List.of("shop.example", "shop.example:81", "SHOP.example", "shop.example.:8080")) {
                assertThat(caller.get("/api/login", host).status()).as(host).isEqualTo(429);
            }
            assertThat(caller.get("/later", "other.example:1").status()).isEqualTo(200);
            assertThat(caller.get("/later", "Other.example:2").status()).isEqualTo(429);
            assertThat(caller.get("/later", "third.example").status()).isEqualTo(200);
        }
    }

    @Test
    void fieldsThatCouldNotBeReadRefuseTheRequest() throws Exception {
        try (RunningApp app = app().rules(rules(
                "{ id: names, resource: /echo, limits: [ { by: json.name, absent: skip, limit: 1, window: 1h } ] }",
                "{ id: forms, resource: /form, limits: [ { by: form.name, absent: skip, limit: 1, window: 1h } ] }",
                "{ id: denied, resource: /size, match: { json.name: evil }, action: deny }"))) {
            String large = "{\"name\":\"a\",\"rest\":\"" + "x".repeat(70_000) + "\"}";
            byte[] bytes = large.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            for (String path : List.of("/echo", "/size")) {
                assertThat(app.post(path, JSON, large).statusCode()).isEqualTo(413);
                assertThat(app.send(app.request(path)
                                        .header("Content-Type", JSON)
                                        .POST(HttpRequest.BodyPublishers.ofInputStream(
                                                () -> new java.io.ByteArrayInputStream(bytes))))
                                .statusCode())
                        .isEqualTo(413);
                assertThat(app.send(app.request(path)
                                        .header("Content-Type", JSON)
                                        .header("Content-Encoding", "gzip")
                                        .POST(HttpRequest.BodyPublishers.ofString("{\"name\":\"a\"}")))
                                .statusCode())
                        .isEqualTo(415);
                for (String unread :
                        List.of("{\"name\":9007199254740993}", "{name:'a'}", "// {}", "{\"name\":1e400}")) {
                    assertThat(app.post(path, JSON, unread).statusCode()).isEqualTo(400);
                }
                assertThat(app.post(path, JSON, "{\"name\":\"a\"}").statusCode())
                        .as("nothing was charged")
                        .isEqualTo(200);
            }
            assertThat(app.post("/form", FORM, "name=a&other=" + "x".repeat(70_000))
                            .statusCode())
                    .isEqualTo(413);
            assertThat(app.post("/form", "multipart/form-data; boundary=b", "--b--\r\n")
                            .statusCode())
                    .isEqualTo(415);
            assertThat(app.post("/form", FORM, "name=a&other=1").statusCode()).isEqualTo(200);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> app.bean(BodyMemory.class).taken() == 0);
        }
    }

    /** Two unfinished bodies reserve what there is, although hardly a byte of them has arrived. */
    @Tag("boot-3-long")
    @Test
    void memoryIsReservedBeforeABodyIsRead() throws Exception {
        String head = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n";
        try (RunningApp app = app().with(LittleMemory.class)
                        .with("server.tomcat.connection-timeout=10m")
                        .at(QuietClock.at(1_000_000_000L))
                        .rules(
                                rules(
                                        "{ id: names, resource: /echo, limits: [ { by: json.name, limit: 9, window: 1h } ] }"));
                Socket one = new Socket(InetAddress.getLoopbackAddress(), app.port());
                Socket other = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
            BodyMemory memory = app.bean(BodyMemory.class);
            send(one, head + "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n");
            awaitTaken(memory, 8_192);
            send(other, head + "Content-Length: 9999\r\n\r\n{");
            awaitTaken(memory, 16_384);
            assertThat(app.post("/echo", JSON, "{\"name\":\"a\"}").statusCode()).isEqualTo(503);
            assertThat(memory.taken()).isEqualTo(16_384);
            send(one, "a\r\n\"name\":\"b\"\r\n1\r\n}\r\n0\r\n\r\n");
            assertThat(new String(one.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 200 ")
                    .contains("{\"name\":\"b\"}");
            awaitTaken(memory, 8_192);
            assertThat(app.post("/echo", JSON, "{\"name\":\"a\"}").statusCode()).isEqualTo(200);
            other.close();
            awaitTaken(memory, 0);
        }
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void awaitTaken(BodyMemory memory, long bytes) {
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> memory.taken() == bytes);
    }

    @Configuration(proxyBeanMethods = false)
    static class LittleMemory {
        @Bean
        BodyMemory bodyMemory() {
            return new BodyMemory(16_384);
        }
    }

    @Test
    void permitsAreHeldUntilTheAnswerHasEnded() throws Exception {
        try (RunningApp app = app().rules(rules(
                "{ id: held, resource: /held, limits: [ { algorithm: concurrency, limit: 1, ttl: 1h } ] }"))) {
            CompletableFuture<HttpResponse<String>> first =
                    app.client().sendAsync(app.request("/held").build(), HttpResponse.BodyHandlers.ofString());
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> refusedWhileLooking(app));
            open(app, "done");
            assertThat(first.get(60, TimeUnit.SECONDS).body()).isEqualTo("done");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> app.get("/held").statusCode() == 200);
        }
    }

    /** Looks without charging. */
    static boolean refusedWhileLooking(RunningApp app) {
        Ruling.Settled ruling = (Ruling.Settled) app.bean(Evaluator.class)
                .evaluate(Attributes.of(Map.of("path", "/held")), 0)
                .toCompletableFuture()
                .join();
        return !ruling.allowed();
    }

    @Tag("boot-3-long")
    @Test
    void permitsAreRenewedWhileTheyAreHeld() throws Exception {
        QuietClock clock = QuietClock.at(1_000_000_000L);
        try (RunningApp app = app().at(clock)
                .rules(rules(
                        "{ id: held, resource: /held, limits: [ { algorithm: concurrency, limit: 1, ttl: 30s } ] }"))) {
            CompletableFuture<HttpResponse<String>> first =
                    app.client().sendAsync(app.request("/held").build(), HttpResponse.BodyHandlers.ofString());
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> refusedWhileLooking(app));
            for (int i = 0; i < 20; i++) {
                // The thread of the first request waits for the test.
                clock.advanceMeanwhile(Duration.ofSeconds(10));
                assertThat(refusedWhileLooking(app))
                        .as("after %d s", 10 * (i + 1))
                        .isTrue();
            }
            open(app, "done");
            assertThat(first.get(60, TimeUnit.SECONDS).body()).isEqualTo("done");
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !refusedWhileLooking(app));
        }
    }

    @Test
    void http2IsLimitedAsWell() throws Exception {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        try (RunningApp app = app().with("server.http2.enabled=true")
                .rules(
                        rules(
                                "{ id: names, resource: /echo, limits: [ { by: json.name, absent: refuse, limit: 1, window: 1h } ] }"))) {
            HttpResponse.BodyHandler<String> text = HttpResponse.BodyHandlers.ofString();
            assertThat(client.send(app.request("/later").build(), text).version())
                    .isEqualTo(HttpClient.Version.HTTP_2);
            for (String name : List.of("a", "b")) {
                String body = "{\"name\":\"" + name + "\"}";
                HttpRequest request = app.request("/echo")
                        .header("Content-Type", JSON)
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build();
                HttpResponse<String> first = client.send(request, text);
                assertThat(first.version()).isEqualTo(HttpClient.Version.HTTP_2);
                assertThat(first.body()).isEqualTo(body);
                assertThat(client.send(request, text).statusCode()).isEqualTo(429);
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void shapedRequestsWaitForTheirSlot() throws Exception {
        ManualClock clock = QuietClock.at(1_000_000_000L);
        try (RunningApp app = app().at(clock)
                .rules(rules("{ id: shaped, limits: [ { algorithm: leaky_bucket, rate: 1/s, capacity: 5 } ] }"))) {
            assertThat(app.get("/later").statusCode()).isEqualTo(200);
            CompletableFuture<HttpResponse<String>> second =
                    app.client().sendAsync(app.request("/later").build(), HttpResponse.BodyHandlers.ofString());
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                clock.advance(Duration.ofMillis(1));
                Ruling.Settled look = (Ruling.Settled) app.bean(Evaluator.class)
                        .evaluate(Attributes.of(Map.of()), 0)
                        .toCompletableFuture()
                        .join();
                return look.waitFor().compareTo(Duration.ofMillis(1_100)) > 0;
            });
            assertThat(second).isNotDone();
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
                clock.advance(Duration.ofSeconds(1));
                return second.isDone();
            });
            assertThat(second.get().statusCode()).isEqualTo(200);
        }
    }

    @Test
    void aRequestThatIsDispatchedAgainIsChargedOnce() throws Exception {
        try (RunningApp app = app().rules(rules("{ id: few, limits: [ { limit: 3, window: 1h } ] }"))) {
            assertThat(app.get("/later").headers().firstValue("RateLimit")).hasValueSatisfying(has("r=2"));
            assertThat(app.get("/missing").headers().firstValue("RateLimit")).hasValueSatisfying(has("r=1"));
            assertThat(app.get("/later").headers().firstValue("RateLimit")).hasValueSatisfying(has("r=0"));
        }
    }

    private static java.util.function.Consumer<String> has(String part) {
        return text -> assertThat(text).contains(part);
    }

    @Tag("boot-3-long")
    @Test
    void noRequestPassesWithoutADecision() throws Exception {
        try (RunningApp app =
                app().with("test.broken=true").rules(rules("{ id: any, limits: [ { limit: 9, window: 1h } ] }"))) {
            HttpResponse<String> answer = app.get("/current");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.body()).doesNotContain("boom", "127.0.0.1");
        }
    }

    @Tag("boot-3-long")
    @Test
    void excludedOrDisabledPathsAreNotLimited() throws Exception {
        String none = rules("{ id: none, " + ZERO);
        try (RunningApp app = app().with("sluice.web.exclude=/health/**,/up").rules(none)) {
            assertThat(app.get("/health/live").statusCode()).isEqualTo(200);
            assertThat(app.get("/up").statusCode()).isEqualTo(200);
            assertThat(app.get("/upper").statusCode()).isEqualTo(429);
            assertThat(app.get("/actuator/health").statusCode()).isEqualTo(429);
        }
        try (RunningApp app = app().with("sluice.web.enabled=false").rules(none)) {
            assertThat(app.get("/x").statusCode()).isEqualTo(200);
            assertThat(app.get("/current?q=1", "X-A", "a").body()).isEqualTo("/current GET 127.0.0.1 a 1 null");
        }
        String one = rules("{ id: one, resource: /x, " + ONE);
        try (RunningApp app =
                app().with(Annotated.class).with("sluice.web.headers=false").rules(one)) {
            for (String path : List.of("/x", "/annotated?phone=1")) {
                assertThat(app.get(path).headers().firstValue("RateLimit")).isEmpty();
                assertThat(app.get(path).headers().firstValue("RateLimit")).isPresent();
            }
        }
    }

    @Test
    void theActuatorIsNotLimitedUnlessTheApplicationSaysSo() throws Exception {
        String none = rules("{ id: none, " + ZERO, "{ id: early, for: early, " + ZERO);
        try (RunningApp app = app().rules(none)) {
            assertThat(app.get("/actuator").statusCode()).isEqualTo(200);
            assertThat(app.get("/actuator/health").statusCode()).isEqualTo(200);
            assertThat(app.get("/actuators").statusCode()).isEqualTo(429);
            assertThat(app.get("/actuator/%2e%2e/x").statusCode()).isIn(400, 429);
        }
        try (RunningApp app = app().with("sluice.web.exclude=").rules(none)) {
            assertThat(app.get("/actuator/health").statusCode()).isEqualTo(429);
        }
    }

    @Test
    void valuesReadByExpressionsMustOccurOnce() throws Exception {
        try (RunningApp app = app().with(Annotated.class).rules("rules: []")) {
            assertThat(app.get("/current?q=1&q=2").statusCode()).isEqualTo(400);
            assertThat(app.get("/current?q=1", "X-A", "a", "X-A", "b").statusCode())
                    .isEqualTo(400);
            assertThat(app.get("/annotated?phone=1").body()).isEqualTo("sent");
            assertThat(app.get("/annotated?phone=1").statusCode()).isEqualTo(429);
            assertThat(app.get("/annotated?phone=1&phone=2").statusCode()).isEqualTo(400);
            assertThat(app.get("/annotated?phone=2").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void valuesThatLimitsCountByMustOccurOnce() throws Exception {
        try (RunningApp app = app().rules(
                        rules(
                                "{ id: keys, limits: [ { by: header.x-key, limit: 9, window: 1h }, { id: q, by: query.q, limit: 9, window: 1h } ] }"))) {
            assertThat(app.get("/later", "X-Key", "a", "X-Key", "b").statusCode())
                    .isEqualTo(400);
            assertThat(app.get("/later?q=1&q=2").statusCode()).isEqualTo(400);
            assertThat(app.get("/later?p=1&p=2", "X-Other", "a", "X-Other", "b").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void refusedCallsAreAnsweredWhereverTheyAreMade() throws Exception {
        try (RunningApp app = app().rules(rules("{ id: thrown, service: thrown, " + ZERO))) {
            for (String path : List.of("/thrown", "/functional", "/filtered")) {
                HttpResponse<String> answer = app.get(path, "Accept-Language", "zh");
                assertThat(answer.statusCode()).as(path).isEqualTo(429);
                assertThat(answer.headers().firstValue("RateLimit-Policy")).hasValue("\"thrown.0\";q=0;w=1");
                assertThat(answer.headers().firstValue("Content-Language")).hasValue("zh");
                assertThat(answer.body()).contains("\"rule\":\"thrown\"");
            }
        }
    }

    @Tag("boot-3-long")
    @Test
    void askingForMoreThanALimitHoldsIsAnApplicationErrorUnlessHandled() throws Exception {
        String batches = rules("{ id: batches, service: nobody, limits: [ { limit: 5, window: 1h } ] }");
        try (RunningApp app = app().with(TooManyPermits.class).rules(batches)) {
            HttpResponse<String> answer = app.get("/batch?size=6");
            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
            assertThat(answer.body()).doesNotContain("batches");
            assertThat(app.get("/batch?size=5").body()).isEqualTo("batch of 5");
            assertThat(app.get("/batch?size=1").statusCode()).isEqualTo(429);
        }
        try (RunningApp app =
                app().with(TooManyPermits.class).with(BatchAdvice.class).rules(batches)) {
            assertThat(app.get("/batch?size=6").statusCode()).isEqualTo(400);
        }
    }

    @Test
    void anExceptionHandlerOfTheApplicationWins() throws Exception {
        try (RunningApp app = app().with(Advice.class).rules(rules("{ id: thrown, service: thrown, " + ZERO))) {
            assertThat(app.get("/thrown").body()).isEqualTo("mine");
        }
    }

    @ControllerAdvice
    static class Advice {
        @ExceptionHandler(io.sluice.spring.RateLimitExceededException.class)
        @ResponseBody
        String refused() {
            return "mine";
        }
    }

    @ControllerAdvice
    static class BatchAdvice {
        @ExceptionHandler(IllegalArgumentException.class)
        @ResponseStatus(HttpStatus.BAD_REQUEST)
        @ResponseBody
        String bad() {
            return "too large";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration(MethodLimitAutoConfiguration.class)
    @Import(Sending.class)
    static class Annotated {}

    @RestController
    static class Sending {

        @GetMapping("/annotated")
        @RateLimited(limit = "1", window = "1h", key = "#request['query.phone']")
        public Mono<String> sent() {
            return Mono.just("sent");
        }
    }
}
