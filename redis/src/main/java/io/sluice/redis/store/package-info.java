/** What the outside learns of the store and tells it: options, state, vitals, listener. */
@NullMarked
package io.sluice.redis.store;

import org.jspecify.annotations.NullMarked;
