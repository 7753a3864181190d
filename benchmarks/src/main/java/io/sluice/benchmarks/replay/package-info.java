/** How fast logs are read and replayed. */
@NullMarked
package io.sluice.benchmarks.replay;

import org.jspecify.annotations.NullMarked;
