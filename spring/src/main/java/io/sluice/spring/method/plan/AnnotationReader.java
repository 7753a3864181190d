package io.sluice.spring.method.plan;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.core.annotation.RepeatableContainers;

/** Reads the annotations of a method and its class, and rejects annotations that cannot be applied. Thread-safe. */
public final class AnnotationReader {

    private final List<AnnotationKind<?>> kinds;

    /** The ids that were generated from names of classes and methods. */
    private final Set<String> made = ConcurrentHashMap.newKeySet();

    /** @param kinds the kinds of annotations that limit methods, in the order in which their limits are listed */
    public AnnotationReader(List<AnnotationKind<?>> kinds) {
        this.kinds = List.copyOf(kinds);
    }

    /** Returns all limits of a method, the limits of its class first; empty if it has none. */
    List<PlannedLimit> read(Method method, Class<?> type) {
        List<PlannedLimit> limits = new ArrayList<>();
        if (!isAnnotated(type) && !isAnnotated(method)) {
            return limits; // like most methods of an application; skip all further reading
        }
        String ofType = RuleIds.of(type);
        String ofMethod = RuleIds.of(type, method);
        kinds.forEach(kind -> read(kind, type, new AnnotatedMethod(method, type, ofType), limits));
        kinds.forEach(kind -> read(kind, method, new AnnotatedMethod(method, type, ofMethod), limits));
        return limits;
    }

    /** Returns whether an id was generated from the names of a class and a method, because the annotation has no id. */
    boolean isMade(String id) {
        return made.contains(id);
    }

    boolean isAnnotated(AnnotatedElement element) {
        return kinds.stream().anyMatch(kind -> !nearest(element, kind.type()).isEmpty());
    }

    List<Class<? extends Annotation>> types() {
        List<Class<? extends Annotation>> types = new ArrayList<>();
        kinds.forEach(kind -> types.add(kind.type()));
        return types;
    }

    private <A extends Annotation> void read(
            AnnotationKind<A> kind, AnnotatedElement element, AnnotatedMethod method, List<PlannedLimit> limits) {
        String where = method.where(kind.type());
        int position = 0;
        for (MergedAnnotation<A> annotation : nearest(element, kind.type())) {
            position++;
            try {
                AnnotatedMethod own = method.at(position);
                PlannedLimit.Parts parts = kind.read(annotation, own);
                if (parts.inline() != null && parts.inline().id().equals(own.id())) {
                    made.add(own.id());
                }
                limits.add(new PlannedLimit(parts));
            } catch (IllegalArgumentException e) {
                throw new InvalidLimitException(where, String.valueOf(e.getMessage()));
            }
        }
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
}
