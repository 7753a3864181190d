/**
 * What proves an engine: golden vectors, the conformance suite, an engine that misbehaves on purpose, starters of real Redis
 * servers, Sentinel groups and clusters, and a proxy that does to their connections what networks do. For the tests of Sluice and of whoever writes an engine for it.
 */
@NullMarked
package io.sluice.testkit;

import org.jspecify.annotations.NullMarked;
