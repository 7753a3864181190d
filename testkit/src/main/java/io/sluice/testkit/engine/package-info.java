/** What every engine has to pass: the conformance suite and the golden vectors, plus an engine that fails on demand. */
@NullMarked
package io.sluice.testkit.engine;

import org.jspecify.annotations.NullMarked;
