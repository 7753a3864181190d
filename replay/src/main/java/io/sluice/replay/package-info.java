/** Runs recorded traffic and access logs against rules, with the same evaluator and engine that decide live requests. */
@NullMarked
package io.sluice.replay;

import org.jspecify.annotations.NullMarked;
