/** The decision about all descriptors of a request, and its answer. */
@NullMarked
package io.sluice.envoy.decide;

import org.jspecify.annotations.NullMarked;
