package io.sluice.spring.method.plan;

import java.lang.annotation.Annotation;
import org.springframework.core.annotation.MergedAnnotation;

/**
 * A kind of annotation that limits methods. Implementations are stateless.
 *
 * @param <A> the annotation
 */
public interface AnnotationKind<A extends Annotation> {

    Class<A> type();

    /**
     * Returns the content of an annotation.
     *
     * @throws IllegalArgumentException if the annotation cannot be applied; the message has the form
     *     {@code attribute: value (expected: …)}
     */
    PlannedLimit.Parts read(MergedAnnotation<A> annotation, AnnotatedMethod method);
}
