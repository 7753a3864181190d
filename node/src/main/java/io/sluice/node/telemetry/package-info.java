/** Sends spans and metrics of a node to a receiver of OTLP. */
@NullMarked
package io.sluice.node.telemetry;

import org.jspecify.annotations.NullMarked;
