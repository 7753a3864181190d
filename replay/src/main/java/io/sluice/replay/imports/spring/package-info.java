/** Rules from configurations of Spring Boot applications: Spring Cloud Gateway, the Bucket4j starter, Resilience4j. */
@NullMarked
package io.sluice.replay.imports.spring;

import org.jspecify.annotations.NullMarked;
