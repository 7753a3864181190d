package io.sluice.spring.method.plan;

import io.sluice.spring.internal.RuleNames;
import io.sluice.spring.named.RuleReference;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The limits of all methods. The annotations of each method are read once. Thread-safe. */
public final class MethodPlans implements RuleNames {

    private static final Logger LOG = LoggerFactory.getLogger(MethodPlans.class);

    private final AnnotationReader reader;
    private final Map<Class<?>, Map<Method, Optional<MethodPlan>>> known = new ConcurrentHashMap<>();

    public MethodPlans(AnnotationReader reader) {
        this.reader = reader;
    }

    /** Returns the annotations that limit methods. */
    public List<Class<? extends Annotation>> annotations() {
        return reader.types();
    }

    /** Returns the limits of a method; null if it has none. */
    @Nullable
    public MethodPlan of(Method method, Class<?> type) {
        Map<Method, Optional<MethodPlan>> ofType = known.get(type);
        if (ofType == null) {
            ofType = known.computeIfAbsent(type, first -> new ConcurrentHashMap<>());
        }
        Optional<MethodPlan> plan = ofType.get(method);
        if (plan == null) {
            plan = read(method, ClassUtils.getUserClass(type));
            ofType.put(method, plan);
        }
        return plan.orElse(null);
    }

    /**
     * Returns an opaque name for a rule whose id was generated from names in code, because callers should not learn these
     * names. This also applies if a rule in force has this id.
     */
    @Override
    public String shown(String id) {
        return reader.isMade(id) ? RuleIds.opaque(id) : id;
    }

    private Optional<MethodPlan> read(Method method, Class<?> type) {
        // No proxy reaches a static method. Kotlin generates a static method for each open suspend function, with the
        // same annotations.
        if (ReflectionUtils.isObjectMethod(method) || Modifier.isStatic(method.getModifiers())) {
            return Optional.empty();
        }
        Method own = AopUtils.getMostSpecificMethod(method, type);
        List<PlannedLimit> limits = reader.read(own, type);
        if (limits.isEmpty()) {
            return Optional.empty();
        }
        refuseSharedSettlement(limits);
        ReturnTypes.Result result = ReturnTypes.of(own, limits.get(0).parts().where());
        return Optional.of(new MethodPlan(limits, result.ending(), result.adapter()));
    }

    /**
     * Refuses settlements by two annotations with the same rule: both charge the same limits, so it would be unclear which cost
     * belongs to which charge.
     */
    private static void refuseSharedSettlement(List<PlannedLimit> limits) {
        for (PlannedLimit limit : limits) {
            SettledFigure settle = limit.parts().settle();
            String rule = limit.parts().rule();
            if (settle != null
                    && limits.stream()
                                    .filter(other -> other.parts().rule().equals(rule))
                                    .count()
                            > 1) {
                throw new InvalidLimitException(
                        limit.parts().where(),
                        "settle: " + settle.text() + " with rule " + rule
                                + " in several annotations (expected: the rule in one annotation of a call)");
            }
        }
    }

    /** Logs a warning for each annotated method that a proxy cannot limit. */
    public void warnOfUnreachable(Class<?> type) {
        for (Method method : ClassUtils.getUserClass(type).getDeclaredMethods()) {
            int modifiers = method.getModifiers();
            boolean unreachable =
                    Modifier.isPrivate(modifiers) || Modifier.isFinal(modifiers) || Modifier.isStatic(modifiers);
            if (unreachable && !method.isSynthetic() && reader.isAnnotated(method)) {
                LOG.warn(
                        "{}.{}: {}, so its limits are not applied (expected: a method that a proxy can override)",
                        type.getName(),
                        method.getName(),
                        Modifier.toString(modifiers));
            }
        }
    }

    /** Returns the rules that annotations name without describing a limit of their own. */
    public List<RuleReference> named() {
        return known.values().stream()
                .flatMap(ofType -> ofType.values().stream())
                .flatMap(Optional::stream)
                .flatMap(plan -> plan.limits().stream())
                .map(PlannedLimit::parts)
                .filter(parts -> parts.inline() == null)
                .map(parts -> new RuleReference(parts.rule(), parts.where()))
                .toList();
    }
}
