/** Rules through Redis: {@link RedisRuleSource}, which nodes read, and {@link RedisRulePublisher}, which writes. */
@NullMarked
package io.sluice.rules.redis;

import org.jspecify.annotations.NullMarked;
