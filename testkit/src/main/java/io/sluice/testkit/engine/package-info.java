/** What every engine has to pass: the conformance suite, the golden vectors, and an engine that fails on demand. */
@NullMarked
package io.sluice.testkit.engine;

import org.jspecify.annotations.NullMarked;
