/** Tells histories what was answered: decorators and listeners that are only there while somebody records. */
@NullMarked
package io.sluice.redis.internal.recording;

import org.jspecify.annotations.NullMarked;
