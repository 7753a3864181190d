/** Finds the rules that annotations, routes and clients name, and reacts to missing rules. */
@NullMarked
package io.sluice.spring.named;

import org.jspecify.annotations.NullMarked;
