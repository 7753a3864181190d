package io.sluice.replay.imports.peers;

import static org.assertj.core.api.Assertions.assertThat;

import com.alibaba.csp.sentinel.EntryType;
import com.alibaba.csp.sentinel.adapter.gateway.common.SentinelGatewayConstants;
import com.alibaba.csp.sentinel.adapter.gateway.common.param.GatewayParamParser;
import com.alibaba.csp.sentinel.adapter.gateway.common.param.RequestItemParser;
import com.alibaba.csp.sentinel.adapter.gateway.common.rule.GatewayFlowRule;
import com.alibaba.csp.sentinel.adapter.gateway.common.rule.GatewayParamFlowItem;
import com.alibaba.csp.sentinel.adapter.gateway.common.rule.GatewayRuleManager;
import com.alibaba.csp.sentinel.adapter.gateway.common.slot.GatewayFlowSlot;
import com.alibaba.csp.sentinel.slotchain.StringResourceWrapper;
import com.alibaba.csp.sentinel.slots.block.BlockException;
import io.sluice.replay.imports.ImportKind;
import io.sluice.replay.imports.ImportResult;
import io.sluice.testkit.SeededRandom;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Imported gateway rules beside Sentinel's own: its rule manager converts the rule, its parser finds the value in the request, and
 * its slot decides. A count fills again only after a day, so the time that a run takes does not matter; {@link HotParameterPeerTest}
 * compares how counts fill.
 */
class GatewayRulePeerTest {

    private static final int DAY = 86_400;
    private static final int REQUESTS = 400;

    private static final List<String> VALUES = List.of("t-1", "t-2", "u-1", "vip", "a vip b", "T-1", "");

    /** Reads the attributes of a request as an adapter reads an exchange. */
    private static final class AttributeParser implements RequestItemParser<Map<String, String>> {

        @Override
        public String getPath(Map<String, String> request) {
            return request.get("path");
        }

        @Override
        public String getRemoteAddress(Map<String, String> request) {
            return request.get("ip");
        }

        @Override
        public String getHeader(Map<String, String> request, String key) {
            return request.get("header." + key.toLowerCase(Locale.ROOT));
        }

        @Override
        public String getUrlParam(Map<String, String> request, String paramName) {
            return request.get("query." + paramName);
        }

        @Override
        public String getCookieValue(Map<String, String> request, String cookieName) {
            return request.get("cookie." + cookieName);
        }
    }

    private final GatewayParamParser<Map<String, String>> parser = new GatewayParamParser<>(new AttributeParser());
    private final GatewayFlowSlot slot = new GatewayFlowSlot();

