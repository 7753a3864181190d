/** The log of decisions: what is chosen, how it is described, and the files, the topic of Kafka and the sample that it goes to. */
@NullMarked
package io.sluice.runtime.decisions;

import org.jspecify.annotations.NullMarked;
