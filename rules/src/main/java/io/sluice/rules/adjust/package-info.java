/**
 * Temporary changes on top of released rules: other numbers for single callers, and rules that refuse no requests for a limited
 * time.
 */
@NullMarked
package io.sluice.rules.adjust;

import org.jspecify.annotations.NullMarked;
