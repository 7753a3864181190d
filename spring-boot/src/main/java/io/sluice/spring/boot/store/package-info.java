/** Finds the Redis that holds an application's counts. */
@NullMarked
package io.sluice.spring.boot.store;

import org.jspecify.annotations.NullMarked;
