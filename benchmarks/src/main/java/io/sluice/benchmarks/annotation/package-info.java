/** What an annotation costs on a method, next to Resilience4j's. */
@NullMarked
package io.sluice.benchmarks.annotation;

import org.jspecify.annotations.NullMarked;
