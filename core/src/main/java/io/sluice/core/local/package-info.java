/** The engine that counts in this process: lock-free for a single token bucket, bounded in memory. */
@NullMarked
package io.sluice.core.local;

import org.jspecify.annotations.NullMarked;
