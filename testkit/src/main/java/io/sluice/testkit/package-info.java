/**
 * What proves an engine: golden vectors, the conformance suite, an engine that misbehaves on purpose, and a starter of real
 * Redis servers. For the tests of Sluice and of whoever writes an engine for it.
 */
@NullMarked
package io.sluice.testkit;

import org.jspecify.annotations.NullMarked;
