/** Defines the beans of a Spring Boot application: limiter, rules, evaluator, metrics, health indicator and endpoint. */
@NullMarked
package io.sluice.spring.boot;

import org.jspecify.annotations.NullMarked;
