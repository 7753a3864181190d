/**
 * Limits on the routes of Spring Cloud Gateway (the WebFlux server): its own {@code RequestRateLimiter} filter with a limiter of
 * Sluice behind it, and a filter that applies a rule in force.
 */
@NullMarked
package io.sluice.spring.gateway;

import org.jspecify.annotations.NullMarked;
