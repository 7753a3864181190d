package io.sluice.spring.founding;

import io.sluice.spring.CurrentRequest;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.expression.CallValue;
import io.sluice.spring.method.plan.AnnotatedMethod;
import io.sluice.spring.method.plan.AnnotationKind;
import io.sluice.spring.method.plan.InlineRule;
import io.sluice.spring.method.plan.PlannedLimit;
import io.sluice.spring.method.plan.RuleIds;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;

/** Reads {@link LimitPoint}. */
public final class LimitPointKind implements AnnotationKind<LimitPoint> {

    @Override
    public Class<LimitPoint> type() {
        return LimitPoint.class;
    }

    @Override
    public PlannedLimit.Parts read(MergedAnnotation<LimitPoint> point, AnnotatedMethod method) {
        String key = point.getString("prefix") + point.getString("key");
        boolean byAddress = point.getEnum("limitType", LimitType.class) == LimitType.IP;
        String name = point.getString("name");
        int period = point.getInt("period");
        if (period < 1) {
            throw new IllegalArgumentException("period: " + period + " (expected: at least 1, in seconds)");
        }
        InlineRule rule = new InlineRule(key.isEmpty() ? method.id() : RuleIds.of("limit-point." + key))
                .rule("name", name)
                .limit("limit", Integer.toString(point.getInt("limit")))
                .limit("window", period + "s")
                .limit("by", byAddress ? "ip" : "")
                .limit("absent", byAddress ? "share" : "");
        CallValue counted = byAddress ? call -> ofAddress(key, call) : key.isEmpty() ? null : call -> key;
        return new PlannedLimit.Parts(
                method.where(LimitPoint.class), name, rule.read(), counted, 1, null, null, null, null, null);
    }

    /**
     * Returns the key of a point that counts by address, for rules that count by key. Key and address stay separate parts, so two different
     * pairs never make the same key. Returns null if there is neither.
     */
    private static @Nullable Object ofAddress(String key, Call call) {
        CurrentRequest request = call.request();
        String address = request == null ? null : request.attribute("ip");
        if (address == null) {
            return key.isEmpty() ? null : List.of(key);
        }
        return List.of(key, address);
    }
}
