/**
 * The tests that every engine has to pass: the conformance suite and the golden vectors. Also an engine that fails on demand, and an engine
 * that records a history.
 */
@NullMarked
package io.sluice.testkit.engine;

import org.jspecify.annotations.NullMarked;
