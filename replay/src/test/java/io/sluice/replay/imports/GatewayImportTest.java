package io.sluice.replay.imports;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Configurations after the documentation of Kong Gateway 3.9, Apache APISIX 3.12 and Envoy 1.34. */
class GatewayImportTest {

    private static final String BUCKET =
            "{ \"@type\": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit,"
                    + " token_bucket: { max_tokens: 100, fill_interval: 1s },"
                    + " filter_enabled: { default_value: { numerator: 100 } },"
                    + " filter_enforced: { default_value: { numerator: 100 } } }";

    @Test
    void pluginsOfKong39() {
        ImportResult result = ImportResult.of(ImportKind.KONG, "kong.yaml", """
                _format_version: "3.0"
                services:
                  - name: orders
                    url: http://orders.internal
                    routes:
                      - { name: orders-v1, paths: [/v1/orders, "~/v2/orders/.*$"], methods: [GET] }
                    plugins:
                      - name: rate-limiting
                        config: { minute: 5, month: 10000, limit_by: consumer, policy: redis, fault_tolerant: false }
                plugins:
                  - name: rate-limiting-advanced
                    route: orders-v1
                    config: { limit: [10, 100], window_size: [60, 3600], window_type: sliding, identifier: ip, strategy: redis }
                  - name: cors
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: orders
                    methods: [GET]
                    match: { path: ["/v1/orders*", "/v2/orders/*"] }
                    limits:
                      - { by: user, algorithm: fixed_window, limit: 5, window: 1m }
                      - { by: user, algorithm: fixed_window, limit: 10000, align: month }
                    on_failure: closed
                  - id: orders-v1
                    methods: [GET]
                    match: { path: ["/v1/orders*", "/v2/orders/*"] }
                    limits:
                      - { by: ip, limit: 10, window: 1m, slices: 1, weighted: true }
                      - { by: ip, limit: 100, window: 1h, slices: 1, weighted: true }
                """);
        assertThat(result.warnings()).hasSize(3);
    }

    @Test
    void aConsumerOfKongIsACondition() {
        ImportResult result = ImportResult.of(ImportKind.KONG, "kong.yaml", """
                _format_version: "3.0"
                consumers:
                  - username: acme
                    plugins: [{ name: rate-limiting, config: { second: 5, limit_by: header, header_name: X-Device } }]
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: acme
                    match: { user: acme }
                    limits:
                      - { by: header.x-device, algorithm: fixed_window, limit: 5, window: 1s }
                    mode: local
                """);
    }

    @Test
    void pluginsOfApisix312() {
        ImportResult result = ImportResult.of(ImportKind.APISIX, "apisix.yaml", """
                routes:
                  - id: orders
                    uri: /orders/*
                    methods: [GET, POST]
                    plugins:
                      limit-req: { rate: 2, burst: 4, key: remote_addr, nodelay: true }
                      limit-count: { count: 100, time_window: 60, key: "$consumer_name $http_x_device",
                                     key_type: var_combination, policy: redis, allow_degradation: true }
                      limit-conn: { conn: 5, burst: 2, default_conn_delay: 0.1, key: remote_addr }
                #END
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: orders
                    methods: [GET, POST]
                    match: { path: "/orders/*" }
                    limits:
                      - { by: ip, rate: 2/s, burst: 5 }
                    mode: local
                  - id: orders-2
                    methods: [GET, POST]
                    match: { path: "/orders/*" }
                    limits:
                      - { by: [user, header.x-device], algorithm: fixed_window, limit: 100, window: 1m }
                    on_failure: open
                  - id: orders-3
                    methods: [GET, POST]
                    match: { path: "/orders/*" }
                    limits:
                      - { by: ip, algorithm: concurrency, limit: 7, ttl: 1h }
                    mode: local
                """);
        assertThat(result.warnings()).hasSize(2);
    }

    @Test
    void aRouteFromTheAdminApiOfApisix() {
        ImportResult result = ImportResult.of(ImportKind.APISIX, "route.json", """
                {"uri": "/a", "plugins": {"limit-req": {"rate": 0.5, "burst": 3, "key": "cookie_sid"}}}
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: route
                    shadow: true
                    resource: /a
                    limits:
                      - { rate: 5/10s, burst: 1, max_wait: 6s }
                    mode: local
                """);
    }

