/** What makes the beans of a Spring Boot application: limiter, rules, decision, metrics, health and endpoint. */
@NullMarked
package io.sluice.spring.boot;

import org.jspecify.annotations.NullMarked;
