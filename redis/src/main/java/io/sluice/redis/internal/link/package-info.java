/** Connections to servers: opening, watching and closing them, and sending waiting operations as one call. */
@NullMarked
package io.sluice.redis.internal.link;

import org.jspecify.annotations.NullMarked;
