/** Refuses to start with unknown properties. */
@NullMarked
package io.sluice.spring.boot.check;

import org.jspecify.annotations.NullMarked;
