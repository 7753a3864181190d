package io.sluice.cli.demo;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;

/**
 * A user of the shop with an API key. Immutable.
 *
 * @param key the API key, generated for this process only
 * @param address an address of a network that is reserved for documentation (RFC 5737)
 */
record DemoCaller(String user, String tenant, String plan, String key, String address) {

    /** The tenants, in descending order of their number of users. */
    static final List<String> TENANTS = List.of("acme", "globex", "initech", "hooli");

    private static final int PEOPLE = 40;
    private static final int KEY_BYTES = 24;

    /** Creates the users with new keys. */
    static List<DemoCaller> all() {
        SecureRandom random = new SecureRandom();
        List<DemoCaller> all = new ArrayList<>();
        for (int i = 0; i < PEOPLE; i++) {
            // The tenants get one half, one quarter, one eighth and one eighth of the users.
            String tenant = TENANTS.get(Math.min(TENANTS.size() - 1, Integer.numberOfTrailingZeros(i + 1)));
            byte[] key = new byte[KEY_BYTES];
            random.nextBytes(key);
            all.add(new DemoCaller(
                    "u-" + (1_001 + i),
                    tenant,
                    i % 5 == 0 ? "gold" : "free",
                    Base64.getUrlEncoder().withoutPadding().encodeToString(key),
                    "203.0.113." + (1 + i)));
        }
        return List.copyOf(all);
    }

    String keyHash() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(key.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public String toString() {
        return user + " of " + tenant;
    }
}
