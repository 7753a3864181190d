/** Configures what happens if annotations, routes and clients name missing rules. */
@NullMarked
package io.sluice.spring.boot.named;

import org.jspecify.annotations.NullMarked;
