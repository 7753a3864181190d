/** Refuses to start with properties that nobody reads. */
@NullMarked
package io.sluice.spring.boot.check;

import org.jspecify.annotations.NullMarked;
