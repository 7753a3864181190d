package io.sluice.spring.method.plan;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/**
 * A method with a limit.
 *
 * @param type the class of the bean
 * @param id the rule id for a limit without an id of its own
 */
public record AnnotatedMethod(Method method, Class<?> type, String id) {

    /** Returns the annotation and its method, for messages. */
    public String where(Class<? extends Annotation> annotation) {
        return "@" + annotation.getSimpleName() + " on " + type.getName() + "." + method.getName()
                + Signature.of(method).text();
    }

    /** Returns the method with the id for the limit at this position among several, from 1. */
    AnnotatedMethod at(int position) {
        return position == 1 ? this : new AnnotatedMethod(method, type, RuleIds.of(id + "-" + position));
    }
}
