/** Real Redis servers for tests (one, a pair, Sentinels, a Cluster), and a proxy that does to their connections what networks do. */
@NullMarked
package io.sluice.testkit.redis;

import org.jspecify.annotations.NullMarked;
