/**
 * Rules: documents, the sets they make, and the evaluator that every front door calls: attributes in, one ruling out.
 * Whoever brings rules from elsewhere implements {@code io.sluice.rules.spi}.
 */
@NullMarked
package io.sluice.rules;

import org.jspecify.annotations.NullMarked;
