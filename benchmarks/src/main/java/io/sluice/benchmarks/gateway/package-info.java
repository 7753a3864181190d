/** Measures the gateway under load and under attack, compared with other gateways. */
@NullMarked
package io.sluice.benchmarks.gateway;

import org.jspecify.annotations.NullMarked;
