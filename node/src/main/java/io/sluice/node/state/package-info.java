/** What a node says about itself: health and metrics. */
@NullMarked
package io.sluice.node.state;

import org.jspecify.annotations.NullMarked;
