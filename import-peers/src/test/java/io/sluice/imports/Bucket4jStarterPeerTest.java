package io.sluice.imports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sluice.replay.imports.ImportKind;
import io.sluice.replay.imports.draft.ForeignFile;
import io.sluice.replay.imports.draft.ImportRefusedException;
import io.sluice.replay.imports.draft.Imported;
import io.sluice.testkit.SeededRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One configuration in two applications: bucket4j-spring-boot-starter reads it in the first; the second has the rules that are
 * imported from it. Both get the same requests. Permits come back after hours or days, so the time that a run takes does not matter;
 * {@code Bucket4jPeerTest} compares how permits come back. Each test has paths of its own.
 */
class Bucket4jStarterPeerTest {

    /** How often each request is sent: more often than any filter admits it. */
    private static final int TIMES = 5;

    private static final int OK = 200;

    @TempDir
    private static Path directory;

    private static Imported imported;
    private static LimitedApplication original;
    private static LimitedApplication successor;

    @BeforeAll
    static void start() throws IOException, ImportRefusedException {
        String text = LimitedApplication.configuration("bucket4j.yml");
        Path config = Files.writeString(directory.resolve("application.yml"), text);
        imported = ImportKind.BUCKET4J.importer().read(ForeignFile.of("application.yml", text));
        Path rules = Files.writeString(directory.resolve("rules.yaml"), imported.document());
        original = LimitedApplication.servlet(config, "sluice.enabled=false");
        successor = LimitedApplication.servlet(
                config, "bucket4j.enabled=false", "spring.cache.type=none", "sluice.rules-file=" + rules);
    }

    @AfterAll
    static void stop() {
        try (LimitedApplication first = original;
                LimitedApplication second = successor) {
            assertThat(first).isNotSameAs(second);
        }
    }

    static Stream<Arguments> sameRequests() {
        Call header = Call.get("/header/x");
        Call two = Call.get("/two");
        Call interval = Call.get("/interval");
        Call plan = Call.get("/plan");
        Call skip = Call.get("/skip");
        Call trusted = Call.get("/trusted");
        Call role = Call.get("/predicate/header");
        Call segment = Call.get("/segments/1/items");
        return Stream.of(
                same("one-count", Call.get("/one"), Call.get("/one?a=b"), Call.get("/one/more"), Call.get("/on")),
                same(
                        "by-address",
                        Call.get("/v1/a").from("10.0.0.1"),
                        Call.get("/v2/a/b").from("10.0.0.1"),
                        Call.get("/v2/a/b").from("2001:db8::1"),
                        Call.get("/v3/a").from("10.0.0.1"),
                        Call.get("/v1")),
                same(
                        "by-header",
                        header.with("X-Api-Key", "k1"),
                        header.with("x-api-key", "k2"),
                        header.with("X-Api-Key", "K2"),
                        header.with("X-Api-Key", ""),
                        header.from("10.0.0.1"),
                        header.from("10.0.0.2")),
                same(
                        "by-parameter",
                        Call.get("/query?user=a"),
                        Call.get("/query?user=%61"),
                        Call.get("/query?user=b"),
                        Call.get("/query?user="),
                        Call.get("/query").from("10.0.0.1"),
                        Call.get("/query").from("10.0.0.2")),
                same("two-bandwidths", two.with("X-Api-Key", "a"), two.with("X-Api-Key", "b")),
                same("windows", interval.with("X-Api-Key", "a"), interval.with("X-Api-Key", "b"), interval),
                same("several-permits", Call.get("/tokens/3"), Call.of("POST", "/tokens/4")),
                same(
                        "method-condition",
                        Call.of("POST", "/orders/1"),
                        Call.get("/orders/1"),
                        Call.of("PUT", "/orders/2")),
                same("header-condition", plan.with("X-Plan", "free"), plan.with("X-Plan", "Free"), plan),
                same("skipped-address", skip.from("10.1.0.1"), skip.from("10.1.0.2"), skip.from("10.1.0.3")),
                same(
                        "skipped-caller",
                        trusted.with("X-Caller", "internal*"),
                        trusted.with("X-Caller", "internals"),
                        trusted.with("X-Caller", "a")),
                same(
                        "method-predicate",
                        Call.of("POST", "/predicate/method"),
                        Call.of("PUT", "/predicate/method"),
                        Call.get("/predicate/method")),
                same(
                        "header-predicate",
                        role.with("X-Role", "ADMIN"),
                        role.with("X-Role", "an ADMINISTRATOR"),
                        role.with("X-Role", "admin"),
                        role),
                same(
                        "query-predicate",
                        Call.get("/predicate/query?page=1"),
                        Call.get("/predicate/query?page"),
                        Call.get("/predicate/query?pages=1"),
                        Call.get("/predicate/query")),
                same(
                        "path-predicate",
                        Call.get("/paths/plain"),
                        Call.of("DELETE", "/paths/all/a/b"),
                        Call.get("/paths/all"),
                        Call.get("/paths/plain/more"),
                        Call.of("POST", "/paths/plain")),
                same(
                        "segment-predicate",
                        segment.with("X-Api-Key", "a"),
                        Call.get("/segments/2/items").with("X-Api-Key", "a"),
                        Call.get("/segments/1/2/items").with("X-Api-Key", "a"),
                        segment));
    }

    private static Arguments same(String filter, Call... calls) {
        return arguments(filter, List.of(calls));
    }

