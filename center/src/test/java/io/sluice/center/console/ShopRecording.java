package io.sluice.center.console;

import io.sluice.center.RecordedTraffic;
import io.sluice.testkit.SeededRandom;
import java.util.List;
import java.util.Random;

/** Searches in a shop, as one of its nodes records them. The same minute always has the same requests. Some minutes have none. */
final class ShopRecording {

    private static final long MINUTE = 60_000_000;

    /** In the short form, every third minute has requests. */
    private static final int STRIDE = SeededRandom.scaled(3, 1);

    /** A tenant, as it is masked, and how many requests it sends to a node in a minute. */
    private record Tenant(String name, String masked, int perMinute) {}

    private static final List<Tenant> TENANTS = List.of(
            new Tenant("acme", "a****", 46),
            new Tenant("initech", "i****ch", 21),
            new Tenant("globex", "g****ex", 7),
            new Tenant("hooli", "h****", 3));

    private ShopRecording() {}

    /** Returns the excerpt of a node. */
    static byte[] excerpt(String node, long sinceMicros, long nowMicros) {
        RecordedTraffic recorded = new RecordedTraffic(sinceMicros);
        for (long minute = sinceMicros / MINUTE + 1; minute < nowMicros / MINUTE; minute += STRIDE) {
            Random random = new Random(minute * 31 + node.hashCode());
            for (Tenant tenant : TENANTS) {
                // Now and then a tenant sends much more.
                int count = tenant.perMinute * (minute % 17 == 3 ? 3 : 1) + random.nextInt(4);
                for (int i = 0; i < count; i++) {
                    int user = random.nextInt(40);
                    recorded.line("{\"timestamp\":\""
                            + RecordedTraffic.time(minute * MINUTE + i * MINUTE / count + random.nextInt(1_000))
                            + "\",\"service\":\"search-service\",\"resource\":\"/api/search\",\"method\":\"GET\","
                            + "\"dimensions\":{\"tenant\":\"" + tenant.masked + "\",\"user\":\"u****" + (10 + user)
                            + "\"},\"hashes\":{\"tenant\":\"" + hash(tenant.name) + "\",\"user\":\""
                            + hash(tenant.name + user) + "\"},\"permits\":1}");
                }
            }
        }
        return recorded.excerpt();
    }

    private static String hash(String value) {
        return (value + "-").repeat(43).substring(0, 43);
    }
}
