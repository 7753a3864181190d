/** The public view of the store: its state, its vital figures and its listener. */
@NullMarked
package io.sluice.redis.store;

import org.jspecify.annotations.NullMarked;
