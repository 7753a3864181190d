package io.sluice.envoy.decide;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Files with the features of the examples of the reference service (commit f2fb157), with its answers. */
class ReferenceExamplesTest {

    private static final String MONGO = """
            domain: mongo
            descriptors:
              - { key: database, value: users, rate_limit: { unit: second, requests_per_unit: 500 } }
              - { key: database, value: default, rate_limit: { unit: SECOND, requests_per_unit: 400 } }
            """;

    private static final String MESSAGING = """
            domain: messaging
            descriptors:
              - key: message_type
                value: marketing
                descriptors:
                  - { key: to_number, rate_limit: { unit: day, requests_per_unit: 5 } }
              - { key: to_number, rate_limit: { unit: day, requests_per_unit: 100 } }
            """;

    private static final String EDGE = """
            domain: edge
            descriptors:
              - { key: remote_address, rate_limit: { unit: second, requests_per_unit: 10 } }
              - { key: remote_address, value: 50.0.0.5, rate_limit: { unit: second, requests_per_unit: 0 } }
              - { key: remote_address, value: 50.0.0.6 }
            """;

    private static final String DEPTH = """
            domain: depth
            descriptors:
              - { key: key, value: value, rate_limit: { unit: second, requests_per_unit: 300 } }
              - { key: other, value: value, descriptors: [{ key: sub, rate_limit: { unit: hour, requests_per_unit: 3 } }] }
            """;

    private static final String INTERNAL = """
            domain: internal
            descriptors:
              - { key: ldap, rate_limit: { unlimited: true } }
              - { key: azure, rate_limit: { unit: minute, requests_per_unit: 100 } }
            """;

    private static final String REPLACING = """
            domain: replacing
            descriptors:
              - key: key_1
                value: value_1
                descriptors:
                  - { key: user, value: bob, rate_limit: { name: specific, unit: second, requests_per_unit: 5 } }
              - key: key_2
                value: value_2
                descriptors:
                  - { key: user, value: bob, rate_limit: { replaces: [{ name: specific }], unit: second, requests_per_unit: 10 } }
              - { key: free, rate_limit: { unlimited: true, replaces: [{ name: specific }] } }
            """;

    private static final String WILD = """
            domain: wild
            descriptors:
              - { key: path, value: "/api/*", rate_limit: { unit: minute, requests_per_unit: 20 } }
              - { key: path, value: "/api/v2/*", rate_limit: { unit: minute, requests_per_unit: 2 } }
              - { key: path, value: "/api/exact", rate_limit: { unit: minute, requests_per_unit: 1 } }
              - { key: path, value: "*.png", rate_limit: { unit: week, requests_per_unit: 7 } }
              - { key: path, value: "/a*z/*/end", rate_limit: { unit: month, requests_per_unit: 30 } }
              - { key: path, rate_limit: { unit: year, requests_per_unit: 365 } }
              - key: nested
                value: "n*"
                descriptors:
                  - { key: path, value: "*", rate_limit: { unit: minute, requests_per_unit: 4 } }
            """;

    private static final String SHADOW = """
            domain: shadow
            descriptors:
              - key: service
                descriptors:
                  - { key: user, value: a, shadow_mode: true, rate_limit: { unit: second, requests_per_unit: 0 } }
                  - { key: user, value: b, rate_limit: { unit: second, requests_per_unit: 0 } }
            """;

    /** Every key that the reference service knows, arranged as in its largest example. */
    private static final String EVERYTHING = """
            ---
            domain: shop
            descriptors:
              - key: kind
                value: order
                rate_limit:
                  replaces:
                    - name: premium
                    - name: sandbox
                  unit: minute
                  requests_per_unit: 4
              - key: from
                value: edge
                descriptors:
                  - key: to
                    value: premium
                    rate_limit: { replaces: [{ name: premium }], unit: minute, requests_per_unit: 2 }
                  - key: to
                    value: sandbox
                    rate_limit: { name: sandbox, unit: minute, requests_per_unit: 3 }
              - key: tenant
                rate_limit: { unit: minute, requests_per_unit: 5 }
                descriptors:
                  - key: plan
                    rate_limit: { unit: minute, requests_per_unit: 6 }
                  - key: plan
                    value: premium
                    rate_limit: { name: premium, unit: minute, requests_per_unit: 7 }
                  - key: plan
                    value: closed
                    rate_limit: { name: closed, unit: minute, requests_per_unit: 0 }
                  - key: plan
                    value: tried
                    shadow_mode: true
                    rate_limit: { unit: minute, requests_per_unit: 0 }
                  - key: free
                    rate_limit:
                      unlimited: true
              - key: detailed
                detailed_metric: true
                value_to_metric: true
                rate_limit: { unit: minute, requests_per_unit: 8 }
              - key: file
                value: pub/*
                share_threshold: true
                rate_limit: { unit: minute, requests_per_unit: 9 }
              - key: service
                value: first
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 1 }
                metadata:
                  route:
                    name: "first"
              - key: service
                value: second
                quota_mode: true
                rate_limit: { unit: minute, requests_per_unit: 0 }
                metadata:
                  route:
                    name: "second"
            """;

