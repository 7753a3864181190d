package io.sluice.envoy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.envoy.decide.Desk;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EnvoyJsonTest {

    private final EnvoyJson json = new EnvoyJson(Desk.with("""
            domain: d
            descriptors:
              - { key: a, rate_limit: { unit: minute, requests_per_unit: 1 } }
            """).decider);

    @Test
    void speaksTheProtocolInJson() {
        String body = """
                {"domain": "d", "descriptors": [{"entries": [{"key": "a", "value": "x"}]}, {"entries": [{"key": "b", "value": ""}]}]}
                """;

        EnvoyJson.Answer first = answer(body);
        EnvoyJson.Answer second = answer(body);

        assertThat(first.status()).isEqualTo(200);
        assertThat(first.body())
                .isEqualTo(
                        "{\"overallCode\":\"OK\",\"statuses\":[{\"code\":\"OK\",\"currentLimit\":{\"requestsPerUnit\":1,"
                                + "\"unit\":\"MINUTE\"},\"durationUntilReset\":\"30s\"},{\"code\":\"OK\"}]}");
        assertThat(second.status()).isEqualTo(429);
        assertThat(second.body()).startsWith("{\"overallCode\":\"OVER_LIMIT\"");
    }

    @Test
    void acceptsTheFieldNamesOfTheProtocol() {
        assertThat(answer("{\"domain\":\"d\",\"hits_addend\":2,\"descriptors\":[{\"entries\":[{\"key\":\"a\"}]}]}")
                        .status())
                .isEqualTo(429);
        assertThat(answer("{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"a\"}],\"hitsAddend\":\"0\"}]}")
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "7",
                "{",
                "{}",
                "{\"domain\": \"d\"}",
                "{\"domain\": \"\", \"descriptors\": [{}]}",
                "{\"domain\": \"d\", \"descriptors\": [{}], \"unknown\": 1}",
                "{\"domain\": \"d\", \"descriptors\": 7}",
                "{\"domain\": \"d\", \"descriptors\": [{}], \"hits_addend\": -1}",
                "{\"domain\": \"d\", \"descriptors\": [{\"limit\": {\"requests_per_unit\": 1}}]}"
            })
    void anInvalidRequestIsABadRequest(String body) {
        EnvoyJson.Answer answer = answer(body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("(expected: ");
    }

    @Test
    void deepJsonIsABadRequest() {
        assertThat(answer("[".repeat(60_000)).status()).isEqualTo(400);
        assertThat(answer("{\"domain\":".repeat(12_000)).status()).isEqualTo(400);
    }

    private EnvoyJson.Answer answer(String body) {
        return json.answer(body.getBytes(StandardCharsets.UTF_8))
                .toCompletableFuture()
                .join();
    }
}
