package io.sluice.rules.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FoundingIdTest {

    @Test
    void twoResourcesNeverHaveTheSameId() {
        List<String> resources = List.of(
                "/",
                "//",
                "/a",
                "/a/",
                "/a/b",
                "/a.b",
                "/a_2eb",
                "/a_b",
                "/a__b",
                "/a-b",
                "/{a}",
                "/{b}",
                "/_",
                "/.",
                "/**",
                "/a/**",
                "/A",
                "/%61",
                "/\u00e9",
                "/e\u0301",
                "/_c3_a9",
                "/" + "x".repeat(128),
                "/" + "x".repeat(129),
                "/" + "x".repeat(130),
                "/" + "x".repeat(60) + "__" + "0".repeat(64),
                "/" + "x".repeat(60) + "/" + "y".repeat(80),
                "/" + "x".repeat(60) + "." + "y".repeat(80));
        Map<String, String> ids = new HashMap<>();
        for (String resource : resources) {
            String id = FoundingShape.id(resource);
            assertThat(ids.put(id, resource)).as("%s: %s", resource, id).isNull();
            assertThat(RuleIds.isLegal(id)).as(id).isTrue();
        }
    }

    @Test
    void idsAreReadable() {
        assertThat(FoundingShape.id("/api/order/create")).isEqualTo("api.order.create");
        assertThat(FoundingShape.id("/users/{id}")).isEqualTo("users._7bid_7d");
    }
}