    static Stream<Arguments> situations() {
        return Stream.of(
                at(EVERYTHING, "shop", "OK 4/MINUTE 3, OK 0", d("kind=order"), d("tenant=t", "plan=premium")),
                at(EVERYTHING, "shop", "OK 4/MINUTE 3, OK 0", d("kind=order"), d("from=edge", "to=sandbox")),
                at(
                        EVERYTHING,
                        "shop",
                        "OK 2/MINUTE 1, OK 0",
                        d("from=edge", "to=premium"),
                        d("tenant=t", "plan=premium")),
                at(EVERYTHING, "shop", "OK 3/MINUTE 2", d("from=edge", "to=sandbox")),
                at(EVERYTHING, "shop", "OK 5/MINUTE 4, OK 6/MINUTE 5", d("tenant=t"), d("tenant=t", "plan=x")),
                at(EVERYTHING, "shop", "OVER 0/MINUTE 0", d("tenant=t", "plan=closed")),
                at(EVERYTHING, "shop", "OK 0/MINUTE 0", d("tenant=t", "plan=tried")),
                at(EVERYTHING, "shop", "OK 4294967295", d("tenant=t", "free=x")),
                at(EVERYTHING, "shop", "OK 8/MINUTE 7", d("detailed=x")),
                at(EVERYTHING, "shop", "OK 9/MINUTE 7, OK 9/MINUTE 7", d("file=pub/a"), d("file=pub/b")),
                at(EVERYTHING, "shop", "OK 1/MINUTE 0, OVER 0/MINUTE 0", d("service=first"), d("service=second")),
                at(EVERYTHING, "shop", "OVER 0/MINUTE 0", d("service=second")),
                at(MONGO, "mongo", "OK 500/SECOND 499", d("database=users")),
                at(MONGO, "mongo", "OK 400/SECOND 399", d("database=default")),
                at(MONGO, "mongo", "OK 0", d("database=other")),
                at(MONGO, "another", "OK 0", d("database=users")),
                at(MONGO, "mongo", "OK 500/SECOND 499, OK 0", d("database=users"), d("table=users")),
                at(
                        MESSAGING,
                        "messaging",
                        "OK 5/DAY 4, OK 100/DAY 99",
                        d("message_type=marketing", "to_number=1"),
                        d("to_number=1")),
                at(MESSAGING, "messaging", "OK 0", d("message_type=other", "to_number=1")),
                at(MESSAGING, "messaging", "OK 0", d("message_type=marketing")),
                at(EDGE, "edge", "OK 10/SECOND 9", d("remote_address=50.0.0.1")),
                at(EDGE, "edge", "OVER 0/SECOND 0", d("remote_address=50.0.0.5")),
                at(EDGE, "edge", "OK 0", d("remote_address=50.0.0.6")),
                at(EDGE, "edge", "OK 10/SECOND 9", d("remote_address=")),
                at(DEPTH, "depth", "OK 300/SECOND 299", d("key=value")),
                at(DEPTH, "depth", "OK 0", d("key=value", "subkey=subvalue")),
                at(DEPTH, "depth", "OK 3/HOUR 2", d("other=value", "sub=anything")),
                at(DEPTH, "depth", "OK 0", d("sub=anything")),
                at(INTERNAL, "internal", "OK 4294967295", d("ldap=any")),
                at(INTERNAL, "internal", "OK 4294967295, OK 100/MINUTE 99", d("ldap=any"), d("azure=any")),
                at(REPLACING, "replacing", "OK 5/SECOND 4", d("key_1=value_1", "user=bob")),
                at(
                        REPLACING,
                        "replacing",
                        "OK 0, OK 10/SECOND 9",
                        d("key_1=value_1", "user=bob"),
                        d("key_2=value_2", "user=bob")),
                at(REPLACING, "replacing", "OK 4294967295, OK 0", d("free="), d("key_1=value_1", "user=bob")),
                at(WILD, "wild", "OK 1/MINUTE 0", d("path=/api/exact")),
                at(WILD, "wild", "OK 20/MINUTE 19", d("path=/api/v2/x")),
                at(WILD, "wild", "OK 20/MINUTE 19", d("path=/api/")),
                at(WILD, "wild", "OK 7/WEEK 6", d("path=.png")),
                at(WILD, "wild", "OK 7/WEEK 6", d("path=/img/a.png")),
                at(WILD, "wild", "OK 30/MONTH 29", d("path=/abcz/x/y/end")),
                at(WILD, "wild", "OK 365/YEAR 364", d("path=/abcz/end")),
                at(WILD, "wild", "OK 365/YEAR 364", d("path=")),
                at(WILD, "wild", "OK 4/MINUTE 3", d("nested=n", "path=")),
                at(WILD, "wild", "OK 0", d("nested=x", "path=")),
                at(SHADOW, "shadow", "OK 0/SECOND 0", d("service=s", "user=a")),
                at(SHADOW, "shadow", "OVER 0/SECOND 0", d("service=s", "user=b")));
    }

    @ParameterizedTest(name = "{1} {3}: {2}")
    @MethodSource("situations")
    void answersAsDocumented(String document, String domain, String expected, List<RateLimitDescriptor> descriptors) {
        Desk desk = Desk.with(document);

        assertThat(shown(desk.ask(request(domain, descriptors.toArray(RateLimitDescriptor[]::new)))))
                .isEqualTo(expected);
    }

    private static Arguments at(String document, String domain, String expected, RateLimitDescriptor... descriptors) {
        return Arguments.of(document, domain, expected, List.of(descriptors));
    }
}
