package io.sluice.rules.snapshot;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * Decides whether a node is within a share of all nodes. The answer for a node never changes, and a node within one share is also within
 * every larger share.
 */
public final class NodeShare {

    private static final int PARTS = 10_000;
    private static final int PARTS_PER_PERCENT = 100;

    private final int place;

    public NodeShare(String nodeId) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(nodeId.getBytes(StandardCharsets.UTF_8));
            this.place = Math.floorMod(ByteBuffer.wrap(hash).getLong(), PARTS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is missing; every JDK must provide it", e);
        }
    }

    public boolean isWithin(int percent) {
        return place < percent * PARTS_PER_PERCENT;
    }
}
