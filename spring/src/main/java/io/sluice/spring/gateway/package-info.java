/**
 * Limits on the routes of Spring Cloud Gateway (the WebFlux server): a limiter for the gateway's own {@code RequestRateLimiter}
 * filter, and a filter that applies a rule in force.
 */
@NullMarked
package io.sluice.spring.gateway;

import org.jspecify.annotations.NullMarked;
