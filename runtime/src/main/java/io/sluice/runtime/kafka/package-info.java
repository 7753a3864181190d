/** Producers of Kafka whose memory does not depend on what a server claims. */
@NullMarked
package io.sluice.runtime.kafka;

import org.jspecify.annotations.NullMarked;
