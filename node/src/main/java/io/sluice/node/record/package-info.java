/** The recording of what a node decides, in files of bounded size: {@code docs/reference/recordings.md}. */
@NullMarked
package io.sluice.node.record;

import org.jspecify.annotations.NullMarked;
