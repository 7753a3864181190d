/** Configures the reaction to annotations, routes and clients that name missing rules. */
@NullMarked
package io.sluice.spring.boot.named;

import org.jspecify.annotations.NullMarked;
