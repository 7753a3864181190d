/**
 * Tools that test an engine: golden vectors, the conformance suite, an engine that misbehaves on purpose, starters of real Redis
 * servers, Sentinel groups and Clusters, and a proxy that imitates network faults. For the tests of Sluice, and for authors of
 * engines.
 */
@NullMarked
package io.sluice.testkit;

import org.jspecify.annotations.NullMarked;
