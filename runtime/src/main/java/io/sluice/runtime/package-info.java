/**
 * Code of every process that decides: the shared store, the sources of rules, and metrics. Independent of any server or
 * framework.
 */
@NullMarked
package io.sluice.runtime;

import org.jspecify.annotations.NullMarked;
