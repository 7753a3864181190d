/**
 * What a process tells its center about its traffic: counts of each second, sketches of refused callers, and a sample of decisions.
 * Everything travels in numbered batches with the reports, until the center says that it has stored them.
 */
@NullMarked
package io.sluice.runtime.data;

import org.jspecify.annotations.NullMarked;