    @Test
    void localLimitsOfEnvoy134() {
        ImportResult result = ImportResult.of(ImportKind.ENVOY, "envoy.yaml", """
                static_resources:
                  listeners:
                    - name: http
                      filter_chains:
                        - filters:
                            - name: envoy.filters.network.http_connection_manager
                              typed_config:
                                route_config:
                                  virtual_hosts:
                                    - name: shop
                                      domains: [shop.example]
                                      routes:
                                        - match: { prefix: /api/ }
                                          route: { cluster: app }
                                          typed_per_filter_config:
                                            envoy.filters.http.local_ratelimit: &filter
                                              "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
                                              stat_prefix: local
                                              token_bucket: { max_tokens: 100, tokens_per_fill: 10, fill_interval: 0.5s }
                                              filter_enabled: { default_value: { numerator: 100, denominator: HUNDRED } }
                                              filter_enforced: { default_value: { numerator: 100, denominator: HUNDRED } }
                """);
        assertThat(result.bare()).isEqualTo("""
                rules:
                  - id: shop-route
                    match: { header.host: shop.example, path: "/api/*" }
                    limits:
                      - { rate: 10/500ms, burst: 100 }
                    mode: local
                """);
        assertThat(result.warnings()).hasSize(1);
    }

    @Test
    void aFilterOfEnvoyThatEnforcesNothingIsInShadow() {
        ImportResult result = ImportResult.of(ImportKind.ENVOY, "filter.yaml", """
                name: envoy.filters.http.local_ratelimit
                typed_config:
                  "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
                  token_bucket: { max_tokens: 1, fill_interval: 60s }
                  filter_enabled: { default_value: { numerator: 100 } }
                """);
        assertThat(result.rules()).hasSize(1);
        assertThat(result.rules().get(0).shadow()).isTrue();
        assertThat(result.bare()).contains("{ rate: 1/m, burst: 1 }");
    }

    /** Envoy uses the innermost configuration of a filter alone. */
    @Test
    void aBucketOfEnvoyNamesTheRoutesThatReplaceIt() {
        ImportResult result = ImportResult.of(
                ImportKind.ENVOY, "envoy.yaml", """
                    filters:
                      - name: envoy.filters.network.http_connection_manager
                        typed_config:
                          http_filters:
                            - name: local
                              typed_config: &bucket
                                "@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
                                token_bucket: { max_tokens: 100, fill_interval: 1s }
                                filter_enabled: { default_value: { numerator: 100 } }
                                filter_enforced: { default_value: { numerator: 100 } }
                            - name: other
                              typed_config: *bucket
                          route_config:
                            virtual_hosts:
                              - name: shop
                                domains: ["*"]
                                typed_per_filter_config: { local: *bucket }
                                routes:
                                  - match: { prefix: /api/ }
                                    route: { cluster: app }
                                    typed_per_filter_config: { local: *bucket }
                                  - match: { prefix: /free/ }
                                    route: { cluster: app }
                                    typed_per_filter_config: { local: { disabled: true } }
                              - name: alone
                                domains: [alone.example]
                                typed_per_filter_config: { local: *bucket }
                    """.replace("*bucket", BUCKET).replace("&bucket", ""));
        String replaced =
                "warning: token_bucket: Envoy does not use it for requests with a more specific configuration of"
                        + " the filter, which is at %s; here these requests count in this rule as well";
        assertThat(result.rules()).hasSize(5);
        assertThat(result.warnings())
                .containsExactly(
                        "envoy.yaml:7:13: " + String.format(replaced, "17:47, 21:51, 24:51, 27:47"),
                        "envoy.yaml:17:47: " + String.format(replaced, "21:51, 24:51"));
    }

    /** Routes may come from elsewhere, as in a dump of the configuration in force. */
    @Test
    void aBucketOfEnvoyNamesRoutesOfOtherSections() {
        ImportResult result = ImportResult.of(ImportKind.ENVOY, "dump.yaml", """
            listeners:
              - http_filters: [{ name: local, typed_config: *bucket }]
                rds: { route_config_name: shop }
            routes:
              - virtual_hosts:
                  - { name: shop, domains: [shop.example], typed_per_filter_config: { local: *bucket } }
            """.replace("*bucket", BUCKET));
        assertThat(result.warnings()).singleElement().asString().contains("dump.yaml:2:", " is at 6:82;");
    }
}
