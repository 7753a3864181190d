/** Real Redis servers for tests (one, a pair, Sentinels, a Cluster), and a proxy that imitates network faults. */
@NullMarked
package io.sluice.testkit.redis;

import org.jspecify.annotations.NullMarked;
