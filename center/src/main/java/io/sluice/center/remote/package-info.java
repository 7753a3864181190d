/** Conversations with servers that the center does not control, bounded in bytes and in time. */
@NullMarked
package io.sluice.center.remote;

import org.jspecify.annotations.NullMarked;
