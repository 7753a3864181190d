/** Rules through Redis: nodes read them with {@link RedisDocuments}, and {@link RedisRulePublisher} releases them. */
@NullMarked
package io.sluice.rules.redis;

import org.jspecify.annotations.NullMarked;
