/**
 * The data about its traffic that a process reports to its center: counts of each second, sketches of refused callers, and a sample of
 * decisions. Numbered batches travel with the reports until the center confirms that it has stored them.
 */
@NullMarked
package io.sluice.runtime.data;

import org.jspecify.annotations.NullMarked;
