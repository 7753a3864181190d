package io.sluice.center.callers;

import java.util.List;
import java.util.Map;

/**
 * Who a caller is, in the API. It is given once and kept nowhere in the center.
 *
 * @param attributes the values, such as {@code user} and {@code ip}
 * @param hidden the attributes that stay hashes, because a limit counts them under {@code privacy: hash}
 */
public record RevealReply(String hash, Map<String, String> attributes, List<String> hidden) {

    @Override
    public String toString() {
        // The attributes tell who the caller is.
        return "RevealReply(" + hash + ")";
    }
}
