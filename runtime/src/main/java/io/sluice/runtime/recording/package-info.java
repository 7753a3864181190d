/** Excerpts of recordings, which a center asks for to try rules on the traffic of the last hour. */
@NullMarked
package io.sluice.runtime.recording;

import org.jspecify.annotations.NullMarked;
