package io.sluice.center.callers;

import java.util.List;
import java.util.Map;

/**
 * The identity of a caller, in the API. It is returned once and not stored in the center.
 *
 * @param attributes the values, such as {@code user} and {@code ip}
 * @param hidden the attributes that remain hashes, because a limit counts them under {@code privacy: hash}
 */
public record RevealReply(String hash, Map<String, String> attributes, List<String> hidden) {

    @Override
    public String toString() {
        // The attributes reveal the identity of the caller.
        return "RevealReply(" + hash + ")";
    }
}
