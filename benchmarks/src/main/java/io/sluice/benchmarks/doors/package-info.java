/** Measures the throughput and latency of the APIs of a node, compared with servers that make no decision. */
@NullMarked
package io.sluice.benchmarks.doors;

import org.jspecify.annotations.NullMarked;
