/** Decorators and listeners that record answers in a history. They are installed only while recording is on. */
@NullMarked
package io.sluice.redis.internal.recording;

import org.jspecify.annotations.NullMarked;
