package io.sluice.runtime.fleet;

import io.sluice.core.spi.RootCause;
import io.sluice.rules.redis.RedisFleet;
import java.util.Optional;

/** The way to a center through the Redis that both use. */
public final class RedisFleetLine implements FleetLine {

    private final RedisFleet redis;
    private final OutageLog log;

    private RedisFleetLine(RedisFleet redis) {
        this.redis = redis;
        this.log = new OutageLog(
                "reports to the center through Redis at " + redis.name()
                        + " fail; decisions and rules are not affected",
                "reports to the center go through Redis at " + redis.name() + " again");
    }

    /**
     * Prepares a line without connecting.
     *
     * @throws IllegalArgumentException if the URI is invalid
     */
    public static RedisFleetLine to(String uri) {
        return new RedisFleetLine(RedisFleet.at(uri));
    }

    @Override
    public Optional<Fleet> send(NodeReport report) throws LostCenterException {
        Optional<String> told;
        try {
            told = redis.exchange(report.node(), report.toJson());
        } catch (RedisFleet.RefusedException e) {
            throw new LostCenterException("Redis answers " + e.getMessage(), true);
        } catch (RuntimeException e) {
            throw new LostCenterException(RootCause.words(e), false);
        }
        try {
            return told.map(Fleet::parse);
        } catch (IllegalArgumentException e) {
            throw new LostCenterException(RedisFleet.FLEET + " is unreadable: " + e.getMessage(), true);
        }
    }

    /** Redis may have no center. */
    @Override
    public boolean hasCenter() {
        return false;
    }

    @Override
    public OutageLog log() {
        return log;
    }

    @Override
    public void close() {
        redis.close();
    }
}
