package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SpringImportTest {

    private static final String ROUTES = """
            spring:
              cloud:
                gateway:
                  routes:
                    - id: orders
                      uri: lb://orders
                      predicates:
                        - Path=/orders/{id}/**
                        - Method=GET,POST
                        - Host=**.shop.example
                      filters:
                        - StripPrefix=1
                        - name: RequestRateLimiter
                          args:
                            redis-rate-limiter.replenishRate: ${RATE:10}
                            redis-rate-limiter.burstCapacity: 20
                            key-resolver: "#{@ipKeyResolver}"
                    - id: slow
                      uri: lb://slow
                      filters:
                        - name: RequestRateLimiter
                          args:
                            redis-rate-limiter: { replenishRate: 1, burstCapacity: 60, requestedTokens: 60 }
                            deny-empty-key: false
            """;

    @Test
    void aRouteOfSpringCloudGatewayIsATokenBucket() {
        ImportResult result = ImportResult.of(ImportKind.SPRING_CLOUD_GATEWAY, "application.yml", ROUTES);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: orders
                    resource: /orders/{p1}/**
                    methods: [GET, POST]
                    match: { header.host: "*.shop.example" }
                    limits:
                      - { by: ip, rate: 10/s, burst: 20 }
                    on_failure: open
                  - id: slow
                    limits:
                      - { by: user, absent: skip, rate: 1/m, burst: 1 }
                    on_failure: open
                """);
        assertThat(result.warnings())
                .contains(
                        "application.yml:14:15: warning: key-resolver: #{@ipKeyResolver} is code; by is guessed from its"
                                + " name: check it");
    }

    @Test
    void propertiesSayTheSameAsYaml() {
        String properties = """
                # routes
                spring.cloud.gateway.routes[0].id=orders
                spring.cloud.gateway.routes[0].predicates[0]=Path=/orders/**
                spring.cloud.gateway.routes[0].filters[0].name=RequestRateLimiter
                spring.cloud.gateway.routes[0].filters[0].args.redis-rate-limiter.replenish-rate=10
                spring.cloud.gateway.routes[0].filters[0].args.redis-rate-limiter.burst-capacity=\\
                  20
                """;
        assertThat(ImportResult.of(ImportKind.SPRING_CLOUD_GATEWAY, "application.properties", properties)
                        .bare())
                .isEqualTo("""
                        rules:
                          - id: orders
                            resource: /orders/**
                            limits:
                              - { by: user, absent: refuse, rate: 10/s, burst: 20 }
                            on_failure: open
                        """);
        assertThat(ImportResult.errors(
                        ImportKind.SPRING_CLOUD_GATEWAY,
                        "application.properties",
                        properties.replace("rate=10", "rate=ten")))
                .containsExactly("application.properties:5:1: replenishRate: ten (expected: a whole number,"
                        + " 0..1000000000000)");
    }

    @Test
    void saysThatASmallBurstNeverLimitedAnything() {
        ImportResult result = ImportResult.of(
                ImportKind.SPRING_CLOUD_GATEWAY,
                "application.yml",
                ROUTES.replace("burstCapacity: 20", "burstCapacity: 4").replace("${RATE:10}", "9"));
        assertThat(result.warnings()).anyMatch(text -> text.contains("keeps its counts for 0 seconds"));
    }

    @Test
    void theLastNumbersOfARouteHoldForAllItsLimiters() {
        ImportResult result = ImportResult.of(ImportKind.SPRING_CLOUD_GATEWAY, "application.yml", """
                spring.cloud.gateway:
                  default-filters:
                    - name: RequestRateLimiter
                      args: { redis-rate-limiter.replenishRate: 10, redis-rate-limiter.burstCapacity: 20, key-resolver: "#{@ip}" }
                  routes:
                    - id: own
                      filters:
                        - name: RequestRateLimiter
                          args: { redis-rate-limiter.replenishRate: 4, redis-rate-limiter.burstCapacity: 8, key-resolver: "#{@ip}" }
                    - id: other-key
                      filters:
                        - name: RequestRateLimiter
                          args: { redis-rate-limiter.replenishRate: 4, redis-rate-limiter.burstCapacity: 8, key-resolver: "#{@path}" }
                    - id: plain
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: own
                    limits:
                      - { by: ip, rate: 4/2s, burst: 4 }
                    on_failure: open
                  - id: other-key
                    limits:
                      - { by: ip, rate: 4/s, burst: 8 }
                    on_failure: open
                  - id: other-key-2
                    limits:
                      - { by: path, absent: refuse, rate: 4/s, burst: 8 }
                    on_failure: open
                  - id: plain
                    limits:
                      - { by: ip, rate: 10/s, burst: 20 }
                    on_failure: open
                """);
        assertThat(result.warnings().stream().filter(text -> text.contains("filters: the route has 2 limiters")))
                .hasSize(3);
    }

    @Test
    void filtersOfTheBucket4jStarter() {
        ImportResult result = ImportResult.of(ImportKind.BUCKET4J, "application.yml", """
                bucket4j:
                  enabled: true
                  filters:
                    - cache-name: buckets
                      url: ^(/api/v1|/api/v2)/.*
                      strategy: all
                      rate-limits:
                        - cache-key: getHeader('X-Api-Key')
                          execute-condition: getMethod() == 'POST'
                          bandwidths:
                            - { capacity: 5, time: 10, unit: seconds }
                            - { capacity: 100, time: 1, unit: hours, refill-speed: interval }
                        - cache-key: "@security.tenant()"
                          bandwidths: [{ capacity: 50, refill-capacity: 10, time: 1, unit: minutes, refill-speed: interval }]
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: buckets
                    methods: [POST]
                    match: { path: ["/api/v1/*", "/api/v2/*"] }
                    limits:
                      - { by: header.x-api-key, absent: share, id: bandwidth-1, rate: 5/10s, burst: 5 }
                      - { by: header.x-api-key, absent: share, id: bandwidth-2, algorithm: fixed_window, limit: 100, window: 1h }
                  - id: buckets-2
                    shadow: true
                    match: { path: ["/api/v1/*", "/api/v2/*"] }
                    limits:
                      - { by: ip, rate: 10/m, burst: 50 }
                """);
        assertThat(result.warnings()).hasSize(4);
        assertThat(result.warnings().stream().filter(text -> text.contains("strategy: all takes permits")))
                .hasSize(1);
    }

    @Test
    void predicatesOfTheBucket4jStarter() {
        ImportResult result = ImportResult.of(ImportKind.BUCKET4J, "application.yml", """
                bucket4j.filters:
                  - id: said
                    rate-limits:
                      - execute-predicates: ["PATH=/a/{id},/b/**", "METHOD=GET,post", "HEADER=X-Role,.*ADMIN.*", QUERY=page]
                        cache-key: getRemoteAddr()
                        skip-condition: getRemoteAddr() == '10.0.0.1'
                        bandwidths: [{ capacity: 5, time: 1, unit: hours }, { capacity: 9, time: 1, unit: days, refill-speed: interval }]
                  - id: unsaid
                    url: /orders/.*
                    rate-limits:
                      - execute-predicates: [PATH=/orders/new]
                        skip-predicates: [METHOD=GET]
                        skip-condition: getHeader('X-Caller') == 'internal'
                        bandwidths: [{ capacity: 5, time: 1, unit: hours }]
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: said
                    methods: [GET, POST]
                    match: { header.x-role: "*ADMIN*", query.page: "*", path: ["/a/*", /b, "/b/*"] }
                    limits:
                      - { by: ip, id: bandwidth-1, rate: 5/h, burst: 5 }
                      - { by: ip, id: bandwidth-2, algorithm: fixed_window, limit: 9, window: 1d }
                    overrides:
                      - { when: { ip: 10.0.0.1 }, burst: 1000000000, of: bandwidth-1, rate: 1000000000/s }
                      - { when: { ip: 10.0.0.1 }, limit: 1000000000, of: bandwidth-2 }
                  - id: unsaid
                    shadow: true
                    match: { path: "/orders/*" }
                    limits:
                      - { rate: 5/h, burst: 5 }
                """);
        assertThat(result.warnings().stream().filter(text -> text.contains("cannot be said by a rule")))
                .hasSize(3);
        assertThat(result.warnings()).anyMatch(text -> text.contains("method: GET also covers HEAD"));
    }

    @Test
    void requestsOfTheBucket4jStarterMayTakeSeveralPermits() {
        ImportResult result = ImportResult.of(ImportKind.BUCKET4J, "application.yml", """
                bucket4j:
                  filters:
                    - id: uploads
                      rate-limits:
                        - num-tokens: 3
                          bandwidths:
                            - { capacity: 10, time: 1, unit: minutes }
                            - { capacity: 60, refill-capacity: 30, time: 1, unit: hours }
                            - { capacity: 61, time: 1, unit: days, refill-speed: interval }
                  methods:
                    - name: mails
                      rate-limit: { cache-key: "#recipient", bandwidths: [{ capacity: 2, time: 1, unit: hours }] }
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: uploads
                    limits:
                      - { id: bandwidth-1, rate: 10/3m, burst: 3 }
                      - { id: bandwidth-2, rate: 10/h, burst: 20 }
                      - { id: bandwidth-3, algorithm: fixed_window, limit: 20, window: 1d }
                  - id: mails
                    for: code
                    limits:
                      - { by: key, absent: share, rate: 2/h, burst: 2 }
                """);
        assertThat(result.warnings())
                .hasSize(2)
                .anyMatch(text -> text.contains("num-tokens: a request takes 3 permits"));
    }

    @Test
    void instancesOfResilience4j() {
        ImportResult result = ImportResult.of(ImportKind.RESILIENCE4J, "application.yml", """
                resilience4j:
                  ratelimiter:
                    configs:
                      default: { limitForPeriod: 10, limitRefreshPeriod: 1s, timeoutDuration: 0 }
                    instances:
                      backendA: { base-config: default }
                      backendB: { limit-for-period: 6, limit-refresh-period: PT0.5S, timeout-duration: 3s }
                  bulkhead.instances.backendA.maxConcurrentCalls: 4
                ---
                resilience4j.ratelimiter.instances.defaults.timeout-duration: 1s
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: backendA
                    for: code
                    limits:
                      - { algorithm: fixed_window, limit: 10, window: 1s }
                    mode: local
                  - id: backendB
                    for: code
                    limits:
                      - { algorithm: fixed_window, limit: 6, window: 500ms }
                    mode: local
                  - id: backendA-bulkhead
                    for: code
                    limits:
                      - { algorithm: concurrency, limit: 4, ttl: 1h }
                    mode: local
                """);
        assertThat(result.warnings())
                .contains(
                        "application.yml:10:1: warning: limit-refresh-period: 500 ns is shorter than the shortest window of"
                                + " 1us, and limits next to nothing; no rule is written");
    }
}