    @ParameterizedTest
    @MethodSource("sameRequests")
    void admitsTheSameRequests(String filter, List<Call> calls) {
        SeededRandom random = SeededRandom.of("Bucket4jStarterPeerTest, " + filter);
        List<Call> requests = new ArrayList<>();
        for (int i = 0; i < TIMES; i++) {
            requests.addAll(calls);
        }
        int refused = 0;
        while (!requests.isEmpty()) {
            Call call = requests.remove(random.nextInt(requests.size()));
            boolean admitted = admits(original, call);
            refused += admitted ? 0 : 1;
            assertThat(admits(successor, call))
                    .as("%s, %d more to come", call, requests.size())
                    .isEqualTo(admitted);
        }
        assertThat(refused).as("the requests exceed the limit").isPositive();
        assertThat(imported.document()).contains("- id: " + filter + "\n");
    }

    private static boolean admits(LimitedApplication application, Call call) {
        return application.send(call).statusCode() == OK;
    }

    private static long admitted(LimitedApplication application, Call call, int times) {
        return Stream.generate(() -> call)
                .limit(times)
                .filter(each -> admits(application, each))
                .count();
    }

    @Test
    void theAnswerToARefusedRequestIsSluices() {
        Call call = Call.get("/v1/answer").from("10.9.9.9");
        assertThat(admitted(original, call, 10)).isEqualTo(7);
        assertThat(admitted(successor, call, 10)).isEqualTo(7);
        assertThat(original.send(call).statusCode()).isEqualTo(503);
        assertThat(successor.send(call).statusCode()).isEqualTo(429);
        assertThat(imported.document()).contains("http-status-code: SERVICE_UNAVAILABLE in the original");
    }

    @Test
    void anExpressionThatCannotBeSaidRefusesNothing() {
        Call call = Call.get("/unsaid").with("X-Plan", "free");
        assertThat(admitted(original, call, 10)).isEqualTo(3);
        assertThat(admitted(successor, call, 10)).isEqualTo(10);
        assertThat(warnings()).anyMatch(text -> text.contains("execute-condition: getHeader('X-Plan') != null cannot"));
    }

    @Test
    void aRefusedRequestTakesNoPermits() {
        Call first = Call.get("/all").with("X-Api-Key", "a");
        Call second = Call.get("/all").with("X-Api-Key", "b");
        assertThat(admitted(original, first, 10)).isEqualTo(2);
        assertThat(admitted(original, second, 10))
                .as("no permits of the address are left")
                .isZero();
        assertThat(admitted(successor, first, 10)).isEqualTo(2);
        assertThat(admitted(successor, second, 10)).isEqualTo(2);
        assertThat(warnings()).anyMatch(text -> text.contains("here a refused request takes none, and more may pass"));
    }

    @Test
    void rateLimitsWithTheSameKeyHaveCountsOfTheirOwn() {
        assertThat(admitted(original, Call.get("/same"), 10))
                .as("two permits of nine each")
                .isEqualTo(4);
        assertThat(admitted(successor, Call.get("/same"), 10)).isEqualTo(5);
        assertThat(warnings())
                .anyMatch(text -> text.contains("cache-key: the original takes these permits from the bucket"));
    }

    @Test
    void allRateLimitsApply() {
        Call free = Call.get("/first").with("X-Plan", "free");
        assertThat(admitted(original, free, 10)).isEqualTo(3);
        assertThat(admitted(successor, free, 10)).isEqualTo(3);
        assertThat(admitted(original, Call.get("/first"), 10)).isEqualTo(8);
        assertThat(admitted(successor, Call.get("/first"), 10))
                .as("three have passed both limits")
                .isEqualTo(5);
        assertThat(warnings()).anyMatch(text -> text.contains("strategy: first uses only the first of 2"));
    }

    @Test
    void getCoversHead() {
        assertThat(admitted(original, Call.of("HEAD", "/got"), 10)).isEqualTo(10);
        assertThat(admitted(original, Call.get("/got"), 10)).isEqualTo(3);
        assertThat(admitted(successor, Call.of("HEAD", "/got"), 2)).isEqualTo(2);
        assertThat(admitted(successor, Call.get("/got"), 10)).isEqualTo(1);
        assertThat(warnings()).anyMatch(text -> text.contains("method: GET also covers HEAD here"));
    }

    @Test
    void aCountStartsFull() {
        assertThat(admitted(original, Call.get("/initial"), 12)).isEqualTo(2);
        assertThat(admitted(successor, Call.get("/initial"), 12)).isEqualTo(9);
        assertThat(warnings()).anyMatch(text -> text.contains("the original starts with 2 permits"));
    }

    @Test
    void otherSpellingsOfAPathOrAParameterCountAsTheSame() {
        assertThat(admitted(original, Call.get("/spelling?user=a"), 5)).isEqualTo(2);
        assertThat(admitted(successor, Call.get("/spelling?user=a"), 5)).isEqualTo(2);
        for (String target : List.of("/%73pelling?user=a", "/spelling/?user=a", "/spelling?USER=a")) {
            assertThat(original.send(Call.get(target)).statusCode()).as(target).isEqualTo(OK);
            assertThat(successor.send(Call.get(target)).statusCode()).as(target).isEqualTo(429);
        }
        assertThat(warnings()).anyMatch(text -> text.contains("if clients send it in a form, count by form.user"));
    }

    @Test
    void aParameterThatIsGivenTwiceIsRefused() {
        Call call = Call.get("/query?user=twice&user=other");
        assertThat(original.send(call).statusCode()).isEqualTo(OK);
        assertThat(successor.send(call).statusCode()).isEqualTo(400);
    }

    private static List<String> warnings() {
        return imported.warnings().stream().map(Object::toString).toList();
    }
}
