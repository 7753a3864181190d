package io.sluice.rules.redis;

import io.sluice.rules.document.RuleDocument;
import io.sluice.rules.model.Rule;
import io.sluice.testkit.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Rules and hashes for tests. */
final class Sets {

    private Sets() {}

    /** Returns this many rules, which contain the number of their set. */
    static List<Rule> of(long number, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> rule("{\"id\":\"r" + i + "\",\"service\":\"s" + i + "\",\"limits\":[{\"limit\":"
                        + (number + 1) + ",\"window\":\"1m\"}]}"))
                .toList();
    }

    static Rule rule(String json) {
        return ((RuleDocument.Accepted) RuleDocument.parseRule("test", json))
                .rules()
                .get(0);
    }

    static Map<String, String> flat(String id, String type, String target, long count) {
        return Map.of(
                "id",
                id,
                "limitType",
                type,
                "limitTarget",
                target,
                "limitCount",
                Long.toString(count),
                "timeWindow",
                "60",
                "strategy",
                "SLIDING_WINDOW");
    }

    /** Writes a hash like any other client. */
    static void hash(RedisServer redis, Map<String, String> fields) {
        List<String> command = new ArrayList<>(
                List.of("HSET", "rate_limit_config:" + fields.get("limitType") + ":" + fields.get("limitTarget")));
        fields.forEach((field, value) -> command.addAll(List.of(field, value)));
        redis.command(command.toArray(String[]::new));
    }
}
