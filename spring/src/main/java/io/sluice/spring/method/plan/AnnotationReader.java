package io.sluice.spring.method.plan;

import io.sluice.rules.yaml.Spans;
import io.sluice.spring.CurrentRequest;
import io.sluice.spring.LimitPoint;
import io.sluice.spring.LimitType;
import io.sluice.spring.RateLimited;
import io.sluice.spring.method.expression.Call;
import io.sluice.spring.method.expression.CallExpression;
import io.sluice.spring.method.expression.CallValue;
import io.sluice.spring.method.expression.Variable;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Reads the annotations of a method and its class, and rejects those that cannot be applied. Stateless. */
public final class AnnotationReader {

    private static final List<String> OF_A_LIMIT =
            List.of("rate", "burst", "limit", "window", "algorithm", "capacity", "ttl");

    private final UnaryOperator<String> placeholders;

    /** @param placeholders resolves {@code ${placeholders}} of the environment */
    public AnnotationReader(UnaryOperator<String> placeholders) {
        this.placeholders = placeholders;
    }

    /** Returns all limits of a method, those of its class first; empty if it has none. */
    List<PlannedLimit> read(Method method, Class<?> type) {
        List<PlannedLimit> limits = new ArrayList<>();
        Reading reading = new Reading(method, type);
        String ofType = RuleIds.of(type);
        String ofMethod = RuleIds.of(type, method);
        reading.rateLimited(nearest(type, RateLimited.class), ofType, limits);
        reading.limitPoints(nearest(type, LimitPoint.class), ofType, limits);
        reading.rateLimited(nearest(method, RateLimited.class), ofMethod, limits);
        reading.limitPoints(nearest(method, LimitPoint.class), ofMethod, limits);
        return limits;
    }

    static boolean isAnnotated(AnnotatedElement element) {
        return !nearest(element, RateLimited.class).isEmpty()
                || !nearest(element, LimitPoint.class).isEmpty();
    }

    /** Returns the annotations of the element or, if it has none, of the nearest element that it inherits from. */
    private static <A extends Annotation> List<MergedAnnotation<A>> nearest(AnnotatedElement element, Class<A> type) {
        List<MergedAnnotation<A>> all =
                MergedAnnotations.from(
                                element, SearchStrategy.TYPE_HIERARCHY, RepeatableContainers.standardRepeatables())
                        .stream(type)
                        .toList();
        OptionalInt first =
                all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min();
        return all.stream()
                .filter(found -> found.getAggregateIndex() == first.orElse(-1))
                .toList();
    }

    private final class Reading {

        private final Method method;
        private final Class<?> type;
        private final Map<String, Variable> variables;

        Reading(Method method, Class<?> type) {
            this.method = method;
            this.type = type;
            this.variables = Variable.of(method);
        }

        void rateLimited(List<MergedAnnotation<RateLimited>> found, String id, List<PlannedLimit> limits) {
            int position = 0;
            for (MergedAnnotation<RateLimited> annotation : found) {
                position++;
                String where = where("@RateLimited");
                try {
                    String own = position == 1 ? id : RuleIds.of(id + "-" + position);
                    limits.add(new PlannedLimit(parts(where, own, annotation)));
                } catch (IllegalArgumentException e) {
                    throw new InvalidLimitException(where, String.valueOf(e.getMessage()));
                }
            }
        }

        private PlannedLimit.Parts parts(String where, String defaultId, MergedAnnotation<RateLimited> annotation) {
            String rule = text(annotation, "rule");
            String key = annotation.getString("key");
            String permits = annotation.getString("permits").trim();
            boolean always = !permits.isEmpty() && permits.chars().allMatch(Character::isDigit);
            String id = text(annotation, "id");
            InlineRule inline = inline(annotation, id.isEmpty() ? defaultId : id);
            if (!rule.isEmpty()) {
                refuseBesideRule(annotation);
            } else if (!inline.hasLimit()) {
                throw new IllegalArgumentException(
                        "rule: none (expected: the id of a rule, or a limit such as rate = \"50/s\")");
            }
            String condition = annotation.getString("condition");
            String fallback = annotation.getString("fallback");
            return new PlannedLimit.Parts(
                    where,
                    rule.isEmpty() ? id.isEmpty() ? defaultId : id : rule,
                    rule.isEmpty()
                            ? inline.limit("by", key.isEmpty() ? "" : "key").read()
                            : null,
                    key.isEmpty() ? null : CallExpression.parse("key", key, variables),
                    always ? constant(permits) : 1,
                    always ? null : CallExpression.parse("permits", permits, variables),
                    condition.isEmpty() ? null : CallExpression.parse("condition", condition, variables),
                    fallback.isEmpty() ? null : Fallback.find(fallback, method, type),
                    maxWait(text(annotation, "maxWait")));
        }