    @AfterEach
    void forget() {
        GatewayRuleManager.loadRules(Set.of());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                // parseStrategy, fieldName, pattern, matchStrategy
                "none, none, none, 0",
                "0, none, none, 0",
                "0, none, 10.0.0.1, 0",
                "1, none, none, 0",
                "2, X-User, none, 0",
                "2, X-User, vip, 0",
                "2, X-User, t-, 1",
                "2, X-User, t-.*|u-.*, 2",
                "2, X-User, vip, 3",
                "3, user, none, 0",
                "3, user, t-.+, 2",
            })
    void admitsTheSameRequests(Integer parseStrategy, String field, String pattern, int matchStrategy) {
        GatewayFlowRule rule = new GatewayFlowRule("orders")
                .setResourceMode(SentinelGatewayConstants.RESOURCE_MODE_CUSTOM_API_NAME)
                .setCount(5)
                .setBurst(2)
                .setIntervalSec(DAY);
        String item = "";
        if (parseStrategy != null) {
            rule.setParamItem(new GatewayParamFlowItem()
                    .setParseStrategy(parseStrategy)
                    .setFieldName(field)
                    .setPattern(pattern)
                    .setMatchStrategy(matchStrategy));
            item = ", \"paramItem\": {\"parseStrategy\": " + parseStrategy + text("fieldName", field)
                    + text("pattern", pattern) + ", \"matchStrategy\": " + matchStrategy + "}";
        }
        compare(rule, item);
    }

    @Test
    void severalRulesOfAResourceAdmitNoFewer() {
        GatewayFlowRule byAddress = byAddress();
        GatewayFlowRule byUser = byAddress()
                .setCount(2)
                .setParamItem(new GatewayParamFlowItem().setParseStrategy(2).setFieldName("X-User"));
        GatewayRuleManager.loadRules(new LinkedHashSet<>(List.of(byAddress, byUser)));
        ImportResult result = ImportResult.of(ImportKind.SENTINEL, "gateway.json", """
                [{"resource": "orders", "resourceMode": 1, "count": 4, "intervalSec": 86400, "paramItem": {"parseStrategy": 0}},
                 {"resource": "orders", "resourceMode": 1, "count": 2, "intervalSec": 86400,
                  "paramItem": {"parseStrategy": 2, "fieldName": "X-User"}},
                 {"apiName": "orders", "predicateItems": [{"pattern": "/orders"}]}]
                """);
        ImportedRules imported = new ImportedRules(result);
        int originals = 0;
        int importeds = 0;
        for (int i = 0; i < 20; i++) {
            Map<String, String> request =
                    Map.of("path", "/orders", "ip", "10.0.0.1", "header.x-user", i < 10 ? "first" : "second");
            originals += original("orders", request) ? 1 : 0;
            importeds += imported.allow(request) ? 1 : 0;
        }
        assertThat(importeds).isEqualTo(4);
        assertThat(originals).isBetween(2, 4);
        assertThat(result.warnings()).anyMatch(text -> text.contains("here a refused request takes none"));
    }

    private static GatewayFlowRule byAddress() {
        return new GatewayFlowRule("orders")
                .setResourceMode(SentinelGatewayConstants.RESOURCE_MODE_CUSTOM_API_NAME)
                .setCount(4)
                .setIntervalSec(DAY)
                .setParamItem(new GatewayParamFlowItem().setParseStrategy(0));
    }

    private static String text(String key, String value) {
        return value == null ? "" : ", \"" + key + "\": \"" + value + "\"";
    }

    private void compare(GatewayFlowRule rule, String item) {
        GatewayRuleManager.loadRules(new LinkedHashSet<>(List.of(rule)));
        ImportedRules imported =
                new ImportedRules(ImportResult.of(ImportKind.SENTINEL, "gateway.json", """
                {"rules": [{"resource": "orders", "resourceMode": 1, "count": 5, "burst": 2, "intervalSec": 86400 %s}],
                 "apis": [{"apiName": "orders", "predicateItems": [{"pattern": "/orders/**", "matchStrategy": 1}]}]}
                """.formatted(item)));
        SeededRandom random = SeededRandom.of("GatewayRulePeerTest");
        int refused = 0;
        for (int i = 0; i < REQUESTS; i++) {
            Map<String, String> request = request(random);
            boolean allowed = original("orders", request);
            refused += allowed ? 0 : 1;
            assertThat(imported.allow(request)).as("request %d: %s", i, request).isEqualTo(allowed);
        }
        assertThat(refused).as("the requests exceed the limit").isPositive();
    }

    private static Map<String, String> request(SeededRandom random) {
        Map<String, String> request = new HashMap<>();
        request.put("path", "/orders/" + random.nextInt(3));
        request.put("ip", "10.0.0." + random.nextInt(4));
        request.put("header.host", random.nextInt(2) == 0 ? "a.example" : "b.example");
        int user = random.nextInt(VALUES.size() + 1);
        if (user < VALUES.size()) {
            request.put("header.x-user", VALUES.get(user));
        }
        int parameter = random.nextInt(VALUES.size() + 1);
        if (parameter < VALUES.size()) {
            request.put("query.user", VALUES.get(parameter));
        }
        return request;
    }

    private boolean original(String resource, Map<String, String> request) {
        Object[] values = parser.parseParameterFor(
                resource,
                request,
                rule -> rule.getResourceMode() == SentinelGatewayConstants.RESOURCE_MODE_CUSTOM_API_NAME);
        try {
            slot.entry(null, new StringResourceWrapper(resource, EntryType.IN), null, 1, false, values);
            return true;
        } catch (BlockException e) {
            return false;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
