/** Measures the cost of a rate limit annotation on a method, compared with that of Resilience4j. */
@NullMarked
package io.sluice.benchmarks.annotation;

import org.jspecify.annotations.NullMarked;
