/** Where requests stand in traces, and the spans that a node makes of them. */
@NullMarked
package io.sluice.node.trace;

import org.jspecify.annotations.NullMarked;
