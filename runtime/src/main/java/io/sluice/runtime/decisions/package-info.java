/** The log of decisions: their selection and format, and the files, the topic of Kafka and the sample that receive them. */
@NullMarked
package io.sluice.runtime.decisions;

import org.jspecify.annotations.NullMarked;
