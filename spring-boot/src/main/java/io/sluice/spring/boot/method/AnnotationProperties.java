package io.sluice.spring.boot.method;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of limits by annotation.
 *
 * @param enabled Whether annotated methods are limited.
 * @param order Order of the limits among the other advice of a method. A lower value runs earlier. By default limits run after
 *     Spring Security's method security and before transactions, caches and similar advice.
 */
@ConfigurationProperties("sluice.annotations")
public record AnnotationProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("2147483547") int order) {}
