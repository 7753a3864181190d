package io.sluice.spring.method.plan;

import io.sluice.core.limit.Limit;
import io.sluice.rules.cost.Cost;
import io.sluice.rules.model.Rule;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.expression.CallExpression;
import io.sluice.spring.method.expression.CallValue;
import io.sluice.spring.method.expression.Variable;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;

/**
 * Reads the real cost of a call from its result. Immutable.
 *
 * @param text the expression, for messages
 */
public record SettledFigure(String text, CallValue value) {

    private static final String EXPECTED = "a whole number of 0 or more";

    static SettledFigure parse(String text, Method method) {
        if (Signature.of(method).result() == void.class) {
            throw new IllegalArgumentException("settle: " + text + " (expected: a method that returns a value)");
        }
        return new SettledFigure(text, CallExpression.parse("settle", text, Variable.afterwards(method)));
    }

    /** Refuses a rule without a limit that can be settled. */
    static void check(String text, Rule rule) {
        if (rule.limits().stream().noneMatch(limit -> Cost.canSettle(limit.limit()))) {
            throw new IllegalArgumentException(
                    "settle: " + text
                            + " (expected: token_bucket, fixed_window, sliding_window or sliding_log; nothing else can be settled)");
        }
    }

    /**
     * Returns the real cost. A cost above the maximum of a request counts as this maximum.
     *
     * @throws RuntimeException if the result does not contain the cost; the message describes the reason
     */
    public long of(Call call, @Nullable Object result) {
        Object figure = value.of(call.after(ObjectUtils.unwrapOptional(result)));
        if (figure instanceof Number number) {
            double size = number.doubleValue();
            if (size >= Limit.MAX_PERMITS && size < Double.POSITIVE_INFINITY) {
                return Limit.MAX_PERMITS;
            }
            if (size == number.longValue() && size >= 0) {
                return number.longValue();
            }
        }
        throw new IllegalArgumentException("settle: " + text + " gave "
                + (figure == null || figure instanceof Number ? String.valueOf(figure) : shown(figure)) + " (expected: "
                + EXPECTED + ")");
    }

    /** Returns the type of a value, because the value itself may be data that a caller sent. */
    static String shown(Object value) {
        return "a " + value.getClass().getTypeName();
    }
}
