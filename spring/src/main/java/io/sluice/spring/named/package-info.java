/** Rules that annotations, routes and clients name: how they are found, and what happens if one is missing. */
@NullMarked
package io.sluice.spring.named;

import org.jspecify.annotations.NullMarked;
