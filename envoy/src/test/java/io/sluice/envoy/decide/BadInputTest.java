package io.sluice.envoy.decide;

import static io.sluice.envoy.decide.Desk.d;
import static io.sluice.envoy.decide.Desk.hits;
import static io.sluice.envoy.decide.Desk.request;
import static io.sluice.envoy.decide.Desk.shown;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Input that would take far too many steps does not end within the timeout. */
@Timeout(60)
class BadInputTest {

    private static final String RULES = """
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: day, requests_per_unit: 1000 } }
            """;

    @Test
    void anEmptyDomainAndNoDescriptorsAreRefused() {
        Desk desk = Desk.with(RULES);

        assertThatThrownBy(() -> desk.ask("", d("a=x"))).hasMessage("domain: empty (expected: a domain such as shop)");
        assertThatThrownBy(() -> desk.ask("d")).hasMessage("descriptors: none (expected: at least one)");
    }

    @Test
    void tenThousandDescriptorsAreRefusedAsAWholeAndChargeNothing() {
        Desk desk = Desk.with(RULES);
        RateLimitRequest many = RateLimitRequest.newBuilder()
                .setDomain("d")
                .addAllDescriptors(Collections.nCopies(10_000, d("a=x")))
                .build();

        RateLimitResponse response = desk.ask(many);

        assertThat(response.getOverallCode()).isEqualTo(Code.OVER_LIMIT);
        assertThat(response.getStatusesList()).hasSize(10_000).allMatch(status -> status.getCode() == Code.OVER_LIMIT);
        assertThat(desk.told).as("one ruling on all of them").hasSize(1);
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 1000/DAY 999");
    }

    @Test
    void decidesTheMaximumNumberOfDescriptorsWithOneRulingEach() {
        Desk desk = Desk.with(RULES);
        List<RateLimitDescriptor> same = Collections.nCopies(DescriptorRequest.MOST_DESCRIPTORS, d("a=x"));
        List<RateLimitDescriptor> others = new ArrayList<>();
        for (int i = 0; i < DescriptorRequest.MOST_DESCRIPTORS; i++) {
            others.add(d("a=" + i));
        }
        for (List<RateLimitDescriptor> each : List.of(same, others)) {
            desk.told.clear();
            RateLimitResponse response = desk.ask(RateLimitRequest.newBuilder()
                    .setDomain("d")
                    .addAllDescriptors(each)
                    .build());
            assertThat(response.getOverallCode()).isEqualTo(Code.OK);
            assertThat(desk.told).hasSizeLessThanOrEqualTo(DescriptorRequest.MOST_DESCRIPTORS);
        }
        assertThat(shown(desk.ask("d", d("a=x")))).isEqualTo("OK 1000/DAY 743");
        assertThat(shown(desk.ask("d", d("a=7")))).isEqualTo("OK 1000/DAY 998");
    }

    @Test
    void tooManyEntriesAreRefused() {
        RateLimitDescriptor.Builder deep = RateLimitDescriptor.newBuilder();
        for (int i = 0; i <= DescriptorRequest.MOST_ENTRIES; i++) {
            deep.addEntries(RateLimitDescriptor.Entry.newBuilder().setKey("a").setValue("x"));
        }

        assertThat(Desk.with(RULES).ask("d", deep.build()).getOverallCode()).isEqualTo(Code.OVER_LIMIT);
    }

    @Test
    void countsLongValues() {
        Desk desk = Desk.with(RULES);
        String longText = "ä".repeat(400_000);

        assertThat(shown(desk.ask(request("d", d("a=" + longText))))).isEqualTo("OK 1000/DAY 999");
        assertThat(shown(desk.ask(request("d", d("a=" + longText))))).isEqualTo("OK 1000/DAY 998");
        assertThat(shown(desk.ask(request("d", d("a=" + longText + "b"))))).isEqualTo("OK 1000/DAY 999");
        assertThat(shown(desk.ask(request(longText, d(longText + "=x"))))).isEqualTo("OK 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x\r\ny", "\u001b[31m", "\u0000", "${jndi:ldap://x}", "a&b=c", "~", "😀\uD83D"})
    void everyTextIsAValueLikeAnyOther(String value) {
        Desk desk = Desk.with(RULES);

        assertThat(shown(desk.ask("d", d("a=" + value)))).isEqualTo("OK 1000/DAY 999");
        assertThat(shown(desk.ask("d", d("a=" + value)))).isEqualTo("OK 1000/DAY 998");
        assertThat(shown(desk.ask("d", d(value.replace("=", "") + "=x")))).isEqualTo("OK 0");
    }

    @Test
    void aDescriptorWithoutEntriesMatchesNothing() {
        assertThat(shown(Desk.with(RULES).ask("d", d(), hits(0, d())))).isEqualTo("OK 0, OK 0");
    }
}