        private InlineRule inline(MergedAnnotation<RateLimited> annotation, String id) {
            InlineRule rule = new InlineRule(id)
                    .rule("mode", text(annotation, "mode"))
                    .rule("on_failure", text(annotation, "onFailure"));
            OF_A_LIMIT.forEach(name -> rule.limit(name, text(annotation, name)));
            return rule;
        }

        private void refuseBesideRule(MergedAnnotation<RateLimited> annotation) {
            List<String> own = new ArrayList<>(OF_A_LIMIT);
            own.addAll(List.of("id", "mode", "onFailure"));
            for (String name : own) {
                if (!annotation.getString(name).isEmpty()) {
                    throw new IllegalArgumentException(name + ": " + annotation.getString(name)
                            + " together with rule (expected: either a rule or a limit written here)");
                }
            }
        }

        void limitPoints(List<MergedAnnotation<LimitPoint>> found, String id, List<PlannedLimit> limits) {
            for (MergedAnnotation<LimitPoint> point : found) {
                String where = where("@LimitPoint");
                try {
                    limits.add(new PlannedLimit(point(where, id, point)));
                } catch (IllegalArgumentException e) {
                    throw new InvalidLimitException(where, String.valueOf(e.getMessage()));
                }
            }
        }

        private PlannedLimit.Parts point(String where, String defaultId, MergedAnnotation<LimitPoint> point) {
            String key = point.getString("prefix") + point.getString("key");
            boolean byAddress = point.getEnum("limitType", LimitType.class) == LimitType.IP;
            String name = point.getString("name");
            int period = point.getInt("period");
            if (period < 1) {
                throw new IllegalArgumentException("period: " + period + " (expected: at least 1, in seconds)");
            }
            InlineRule rule = new InlineRule(key.isEmpty() ? defaultId : RuleIds.of("limit-point." + key))
                    .rule("name", name)
                    .limit("limit", Integer.toString(point.getInt("limit")))
                    .limit("window", period + "s")
                    .limit("by", byAddress ? "ip" : "")
                    .limit("absent", byAddress ? "share" : "");
            CallValue counted = byAddress ? call -> ofAddress(key, call) : key.isEmpty() ? null : call -> key;
            return new PlannedLimit.Parts(where, name, rule.read(), counted, 1, null, null, null, null);
        }

        private String where(String annotation) {
            String parameters = Arrays.stream(method.getParameterTypes())
                    .map(Class::getSimpleName)
                    .collect(Collectors.joining(", ", "(", ")"));
            return annotation + " on " + type.getName() + "." + method.getName() + parameters;
        }

        private String text(MergedAnnotation<?> annotation, String name) {
            String text = annotation.getString(name);
            try {
                return text.contains("${") ? placeholders.apply(text) : text;
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        name + ": " + text + " (expected: placeholders that resolve; " + e.getMessage() + ")", e);
            }
        }
    }

    /**
     * Returns the key of a {@code @LimitPoint} that counts by address, for rules that count by key. Key and address stay separate
     * parts, so two different pairs never make the same key. Null if there is neither.
     */
    private static @Nullable Object ofAddress(String key, Call call) {
        CurrentRequest request = call.request();
        String address = request == null ? null : request.attribute("ip");
        if (address == null) {
            return key.isEmpty() ? null : List.of(key);
        }
        return List.of(key, address);
    }

    private static long constant(String permits) {
        try {
            return PlannedLimit.checked(Long.parseLong(permits));
        } catch (NumberFormatException e) {
            return PlannedLimit.checked(Long.MAX_VALUE);
        }
    }

    private static @Nullable Duration maxWait(String text) {
        if (text.isEmpty()) {
            return null;
        }
        return text.equals("0") ? Duration.ZERO : Spans.of("maxWait", text, Duration.ofNanos(1_000), Spans.LONGEST);
    }
}
