package io.sluice.spring.method;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Limits by annotation.
 *
 * @param enabled Whether annotated methods are limited.
 * @param order Order of the limits among other advice of a method: lower is further out. By default limits come before transactions,
 *     caches and the like.
 * @param missingRule What is done where an annotation names a rule that is not in force: 'fail' refuses to start and fails calls, 'warn' lets them
 *     pass and says so, 'allow' lets them pass.
 */
@ConfigurationProperties("sluice.annotations")
public record AnnotationProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("-2147483548") int order,
        @DefaultValue("fail") MissingRule missingRule) {}
