package io.sluice.spring.method.plan;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * A method with a limit.
 *
 * @param type the class of the bean
 * @param id the rule id for a limit without an id of its own
 */
public record AnnotatedMethod(Method method, Class<?> type, String id) {

    /** Returns the annotation and its method, for messages. */
    public String where(Class<? extends Annotation> annotation) {
        String parameters = Arrays.stream(method.getParameterTypes())
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
        return "@" + annotation.getSimpleName() + " on " + type.getName() + "." + method.getName() + parameters;
    }

    /** Returns the method with the id for the limit at this position among several, from 1. */
    AnnotatedMethod at(int position) {
        return position == 1 ? this : new AnnotatedMethod(method, type, RuleIds.of(id + "-" + position));
    }
}
