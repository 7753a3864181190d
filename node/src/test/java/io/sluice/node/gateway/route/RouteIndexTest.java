package io.sluice.node.gateway.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.http.request.Authority;
import io.sluice.http.request.RefusedRequestException;
import io.sluice.rules.pattern.PathForm;
import io.sluice.rules.pattern.PathPattern;
import io.sluice.testkit.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouteIndexTest {

    private static final List<String> HOSTS = List.of(
            "",
            "shop.example",
            "*.shop.example",
            "*.eu.shop.example",
            "a.eu.shop.example",
            "*.example",
            "[2001:db8::1]");
    private static final List<String> PATHS = List.of(
            "/**",
            "/",
            "/api",
            "/api/**",
            "/api/{x}",
            "/api/orders",
            "/api/orders/**",
            "/api/orders/{id}",
            "/api/orders/{id}/items",
            "/api/{x}/7",
            "/api/{x}/7/**",
            "/{x}/orders/7",
            "/{x}",
            "/{x}/**",
            "/{x}/{y}",
            "/{x}/orders/**");
    private static final List<String> ASKED_HOSTS = List.of(
            "shop.example",
            "x.shop.example",
            "a.eu.shop.example",
            "b.eu.shop.example",
            "eu.shop.example",
            ".shop.example",
            "..shop.example",
            "example",
            "other.example",
            "shop.example.org",
            "127.0.0.1",
            "[2001:db8::1]",
            "",
            "x".repeat(250) + ".shop.example");
    private static final List<String> SEGMENTS = List.of("api", "orders", "7", "items", "x", "ÿ");

    private record Named(HostPattern host, PathPattern path, Route route) {

        static Named of(String host, String path) {
            return new Named(
                    host.isEmpty() ? HostPattern.ANY : HostPattern.of(host), PathPattern.of(path), named(host + path));
        }

        boolean matches(String askedHost, String askedPath) {
            return host.matches(askedHost) && path.matches(askedPath);
        }

        /** Smaller numbers are more specific. */
        String rank() {
            StringBuilder rank = new StringBuilder(
                    switch (host.kind()) {
                        case EXACT -> "a";
                        case WILDCARD -> "b";
                        case ANY -> "c";
                    });
            rank.append((char) (0x7000 - host.name().length()));
            for (PathPattern.Segment segment : path.segments()) {
                rank.append(
                        segment instanceof PathPattern.Exact ? 'b' : segment instanceof PathPattern.Any ? 'c' : 'd');
            }
            return rank.append('a').toString();
        }
    }

    @Test
    void findsWhatAScanOfAllRoutesFinds() {
        SeededRandom random = SeededRandom.of("findsWhatAScanOfAllRoutesFinds");
        for (int round = 0; round < 300; round++) {
            List<Named> routes = new ArrayList<>();
            for (String host : HOSTS) {
                for (String path : PATHS) {
                    if (random.nextInt(4) == 0) {
                        routes.add(Named.of(host, path));
                    }
                }
            }
            Collections.shuffle(routes, random);
            RouteIndex index = index(routes);
            for (int i = 0; i < 100; i++) {
                String host = ASKED_HOSTS.get(random.nextInt(ASKED_HOSTS.size()));
                String path = path(random);
                Optional<String> expected = routes.stream()
                        .filter(route -> route.matches(host, path))
                        .min(Comparator.comparing(Named::rank))
                        .map(route -> route.route().name());
                assertThat(index.find(host, path).map(Route::name))
                        .as("%s, %s%s", random, host, path)
                        .isEqualTo(expected);
            }
        }
    }

    /** A43: the path may reach the resource of any of its readings. */
    @Test
    void theStrictestAccessOfAllReadingsApplies() throws Exception {
        RouteIndex.Builder routes = new RouteIndex.Builder();
        routes.add(HostPattern.ANY, PathPattern.of("/users/me"), route("me", "users", Access.OPEN));
        routes.add(HostPattern.ANY, PathPattern.of("/users/{id}"), route("id", "users", Access.REQUIRED));
        routes.add(HostPattern.ANY, PathPattern.of("/users"), route("all", "lists", Access.OPTIONAL));
        routes.add(HostPattern.ANY, PathPattern.of("/other"), route("other", "others", Access.OPEN));
        RouteIndex index = routes.build();
        assertThat(access(index, "/users/me")).isEqualTo(Access.OPEN);
        assertThat(access(index, "/users/m%65")).isEqualTo(Access.REQUIRED);
        assertThat(access(index, "/users/me;x")).isEqualTo(Access.REQUIRED);
        assertThat(access(index, "/users/")).isEqualTo(Access.REQUIRED);
        assertThat(access(index, "/other/")).isEqualTo(Access.OPEN);
        assertThatThrownBy(() -> access(index, "/users/7;/../../other")).isInstanceOf(RefusedRequestException.class);
        assertThat(index.find("h", "/nowhere", List.of("/users/me"))).isEmpty();
    }

    private static Access access(RouteIndex index, String path) throws RefusedRequestException {
        PathForm form = PathForm.STRICT.resolving();
        Route found =
                index.find("h", form.normal(path), form.otherReadings(path)).orElseThrow();
        assertThat(found.name())
                .isEqualTo(index.find("h", form.normal(path)).orElseThrow().name());
        return found.access();
    }

    private static Route route(String name, String service, Access access) {
        Route any = named(name);
        return new Route(
                name,
                Optional.of(service),
                access,
                any.upstreams(),
                any.requestTimeout(),
                any.idleTimeout(),
                any.largestBody());
    }

    @ParameterizedTest
    @CsvSource({
        "shop.example,      /api/orders,     shop.example/api/orders",
        "shop.example,      /api/orders/7,   shop.example/api/{x}/**",
        "shop.example,      /health,         /health",
        "eu.shop.example,   /api/orders,     *.shop.example/**",
        "a.eu.shop.example, /api/orders,     *.eu.shop.example/api/**",
        "a.eu.shop.example, /other,          *.shop.example/**",
        "elsewhere,         /health,         /health",
    })
    void choosesTheMostSpecificHostAndThenTheMostSpecificPath(String host, String path, String expected) {
        List<Named> routes = List.of(
                Named.of("", "/health"),
                Named.of("*.shop.example", "/**"),
                Named.of("shop.example", "/api/{x}/**"),
                Named.of("shop.example", "/api/orders"),
                Named.of("*.eu.shop.example", "/api/**"));

        assertThat(index(routes).find(host, path).map(Route::name)).contains(expected);
    }

    @Test
    void findsNothingIfNoRouteMatches() {
        RouteIndex index = index(List.of(Named.of("shop.example", "/api/**")));

        assertThat(index.find("shop.example", "/other")).isEmpty();
        assertThat(index.find("other.example", "/api")).isEmpty();
        assertThat(new RouteIndex.Builder().build().find("", "/")).isEmpty();
    }

    @Test
    void findsOneOfAHundredThousand() {
        List<Named> routes = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            routes.add(Named.of("h" + i % 1_000 + ".example", "/api/{x}/r" + i / 1_000));
        }
        RouteIndex index = index(routes);

        assertThat(index.find("h999.example", "/api/y/r99").map(Route::name)).contains("h999.example/api/{x}/r99");
        assertThat(index.find("h999.example", "/api/y/r100")).isEmpty();
    }

    @Test
    void findingOneOfAHundredThousandTakesAsManyStepsAsOneOfTen() {
        assertThat(mostSteps(100_000)).isEqualTo(mostSteps(10)).isPositive();
    }

    /** Returns the most steps that finding any of this many routes takes. */
    private static long mostSteps(int routes) {
        AtomicLong steps = new AtomicLong();
        List<Named> all = new ArrayList<>();
        for (int i = 0; i < routes; i++) {
            all.add(Named.of("h" + i % 100 + ".example", "/api/{x}/r" + i));
        }
        RouteIndex index = index(new RouteIndex.Builder(() -> new CountingMap(steps)), all);
        long most = 0;
        for (int i = 0; i < 1_000; i++) {
            int route = (int) ((long) i * 7_919 % routes);
            steps.set(0);
            assertThat(index.find("h" + route % 100 + ".example", "/api/y/r" + route))
                    .isPresent();
            most = Math.max(most, steps.get());
        }
        return most;
    }

    /** Counts each lookup as one step, and each iteration as one step per entry. */
    private static final class CountingMap extends HashMap<String, PathTree<Route>> {

        private static final long serialVersionUID = 1;

        private final AtomicLong steps;

        CountingMap(AtomicLong steps) {
            this.steps = steps;
        }

        @Override
        public PathTree<Route> get(Object key) {
            steps.incrementAndGet();
            return super.get(key);
        }

        @Override
        public boolean containsKey(Object key) {
            steps.incrementAndGet();
            return super.containsKey(key);
        }

        @Override
        public Set<String> keySet() {
            steps.addAndGet(size());
            return super.keySet();
        }

        @Override
        public Collection<PathTree<Route>> values() {
            steps.addAndGet(size());
            return super.values();
        }

        @Override
        public Set<Map.Entry<String, PathTree<Route>>> entrySet() {
            steps.addAndGet(size());
            return super.entrySet();
        }

        @Override
        public void forEach(BiConsumer<? super String, ? super PathTree<Route>> action) {
            steps.addAndGet(size());
            super.forEach(action);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "[::1], [::1]",
        "[0:0:0:0:0:0:0:1], [::1]",
        "[2001:DB8::0:1], [2001:db8::1]",
        "[2001:db8:0:0::1], [2001:db8::1]",
        "[::ffff:10.0.0.1], 10.0.0.1",
        "[::ffff:a00:1], 10.0.0.1"
    })
    void allSpellingsOfAHostsIpv6AddressAreEqual(String written, String askedFor) {
        assertThat(HostPattern.of(written).matches(askedFor)).isTrue();
        assertThat(Authority.parse(written).map(Authority::host)).contains(askedFor);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[::1", "::1", "[::1]:80", "[fe80::1%eth0]", "[1.2.3.4]x", "*.[::1]", "[]", "[:::]"})
    void anInvalidHostIsRefused(String written) {
        assertThatThrownBy(() -> HostPattern.of(written)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void returnsTheRouteForTheSameRequests() {
        RouteIndex.Builder builder = new RouteIndex.Builder();
        Named first = Named.of("shop.example", "/users/{id}");
        Named second = Named.of("SHOP.example", "/users/{name}");

        assertThat(builder.add(first.host(), first.path(), first.route())).isEmpty();
        assertThat(builder.add(second.host(), second.path(), second.route())).contains(first.route());
    }

    @Test
    void longHostsWithManyDotsAndLongPathsTakeFewSteps() {
        AtomicLong steps = new AtomicLong();
        RouteIndex index =
                index(new RouteIndex.Builder(() -> new CountingMap(steps)), List.of(Named.of("*.shop.example", "/**")));

        assertThat(index.find("a.".repeat(500_000) + "shop.example", "/")).isEmpty();
        assertThat(index.find("a.shop.example", "/" + "x/".repeat(500_000) + "x"))
                .isPresent();
        assertThat(steps).hasValueLessThan(10);
    }

    private static String path(Random random) {
        int depth = random.nextInt(5);
        StringBuilder path = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            path.append('/').append(SEGMENTS.get(random.nextInt(SEGMENTS.size())));
        }
        return path.length() == 0 ? random.nextBoolean() ? "/" : "*" : path.toString();
    }

    private static RouteIndex index(List<Named> routes) {
        return index(new RouteIndex.Builder(), routes);
    }

    private static RouteIndex index(RouteIndex.Builder builder, List<Named> routes) {
        routes.forEach(each ->
                assertThat(builder.add(each.host(), each.path(), each.route())).isEmpty());
        return builder.build();
    }

    private static Route named(String name) {
        return new Route(
                name,
                Optional.empty(),
                Access.OPEN,
                tried -> Optional.empty(),
                Duration.ofSeconds(1),
                Duration.ofSeconds(1),
                1);
    }
}
