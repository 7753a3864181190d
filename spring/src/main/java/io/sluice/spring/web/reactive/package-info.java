/** Limits on requests to WebFlux. */
@NullMarked
package io.sluice.spring.web.reactive;

import org.jspecify.annotations.NullMarked;
